"""The API for people: a page that is written from the schema, with examples that tests run."""

from __future__ import annotations

import json
import shlex
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from core.api.index import response_of, schema
from core.api.scopes import WORDS
from core.env import ROOT

EXAMPLES = ROOT / "docs" / "api-examples.json"
_METHODS = ("get", "post", "put", "patch", "delete")
_ANSWER_LINES = 60


@require_safe
def developers(request: HttpRequest) -> HttpResponse:
    """Everything that the API can do, by subject."""
    context = {
        "origin": request.build_absolute_uri("/").rstrip("/"),
        "groups": groups(),
        "limits": settings.GAUNTLET_API_LIMITS.items(),
        "scopes": [(scope.value, words) for scope, words in WORDS.items()],
    }
    return render(request, "api/developers.html", context)


@cache
def examples() -> dict[str, dict[str, Any]]:
    """The examples by operation: `path`, `body` (perhaps), `status`, `answer` (perhaps)."""
    found: dict[str, dict[str, Any]] = json.loads(EXAMPLES.read_text())
    return found


@cache
def groups() -> list[tuple[str, list[dict[str, Any]]]]:
    """The operations by their tag, in the order of the schema, tags by name."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path, item in schema()["paths"].items():
        for method in _METHODS:
            if method in item:
                described = item[method]
                found.setdefault(described["tags"][0], []).append(
                    _operation(method, path, described)
                )
    return sorted(found.items())


def _operation(method: str, path: str, described: dict[str, Any]) -> dict[str, Any]:
    example = examples().get(described["operationId"], {})
    return {
        "id": described["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": described.get("summary", ""),
        "description": described.get("description", ""),
        "scope": described.get("x-scope"),
        "parameters": [_parameter(each) for each in described.get("parameters", [])],
        "body": _body(described),
        "responses": sorted(
            (status, response_of(answer).get("description", ""))
            for status, answer in described["responses"].items()
        ),
        "curl": _curl(method, path, described, example),
        "status": example.get("status"),
        "answer": _excerpt(example["answer"]) if "answer" in example else "",
    }


def _parameter(described: dict[str, Any]) -> dict[str, Any]:
    kind = described["schema"]
    return {
        "name": described["name"],
        "place": described["in"],
        "required": described.get("required", False),
        "kind": _kind(kind),
        "default": kind.get("default"),
        "words": described.get("description", ""),
    }


def _body(described: dict[str, Any]) -> list[dict[str, Any]]:
    """The fields of what is sent."""
    content = described.get("requestBody", {}).get("content", {})
    kind = _schema_of(content.get("application/json", {}).get("schema", {}))
    required = kind.get("required", [])
    return [
        {
            "name": name,
            "required": name in required,
            "kind": _kind(_schema_of(field)),
            "default": field.get("default"),
            "words": field.get("description", ""),
        }
        for name, field in kind.get("properties", {}).items()
    ]


def _schema_of(kind: dict[str, Any]) -> dict[str, Any]:
    """A schema with its reference followed, also where one stands alone in `allOf` or `oneOf`."""
    for several in ("allOf", "oneOf"):
        if len(kind.get(several, ())) == 1:
            kind = {**kind, **kind[several][0]}
    reference = kind.get("$ref", "")
    if not reference:
        return kind
    found: dict[str, Any] = schema()["components"]["schemas"][reference.rsplit("/", 1)[1]]
    return found


def _kind(kind: dict[str, Any]) -> str:
    if "enum" in kind:
        return " | ".join(str(value) for value in kind["enum"] if value is not None)
    name = kind.get("type", "object")
    words = " or ".join(name) if isinstance(name, list) else str(name)
    if "minimum" in kind and "maximum" in kind:
        words += f", {kind['minimum']} to {kind['maximum']}"
    return f"{words} ({kind['format']})" if "format" in kind else words


def _curl(method: str, path: str, described: dict[str, Any], example: dict[str, Any]) -> str:
    """How to try it, without the site's address, which the page puts in for `$SITE`."""
    parts: list[str] = []
    if method != "get":
        parts.append(f"-X {method.upper()}")
    if described.get("x-scope"):
        parts.append('-H "Authorization: Bearer $TOKEN"')
    if "body" in example:
        parts.append("-H 'Content-Type: application/json'")
        parts.append(f"-d {shlex.quote(json.dumps(example['body'], ensure_ascii=False))}")
    parts.append(f'"$SITE{example.get("path", path)}"')
    return "curl " + " \\\n  ".join(parts)


def _excerpt(answer: Any) -> str:
    lines = json.dumps(answer, indent=2, ensure_ascii=False).split("\n")
    if len(lines) > _ANSWER_LINES:
        lines = [*lines[:_ANSWER_LINES], f"… {len(lines) - _ANSWER_LINES} more lines"]
    return "\n".join(lines)
