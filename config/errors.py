"""Error pages. Callers of the API get a problem document, others a page, nobody a traceback."""

import sys
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from core import away
from core.api.problems import plain_problem

SENTENCES = {
    400: ("request.bad", "The request could not be understood."),
    403: ("request.permission-denied", "You may not do this."),
    404: ("request.not-found", "There is nothing at this address."),
    500: ("server.error", "Something went wrong on our side. It has been logged."),
    503: (away.CODE, away.SENTENCE),
}


def _answer(request: HttpRequest, status: int, template: str = "", **more: Any) -> HttpResponse:
    code, sentence = SENTENCES[status]
    if request.path.startswith("/api/"):
        answer = plain_problem(status, code, sentence, **more)
        answer["Access-Control-Allow-Origin"] = "*"
        return answer
    return render(request, template or f"{status}.html", {"sentence": sentence}, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400."""
    return _answer(request, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Answer 403."""
    return _answer(request, 403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer 403 for a missing or stale form token."""
    return _answer(request, 403, "403_csrf.html")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404."""
    return _answer(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500; or 503 where the database or Redis is what does not answer."""
    if away.is_away(sys.exc_info()[1]):
        return service_away(request)
    if request.path.startswith("/api/"):
        return _answer(request, 500)
    # Without the request: what fills in the other pages' frame asks the database and the session,
    # and one of them may be what broke.
    return HttpResponse(render_to_string("500.html"), status=500)


def service_away(request: HttpRequest) -> HttpResponse:
    """Answer 503: it passes."""
    if request.path.startswith("/api/"):
        answer = _answer(request, 503, retry_after=away.COME_BACK_S)
    else:
        answer = HttpResponse(render_to_string("503.html"), status=503)
    answer["Retry-After"] = str(away.COME_BACK_S)
    return answer
