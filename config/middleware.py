"""Middleware of the site as a whole."""

import time
from collections.abc import Callable
from typing import Any, Final

import structlog
from django.core.exceptions import BadRequest
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
    HttpResponsePermanentRedirect,
)
from django.middleware.common import CommonMiddleware
from django.utils.http import escape_leading_slashes
from structlog.contextvars import bind_contextvars, unbind_contextvars

from accounts.oauth.pages import too_many as oauth_too_many
from config.errors import bad_request, service_away
from core import metrics
from core.api import cors
from core.api.limits import take_form, take_own
from core.conditional import tagged
from games.services.outage import is_awaited
from games.views.common import too_many

log = structlog.get_logger("gauntlet.request")

_TOOK: Final = metrics.histogram(
    "request_seconds",
    "What requests took, of the API and of all else, by the class of their status.",
    ("surface", "status"),
)


# How a process is can be asked of it at any time.
HEALTH: Final = frozenset({"/healthz", "/readyz"})

# What a browser asks pages by, and what one asks for before it asks another site (OAuth's).
OF_PAGES: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST"})


class OneThreadMiddleware:
    """Do nothing, but synchronously, as the innermost layer.

    All our pages are synchronous. Were the innermost layer asynchronous, Django would run each of
    the layers around it in the event loop and hop to a thread and back for every hook; this way one
    hop covers them all (measured on the health page: 5.2 instead of 8.1 ms of processor time).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)


class _Moved(HttpResponsePermanentRedirect):
    # With 301 a client asks again by GET, whatever it asked by: it would be shown a list, and
    # believe that what it meant to write is written (RFC 9110, 15.4.2 and 15.4.9).
    status_code = 308


class SlashMiddleware(CommonMiddleware):
    """Django's own, which leads to the address with a slash at its end; method and body stay."""

    response_redirect_class = _Moved

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> Any:
        """The answer, or the way to the address with the slash: for other sites' pages, too, where
        it is one of the API. Browsers follow no redirect when they ask for leave first."""
        answer = super().process_response(request, response)
        if not isinstance(answer, _Moved) or not request.path.startswith("/api/"):
            return answer
        if request.method == "OPTIONS":
            answer = HttpResponse(status=204, headers=cors.before(cors.METHODS))
        answer["Access-Control-Allow-Origin"] = "*"
        return answer

    def get_full_path_with_slash(self, request: HttpRequest) -> str:
        """The address with the slash. Django's own fails while debugging, lest a body be lost."""
        return escape_leading_slashes(request.get_full_path(force_append_slash=True))


class PlainTextMiddleware:
    """Refuse requests whose address or cookies hold the character that no text in the database can
    hold: what looks for it there would fail. In bodies, forms and serializers refuse it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        query = request.META.get("QUERY_STRING", "")
        if "\0" in request.path or "%00" in query or "\0" in "".join(request.COOKIES.values()):
            return bad_request(request, BadRequest("null character"))
        return self.get_response(request)


class PageMethodsMiddleware:
    """Refuse methods that no page has, outside of the API, which answers them itself. Django's
    views take a PUT for a POST, and the administration whatever it does not know for a GET."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in OF_PAGES or request.path_info.startswith("/api/"):
            return self.get_response(request)
        return HttpResponseNotAllowed(sorted(OF_PAGES))


class FormLimitMiddleware:
    """Count what is sent by pages' forms, in one place for all of them, against
    `GAUNTLET_API_LIMITS`: by account and address together, else by address. What is refused later
    counts, too; the API counts for itself, and so does the sign-in library besides, where guessing
    pays."""

    # Discord sends what all of its people write from a few addresses, each with a signature. What
    # browsers tell by themselves has a bound of its own (`config.violations`): it would use up what
    # people have for their forms.
    NOT_COUNTED: Final = frozenset({"discord:interactions", "csp_reports"})

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, arguments: Any, named: dict[str, Any]
    ) -> HttpResponse | None:
        """Answer 429 where it was one too many."""
        name = "" if request.resolver_match is None else request.resolver_match.view_name
        if (
            request.method != "POST"
            or request.path_info.startswith("/api/")
            or name in self.NOT_COUNTED
        ):
            return None
        is_oauth = request.path_info.startswith(("/oauth/token/", "/oauth/revoke/"))
        standing = take_own(request, "oauth") if is_oauth else take_form(request)
        if standing.remaining >= 0:
            return None
        log.info("forms.throttled", path=request.path)
        return oauth_too_many(standing) if is_oauth else too_many(request, standing)


class PageTagMiddleware:
    """Give what has no tag of its own the tag of its body, and send it to nobody who has it.

    It stays with its reader, and is asked for anew each time: whoever has signed in or out since is
    shown another page. Tokens of forms are another text in every answer, so a page with a form is
    always sent.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = self.get_response(request)
        if (
            request.method not in ("GET", "HEAD")
            or response.status_code != 200
            or not isinstance(response, HttpResponse)
            or response.has_header("ETag")
        ):
            return response
        response.setdefault("Cache-Control", "private, no-cache")
        return response if "no-store" in response["Cache-Control"] else tagged(request, response)


class RequestLogMiddleware:
    """Write one line per request: method, path, status and milliseconds. What is logged on its
    account says which match it is about, where it is about one; which request it is, it says
    already (`config.identified`).

    The query string is left out: it may hold a password-reset token or a search for a person.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        # It stays behind: Django's own line about what it refuses comes after all middleware.
        unbind_contextvars("match")
        response = self.get_response(request)
        took = time.perf_counter() - started
        surface = "api" if request.path.startswith("/api/") else "pages"
        _TOOK.labels(surface, f"{response.status_code // 100}xx").observe(took)
        log.info(
            "request",
            method=request.method,
            path=request.path,
            status=response.status_code,
            ms=round(took * 1000, 1),
        )
        return response

    def process_view(
        self, request: HttpRequest, view: Any, arguments: Any, named: dict[str, Any]
    ) -> None:
        """Note which match it is about."""
        if "match_id" in named:
            bind_contextvars(match=named["match_id"])


class AwaitedMiddleware:
    """Send away whoever comes before this process knows what time it is and whether the service was
    away (`games.services.outage`), but for those who ask how it is."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if is_awaited() and request.path_info not in HEALTH:
            return service_away(request)
        return self.get_response(request)
