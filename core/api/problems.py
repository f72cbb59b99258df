"""Refusals as HTTP: problem documents (RFC 9457) with the codes of the sockets.

What is refused says itself of which kind it is, and so of which status (`core.refusals`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import ceil
from typing import Any

import structlog
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpResponse
from rest_framework import exceptions, serializers
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder
from rest_framework.views import exception_handler

from core import away
from core.api.bodies import WHOLE, Faults, field_faults, refused_fields
from core.api.errors import ApiProblem
from core.api.parsing import TooLarge
from core.api.scopes import REALM, ScopeMissing
from core.metrics import REFUSALS
from core.refusals import Refusal

log = structlog.get_logger("gauntlet.api")

PROBLEM = "application/problem+json"


class FaultSerializer(serializers.Serializer[dict[str, Any]]):
    """Something that is wrong with a field."""

    code = serializers.CharField(help_text="Stable.")
    sentence = serializers.CharField(help_text="One sentence to show to people.")


class ProblemSerializer(serializers.Serializer[dict[str, Any]]):
    """Why a request was refused."""

    title = serializers.CharField(help_text="The code in words: always the same for a code.")
    status = serializers.IntegerField(help_text="The HTTP status.")
    code = serializers.CharField(help_text="Stable; `area.reason`, the same as on the sockets.")
    sentence = serializers.CharField(help_text="One sentence to show to people.")
    squares = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="The squares of the board that the sentence is about, where it is about some.",
    )
    fields = serializers.DictField(  # type: ignore[assignment]
        child=FaultSerializer(many=True),
        required=False,
        help_text="What is wrong with which part of the request, by its path, such as "
        f"`contestants.3.seed` (rows count from 0), or `{WHOLE}` for the whole.",
    )
    scope = serializers.CharField(required=False, help_text="The scope that the token lacks.")
    retry_after = serializers.IntegerField(required=False, help_text="Seconds to wait.")


def title_of(code: str) -> str:
    """A code in words, which RFC 9457 wants to be the same each time: ``leg.just-ended`` becomes
    “Leg: just ended”."""
    area, _dot, reason = code.rpartition(".")
    words = f"{area.replace('.', ' ')}: {reason}".replace("-", " ").removeprefix(": ")
    return words[:1].upper() + words[1:]


def _document(status: int, code: str, sentence: str, more: Mapping[str, Any]) -> dict[str, Any]:
    REFUSALS.inc("api", code)
    title = title_of(code)
    return {"title": title, "status": status, "code": code, "sentence": sentence, **more}


def problem(status: int, code: str, sentence: str, **more: Any) -> Response:
    """A problem document: what went wrong as a code and a sentence."""
    return Response(_document(status, code, sentence, more), status=status, content_type=PROBLEM)


def plain_problem(status: int, code: str, sentence: str, **more: Any) -> HttpResponse:
    """The same for those who are outside of the REST framework, such as Django's error pages."""
    text = json.dumps(_document(status, code, sentence, more), cls=JSONEncoder)
    return HttpResponse(text, status=status, content_type=PROBLEM)


def refused(refusal: Refusal, request: Any = None) -> Response:
    """The answer to something that was refused: 400 with `fields` where the body of ``request`` is
    to blame (see `core.api.bodies`), otherwise that of its kind. `squares` where it names some."""
    faults, wrong = refused_fields(refusal, request)
    code, status = refusal.code, 400 if wrong else refusal.status
    if wrong and faults.code() != code:
        return refused_body(faults)
    if refusal.field and not faults:
        faults.add(refusal.field, code, refusal.sentence)
    more: dict[str, Any] = {}
    if refusal.squares:
        more["squares"] = list(refusal.squares)
    if faults:
        more["fields"] = faults.fields
    if refusal.retry_after is None:
        return problem(status, code, refusal.sentence, **more)
    answer = problem(status, code, refusal.sentence, **more, retry_after=refusal.retry_after)
    answer["Retry-After"] = str(refusal.retry_after)
    return answer


def refused_body(faults: Faults) -> Response:
    """The answer to a body with these faults."""
    return problem(400, faults.code(), faults.sentence(), fields=faults.fields)


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: every error of the API is a problem document with a code."""
    if isinstance(error, Refusal):
        return refused(error, context.get("request"))
    if away.is_away(error):
        log.warning("api.away", error=type(error).__name__)
        response = problem(503, away.CODE, away.SENTENCE, retry_after=away.COME_BACK_S)
        response["Retry-After"] = str(away.COME_BACK_S)
        return response
    if isinstance(error, RequestDataTooBig):
        error = TooLarge()
    elif isinstance(error, Http404):
        error = exceptions.NotFound("There is nothing at this address.")
    answered = exception_handler(error, context)
    if answered is None:
        return None
    code, sentence, more = _problem_parts(error)
    response = problem(answered.status_code, code, sentence, **more)
    for name, value in answered.items():
        if name.lower() in {"www-authenticate", "retry-after", "allow"}:
            response[name] = value
    # RFC 6750, 3.1: to whom shows no token nothing is said of one.
    if isinstance(error, ScopeMissing):
        scope = error.more["scope"]
        response["WWW-Authenticate"] = f'{REALM}, error="insufficient_scope", scope="{scope}"'
    elif isinstance(error, exceptions.AuthenticationFailed):
        response["WWW-Authenticate"] = f'{REALM}, error="invalid_token"'
    return response


def _problem_parts(error: Exception) -> tuple[str, str, dict[str, Any]]:
    if isinstance(error, ApiProblem):
        return error.code, error.sentence, error.more
    code = "request.refused"
    if isinstance(error, exceptions.APIException):
        code = f"request.{str(error.default_code).replace('_', '-')}"
    if isinstance(error, exceptions.ValidationError):
        faults = field_faults(error.detail)
        return faults.code(), faults.sentence(), {"fields": faults.fields}
    if isinstance(error, exceptions.ParseError):
        faults = Faults()
        faults.add("", code, str(error.detail))
        return code, str(error.detail), {"fields": faults.fields}
    if isinstance(error, exceptions.NotAuthenticated):
        return code, "This takes an account: please sign in, or send a token.", {}
    more: dict[str, Any] = {}
    wait = getattr(error, "wait", None)  # of Throttled
    if wait is not None:
        more["retry_after"] = ceil(wait)
    return code, str(getattr(error, "detail", "The request was refused.")), more
