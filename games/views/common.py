"""What the pages share."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from accounts.models import User
from core.api.limits import LimitStatus, TooMany, take_own
from core.conditional import answer_to, weak_tag
from core.refusals import Refusal, RefusalKind
from games.models import Match

P = ParamSpec("P")
Row = TypeVar("Row", bound=Model)
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

PER_PAGE = 24
# A script that keeps lists up to date asks for the changing part of a page alone.
FRAGMENT_HEADER = "X-Fragment"
# A token against forged forms looks different each time, and is good for as long as its secret.
_TOKENS = re.compile(rb'(name="csrfmiddlewaretoken" value=)"[^"]*"')


def explains_refusals(view: View[P]) -> View[P]:
    """Answer a refusal that a view does not handle itself with a page that gives its sentence."""

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Refusal as refusal:
            if refusal.kind is RefusalKind.NOT_FOUND:
                raise Http404(refusal.sentence) from refusal
            return problem(request, refusal)

    return wrapped


def problem(request: HttpRequest, refusal: Refusal, *, match: Match | None = None) -> HttpResponse:
    """A page that says why something cannot be done, and leads to the match that it is about, for
    whoever may see that."""
    context = {"refusal": refusal, "match": match}
    answer = render(request, "games/problem.html", context, status=refusal.status)
    return retried(answer, refusal)


def retried(answer: HttpResponse, refusal: Refusal) -> HttpResponse:
    """The same answer; where waiting helps, it says how long."""
    if refusal.retry_after is not None:
        answer["Retry-After"] = str(refusal.retry_after)
    return answer


def too_many(request: HttpRequest, standing: LimitStatus) -> HttpResponse:
    """The page for whoever has used a limit up."""
    refused = TooMany(standing)
    context = {"refusal": refused}
    answer = render(request, "games/problem.html", context, status=refused.status_code)
    answer["Retry-After"] = str(refused.wait)
    return answer


def limited(limit: str) -> Callable[[View[P]], View[P]]:
    """Have a page, or a picture, count against a limit of `GAUNTLET_API_LIMITS` that is its own.
    What is refused later counts, too."""

    def counted(view: View[P]) -> View[P]:
        @wraps(view)
        def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            standing = take_own(request, limit)
            if standing.remaining >= 0:
                return view(request, *args, **kwargs)
            return too_many(request, standing)

        return wrapped

    return counted


def signed_in(request: HttpRequest) -> User | None:
    """Who asks, or None."""
    return request.user if isinstance(request.user, User) else None


def needs_sign_in(
    view: Callable[Concatenate[HttpRequest, User, P], HttpResponse],
) -> View[P]:
    """Hand the signed-in user to the view; anybody else is sent to sign in, and then back."""

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        user = signed_in(request)
        if user is None:
            # A form that was sent cannot be sent again by following a link.
            back = request.get_full_path() if request.method in {"GET", "HEAD"} else "/lobby/"
            return redirect_to_login(back)
        return view(request, user, *args, **kwargs)

    return wrapped


def one_page(request: HttpRequest, rows: QuerySet[Row]) -> Page[Row]:
    """The page of ``rows`` that the address asks for; a wrong number gives the nearest one."""
    return Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))


def render_live(
    request: HttpRequest, template: str, fragment: str, context: dict[str, object]
) -> HttpResponse:
    """A page, or where a script asks for it only its changing part. Neither may be reused without
    asking; whoever has the part as it is now is told so (304)."""
    alone = FRAGMENT_HEADER in request.headers
    response = render(request, fragment if alone else template, context)
    if alone:
        content = response.content
        response = answer_to(request, _tag_of(request, content), lambda: HttpResponse(content))
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, [FRAGMENT_HEADER])
    return response


def _tag_of(request: HttpRequest, content: bytes) -> str:
    same, forms = _TOKENS.subn(rb"\1", content)
    return weak_tag(same, request.META.get("CSRF_COOKIE", "") if forms else "")


def forbid_caching(response: HttpResponse) -> HttpResponse:
    """The same answer, of a page or of a part of it, to be kept by nobody: it changes as others
    answer."""
    response["Cache-Control"] = "private, no-store"
    patch_vary_headers(response, [FRAGMENT_HEADER])
    return response
