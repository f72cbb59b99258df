"""A client in Python, written from the schema: one file, typed, that needs httpx and nothing of
this site. `manage.py api_client` writes docs/examples/gauntlet_client.py."""

from __future__ import annotations

import keyword
import re
from typing import Any

from core.api.index import response_of, schema

_METHODS = ("get", "post", "put", "patch", "delete")
_TYPES = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}

_HEAD = '''"""A client for the API of Gauntlet. Written by `manage.py api_client`: do not edit.

    with Client("https://gauntlet.example", token="gnt_…") as gauntlet:
        for match in gauntlet.pages(gauntlet.matches(status="running")):
            print(match["id"], match["ruleset"])

Needs httpx. Answers are the parsed JSON; refusals are raised as `Problem`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import httpx


class Problem(Exception):
    """A request that was refused: `status`, a stable `code`, and a `sentence` for people."""

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(f"{document['code']}: {document['sentence']}")
        self.document = document
        self.status: int = document["status"]
        self.code: str = document["code"]
        self.sentence: str = document["sentence"]


class Client:
    """One site, as one caller. Waits once where the site says that there were too many requests."""

    def __init__(self, site: str, *, token: str = "", timeout: float = 10.0) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.Client(base_url=site, headers=headers, timeout=timeout)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def call(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        idempotency_key: str = "",
    ) -> Any:
        """Do a request and return what is answered. Raises Problem."""
        given = {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in (query or {}).items()
            if value is not None
        }
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        for attempt in (1, 2):
            response = self.http.request(
                method, path, params=given or None, json=body, headers=headers
            )
            if response.status_code != 429 or attempt == 2:
                break
            time.sleep(int(response.headers["Retry-After"]))
        if response.is_error:
            raise Problem(response.json())
        return response.json() if response.content else None

    def pages(self, page: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """All rows of a list, from this page on."""
        while True:
            yield from page["results"]
            if page["next"] is None:
                return
            page = self.call("GET", page["next"])
'''


def client_text() -> str:
    """The whole file."""
    methods = [
        _method(path, method, item[method])
        for path, item in schema()["paths"].items()
        for method in _METHODS
        if method in item and _is_json(item[method])
    ]
    return _HEAD + "".join(methods)


def _is_json(operation: dict[str, Any]) -> bool:
    """Whether the answer is JSON, or nothing: streams and files are for other means."""
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            content = response_of(answer).get("content", {})
            return not content or (
                any(kind.endswith("json") for kind in content)
                and not any(kind.endswith("x-ndjson") for kind in list(content)[:1])
            )
    return False


def _method(path: str, method: str, operation: dict[str, Any]) -> str:
    parameters = operation.get("parameters", [])
    in_path = [each for each in parameters if each["in"] == "path"]
    in_query = [each for each in parameters if each["in"] == "query"]
    keyed = any(each["name"] == "Idempotency-Key" for each in parameters)
    signature = ["self", *(f"{_name(each['name'])}: {_type(each)}" for each in in_path)]
    optional = [f"{_name(each['name'])}: {_type(each)} | None = None" for each in in_query]
    if "requestBody" in operation:
        optional.append("body: dict[str, Any] | None = None")
    if keyed:
        optional.append('idempotency_key: str = ""')
    if optional:
        signature += ["*", *optional]
    address = re.sub(r"{(\w+)}", lambda found: "{" + _name(found[1]) + "}", path)
    arguments = [f'"{method.upper()}"', f'{"f" if in_path else ""}"{address}"']
    if in_query:
        pairs = "".join(
            f'                "{each["name"]}": {_name(each["name"])},\n' for each in in_query
        )
        arguments.append("query={\n" + pairs + "            }")
    if "requestBody" in operation:
        arguments.append("body=body or {}")
    if keyed:
        arguments.append("idempotency_key=idempotency_key")
    words = operation.get("summary") or operation["operationId"]
    lines = "".join(f"        {each},\n" for each in signature)
    values = "".join(f"            {each},\n" for each in arguments)
    return (
        f"\n    def {_name(operation['operationId'])}(\n{lines}    ) -> Any:\n"
        f'        """{words}."""\n        return self.call(\n{values}        )\n'
    )


def _name(name: str) -> str:
    name = re.sub(r"\W", "_", name)
    return f"{name}_" if keyword.iskeyword(name) else name


def _type(parameter: dict[str, Any]) -> str:
    kind = parameter["schema"].get("type", "string")
    return _TYPES.get(kind, "str") if isinstance(kind, str) else "str"
