"""What there is: the index of the API, and its schema."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from django.http import HttpResponse
from django.urls import NoReverseMatch, get_resolver, reverse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.views import ApiView
from core.env import ROOT

SNAPSHOT = ROOT / "docs" / "openapi.json"


class IndexView(ApiView):
    """The entrance."""

    @extend_schema(
        operation_id="index",
        tags=["about"],
        summary="Where to begin",
        responses={
            200: {
                "type": "object",
                "additionalProperties": {"type": "string", "format": "uri"},
            }
        },
    )
    def get(self, request: Request) -> Response:
        """The addresses of everything that can be had without naming one thing first."""
        return Response({name: request.build_absolute_uri(path) for name, path in _entrances()})


class SchemaView(ApiView):
    """The schema of the API, as OpenAPI 3.1."""

    max_age = 300

    @extend_schema(
        operation_id="schema",
        tags=["about"],
        summary="This schema",
        responses={200: OpenApiTypes.OBJECT},
    )
    def get(self, request: Request) -> HttpResponse:
        """What every endpoint takes and answers."""
        return HttpResponse(schema_text(), content_type=JSONRenderer.media_type)


def _entrances() -> list[tuple[str, str]]:
    found = []
    for name in get_resolver().namespace_dict["api"][1].reverse_dict:
        if isinstance(name, str):
            try:
                found.append((name, reverse(f"api:{name}")))
            except NoReverseMatch:  # it needs to know of which thing
                continue
    return sorted(found)


@cache
def schema_text() -> str:
    """The schema as it is committed in docs/openapi.json: sorted, indented."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


@cache
def schema() -> dict[str, Any]:
    """The schema, made from the views; treat it as read-only."""
    made: dict[str, Any] = SchemaGenerator(api_version="1").get_schema(request=None, public=True)
    _share(made)
    return made


def response_of(answer: dict[str, Any]) -> dict[str, Any]:
    """A described response, perhaps one of those that all operations share."""
    reference = answer.get("$ref", "")
    if not reference:
        return answer
    found: dict[str, Any] = schema()["components"]["responses"][reference.rsplit("/", 1)[1]]
    return found


def _share(made: dict[str, Any]) -> None:
    """Write headers and errors that many operations have once, and refer to them."""
    headers: dict[str, Any] = {}
    responses: dict[str, Any] = {}
    for item in made["paths"].values():
        for operation in item.values():
            for status, answer in operation["responses"].items():
                for name, header in answer.get("headers", {}).items():
                    if headers.setdefault(name, header) == header:
                        answer["headers"][name] = {"$ref": f"#/components/headers/{name}"}
                name = f"Error{status}"
                if int(status) >= 400 and responses.setdefault(name, answer) == answer:
                    operation["responses"][status] = {"$ref": f"#/components/responses/{name}"}
    made["components"]["headers"] = dict(sorted(headers.items()))
    made["components"]["responses"] = dict(sorted(responses.items()))
