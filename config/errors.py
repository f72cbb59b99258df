"""Error pages. Callers of the API get a problem document, others a page, nobody a traceback."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from core.api.problems import plain_problem

SENTENCES = {
    400: ("request.bad", "The request could not be understood."),
    403: ("request.permission-denied", "You may not do this."),
    404: ("request.not-found", "There is nothing at this address."),
    500: ("server.error", "Something went wrong on our side. It has been logged."),
}


def _answer(request: HttpRequest, status: int, template: str = "") -> HttpResponse:
    code, sentence = SENTENCES[status]
    if request.path.startswith("/api/"):
        answer = plain_problem(status, code, sentence)
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
    """Answer 500."""
    if request.path.startswith("/api/"):
        return _answer(request, 500)
    # Without the request: what fills in the other pages' frame asks the database and the session,
    # and one of them may be what broke.
    return HttpResponse(render_to_string("500.html"), status=500)
