"""The schema's operations, for tests that go over all of them: new ones are in from their first
line."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from config.api.index import schema

METHODS = ("get", "post", "put", "patch", "delete")


class Operation(NamedTuple):
    """One method of one address."""

    method: str
    path: str
    described: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def writes(self) -> bool:
        return self.method != "get"

    @property
    def scope(self) -> str | None:
        """The scope that it needs; None for what everybody may read."""
        scope: str | None = self.described["x-scope"]
        return scope

    @property
    def streams(self) -> bool:
        """Whether the answer stays open."""
        content = self.described["responses"].get("200", {}).get("content", {})
        return self.path.endswith(("/stream/", "/events/")) and "application/x-ndjson" in content

    def address(self, **values: Any) -> str:
        """The address with parameters filled in: 1 or a name unless given."""
        path = self.path
        for parameter in self.described.get("parameters", []):
            if parameter["in"] == "path":
                name = parameter["name"]
                kind = parameter["schema"].get("type")
                value = values.get(name, 987654321 if kind == "integer" else "no-such")
                path = path.replace("{" + name + "}", str(value))
        return path


@cache
def operations() -> list[Operation]:
    """All of them, in order."""
    return [
        Operation(method, path, described)
        for path, item in schema()["paths"].items()
        for method, described in item.items()
        if method in METHODS
    ]
