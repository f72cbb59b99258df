"""The schema's operations, for tests that go over all of them: new ones are in from their first
line."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, NamedTuple

import jsonschema  # type: ignore[import-untyped]

from core.api.index import response_of, schema

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


def is_as_described(operation: Operation, answer: Any) -> None:
    """Fail where the schema tells of no such answer."""
    described = operation.described["responses"][str(answer.status_code)]
    content = response_of(described)["content"]
    # The schema's references begin at its root.
    kind = answer["Content-Type"].partition(";")[0]
    told = {**content[kind]["schema"], "components": schema()["components"]}
    validator = jsonschema.Draft202012Validator(told)
    wrong = jsonschema.exceptions.best_match(validator.iter_errors(json.loads(answer.content)))
    assert wrong is None, (str(operation), wrong.json_path, wrong.message)
