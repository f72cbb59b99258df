"""Refusals as HTTP: problem documents (RFC 9457) with the codes of the sockets.

The apps have refusals of their own. They name the class, and the statuses of the codes that are
about the address or the caller rather than about the state of things, in `<app>/api/refusals.py`,
which their `urls.py` imports:

    problems.register(Refusal, {"season.none": 404})
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import ceil
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpResponse
from rest_framework import exceptions, serializers
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.utils.encoders import JSONEncoder
from rest_framework.views import exception_handler

from config.api.errors import ApiProblem
from config.api.parsing import TooLarge

PROBLEM = "application/problem+json"
# Under this name stands what is wrong with a request as a whole, among the `fields` of a problem.
_WHOLE = api_settings.NON_FIELD_ERRORS_KEY

_classes: list[type[Exception]] = []
_statuses: dict[str, int] = {}


class ProblemSerializer(serializers.Serializer[dict[str, Any]]):
    """Why a request was refused."""

    title = serializers.CharField(help_text="The sentence again, where RFC 9457 expects it.")
    status = serializers.IntegerField(help_text="The HTTP status.")
    code = serializers.CharField(help_text="Stable; `area.reason`, the same as on the sockets.")
    sentence = serializers.CharField(help_text="One sentence to show to people.")
    squares = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="The squares of the board that the sentence is about.",
    )
    fields = serializers.DictField(  # type: ignore[assignment]
        required=False, help_text="What is wrong with which part of the request."
    )
    scope = serializers.CharField(required=False, help_text="The scope that the token lacks.")
    retry_after = serializers.IntegerField(required=False, help_text="Seconds to wait.")


def register(refusal: type[Exception], statuses: Mapping[str, int]) -> None:
    """Have refusals of this class answered: 409, unless ``statuses`` says otherwise of a code.

    The class has `code` and `sentence`, perhaps `squares` and `field`. Raises ValueError where a
    code was given another status before.
    """
    if refusal not in _classes:
        _classes.append(refusal)
    for code, status in statuses.items():
        if _statuses.setdefault(code, status) != status:
            raise ValueError(f"{code} has status {_statuses[code]} already")


def status_of(code: str) -> int:
    """The HTTP status of a refusal with this code."""
    return _statuses.get(code, 409)


def _document(status: int, code: str, sentence: str, more: Mapping[str, Any]) -> dict[str, Any]:
    return {"title": sentence, "status": status, "code": code, "sentence": sentence, **more}


def problem(status: int, code: str, sentence: str, **more: Any) -> Response:
    """A problem document: what went wrong as a code and a sentence."""
    return Response(_document(status, code, sentence, more), status=status, content_type=PROBLEM)


def plain_problem(status: int, code: str, sentence: str, **more: Any) -> HttpResponse:
    """The same for those who are outside of the REST framework, such as Django's error pages."""
    text = json.dumps(_document(status, code, sentence, more), cls=JSONEncoder)
    return HttpResponse(text, status=status, content_type=PROBLEM)


def refused(refusal: Any) -> Response:
    """The answer to something that was refused."""
    more: dict[str, Any] = {}
    if hasattr(refusal, "squares"):
        more["squares"] = list(refusal.squares)
    if getattr(refusal, "field", ""):
        more["fields"] = {refusal.field: [refusal.sentence]}
    return problem(status_of(refusal.code), refusal.code, refusal.sentence, **more)


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: every error of the API is a problem document with a code."""
    if isinstance(error, tuple(_classes)):
        return refused(error)
    if isinstance(error, RequestDataTooBig):
        error = TooLarge()
    elif isinstance(error, Http404):
        error = exceptions.NotFound("There is nothing at this address.")
    answered = exception_handler(error, context)
    if answered is None:
        return None
    code, sentence, more = _described(error)
    response = problem(answered.status_code, code, sentence, **more)
    for name, value in answered.items():
        if name.lower() in {"www-authenticate", "retry-after", "allow"}:
            response[name] = value
    return response


def _what_is_wrong(fields: Mapping[str, Any]) -> str:
    names = [name for name in fields if name != _WHOLE]
    if names:
        return f"Some fields are missing or wrong: {', '.join(names)}."
    return " ".join(map(str, fields[_WHOLE]))


def _described(error: Exception) -> tuple[str, str, dict[str, Any]]:
    if isinstance(error, ApiProblem):
        return error.code, error.sentence, error.more
    code = "request.refused"
    if isinstance(error, exceptions.APIException):
        code = f"request.{str(error.default_code).replace('_', '-')}"
    if isinstance(error, exceptions.ValidationError):
        detail = error.detail
        fields = detail if isinstance(detail, dict) else {_WHOLE: detail}
        return code, _what_is_wrong(fields), {"fields": fields}
    if isinstance(error, exceptions.NotAuthenticated):
        return code, "This takes an account: please sign in, or send a token.", {}
    more: dict[str, Any] = {}
    wait = getattr(error, "wait", None)  # of Throttled
    if wait is not None:
        more["retry_after"] = ceil(wait)
    return code, str(getattr(error, "detail", "The request was refused.")), more
