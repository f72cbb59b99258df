"""The schema that the views describe: OpenAPI 3.1 by drf-spectacular.

Errors that every endpoint of a kind may answer are added here, so that views name their own only.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse
from rest_framework.permissions import SAFE_METHODS, IsAuthenticated

from core.api.problems import PROBLEM, ProblemSerializer
from core.api.scopes import Scope, scope_of
from core.api.views import ApiView

_ERRORS = {
    400: "A parameter, a field or the JSON itself is wrong.",
    401: "Nobody is signed in, or the token is not (or no longer) good.",
    403: "The caller, or the token, may not do this.",
    404: "There is no such thing, or none that the caller may see.",
    406: "The answer is not to be had in the media type asked for.",
    409: "The state of things does not allow it: the code says what stands in the way.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    429: "Too many requests. `Retry-After` and `retry_after` say how many seconds to wait.",
}
# Filters that mean the same everywhere; others say "Only those with this …".
_FILTERS = {
    "search": "Part of a name, in any case.",
    "since": "Then or later.",
    "until": "Before then.",
}
_TEXT = {"schema": {"type": "string"}}
_NUMBER = {"schema": {"type": "integer"}}
_ALWAYS = {
    "RateLimit-Limit": {"description": "Requests a minute.", **_NUMBER},
    "RateLimit-Remaining": {"description": "Requests left.", **_NUMBER},
    "RateLimit-Reset": {"description": "Seconds until they are whole again.", **_NUMBER},
}
_VERSION = {
    "ETag": {"description": "The version, for `If-None-Match`.", **_TEXT},
}


class ApiSchema(AutoSchema):
    """What the framework cannot know about our views."""

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        """The operation, with the scope that it needs."""
        operation = super().get_operation(*args, **kwargs)
        if operation and isinstance(self.view, ApiView):
            scope = scope_of(self.view, self.method)
            public = self.method in SAFE_METHODS and not self._needs_account()
            operation["x-scope"] = None if public and scope is Scope.READ else scope.value
        return operation

    # The framework takes all that a list view has for every method of it, but filters, order and
    # pages are for reading.
    def get_filter_backends(self) -> Any:
        """The filters of what reads; none for what writes."""
        return super().get_filter_backends() if self.method in SAFE_METHODS else []

    def _get_paginator(self) -> Any:
        if self.method not in SAFE_METHODS:
            return None
        return super()._get_paginator()  # type: ignore[no-untyped-call]

    def _get_parameters(self) -> list[Any]:
        parameters = super()._get_parameters()
        view = self.view
        if not isinstance(view, ApiView):
            return parameters
        named = {each["name"] for each in parameters}
        whose = getattr(view, "within", "")
        takes_fields = "fields" in view.query_names(self.method) and "fields" not in named
        if self.method in SAFE_METHODS and takes_fields:
            parameters.append(
                {
                    "name": "fields",
                    "in": "query",
                    "required": False,
                    "description": "Only these fields of each "
                    f"{f'of the `{whose}`' if whose else 'object'}, separated by commas. What is "
                    "not asked for is left out, even where the schema of the answer requires it.",
                    "schema": {"type": "string"},
                }
            )
        for parameter in parameters:
            if parameter["in"] == "query" and not parameter.get("description"):
                name = parameter["name"]
                usual = f"Only those with this {name.replace('_', ' ')}."
                parameter["description"] = _FILTERS.get(name, usual)
        if getattr(self._handler(), "idempotent", False):
            parameters.append(
                {
                    "name": "Idempotency-Key",
                    "in": "header",
                    "required": False,
                    "description": "Chosen by the caller: sent again with it within a day, the "
                    "request counts once and gets the first answer.",
                    "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
                }
            )
        return parameters

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        bodies = super()._get_response_bodies(direction)
        if direction != "response" or not isinstance(self.view, ApiView):
            return bodies
        # Views may name an error by its status alone.
        bare = [int(status) for status, body in bodies.items() if "content" not in body]
        for error in sorted({*self._errors(), *(status for status in bare if status >= 400)}):
            if error in bare:
                del bodies[str(error)]
            answer = OpenApiResponse(ProblemSerializer, description=_ERRORS.get(error, ""))
            body = self._get_response_for_code(  # type: ignore[no-untyped-call]
                answer, str(error), [PROBLEM]
            )
            bodies.setdefault(str(error), body)
        if self.method == "GET":
            bodies.setdefault("304", {"description": "The caller has this version already."})
        for status, body in bodies.items():
            # Views may name problems without saying their media type each time.
            content = body.get("content", {})
            if int(status) >= 400 and "application/json" in content:
                body["content"] = {PROBLEM: content["application/json"]}
            headers = dict(_ALWAYS)
            if self.method == "GET" and int(status) in (200, 304):
                headers |= _VERSION
            if status == "429":
                headers["Retry-After"] = {"description": "Seconds to wait.", **_NUMBER}
            body["headers"] = {**headers, **body.get("headers", {})}
        return bodies

    def _errors(self) -> list[int]:
        errors = [400, 401, 406, 429]
        if "{" in self.path:
            errors.append(404)
        if self.method not in SAFE_METHODS:
            errors += [403, 404, 409]
            if self.method != "DELETE":
                errors += [413, 415]
        elif scope_of(self.view, self.method) is not Scope.READ:
            errors.append(403)
        return sorted(set(errors))

    def _handler(self) -> Any:
        return getattr(self.view, self.method.lower(), None)

    def _needs_account(self) -> bool:
        return IsAuthenticated in self.view.permission_classes
