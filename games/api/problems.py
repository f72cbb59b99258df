"""Refusals as HTTP: problem documents (RFC 9457) with the codes of the sockets."""

from __future__ import annotations

from math import ceil
from typing import Any

from django.core.exceptions import RequestDataTooBig
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from games.api.parsing import TooLarge
from games.engine.errors import Refusal

PROBLEM = "application/problem+json"

# Refusals that are about the address or the caller rather than about the state of a match.
_STATUS = {
    "match.none": 404,
    "seat.none": 403,
    "organiser.not-allowed": 403,
    "account.closed": 403,
    "frame.malformed": 400,
    "saved.none": 404,
    "setup.ruleset": 404,
}


def problem(status: int, code: str, sentence: str, **more: Any) -> Response:
    """A problem document: what went wrong as a code and a sentence."""
    body = {"title": sentence, "status": status, "code": code, "sentence": sentence, **more}
    return Response(body, status=status, content_type=PROBLEM)


def refused(refusal: Refusal) -> Response:
    """The answer to something that was refused: 409 unless the code says otherwise."""
    status = _STATUS.get(refusal.code, 409)
    return problem(status, refusal.code, refusal.sentence, squares=list(refusal.squares))


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: every error of the API is a problem document with a code."""
    if isinstance(error, Refusal):
        return refused(error)
    if isinstance(error, RequestDataTooBig):
        error = TooLarge()
    answered = exception_handler(error, context)
    if answered is None:
        return None
    more: dict[str, Any] = {}
    code = "request.refused"
    if isinstance(error, exceptions.APIException):
        code = f"request.{str(error.default_code).replace('_', '-')}"
    wait = getattr(error, "wait", None)  # of Throttled
    if wait is not None:
        more["retry_after"] = ceil(wait)
    if isinstance(error, exceptions.ValidationError):
        more["fields"] = error.detail
        sentence = "Some fields are missing or wrong."
    else:
        sentence = str(getattr(error, "detail", "The request was refused."))
    response = problem(answered.status_code, code, sentence, **more)
    for name, value in answered.items():
        if name.lower() in {"www-authenticate", "retry-after", "allow"}:
            response[name] = value
    return response
