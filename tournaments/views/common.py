"""What the pages of seasons share: finding the season, saying no, and not doing the same work
twice for readers who are nobody in particular."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, Protocol
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import http_date, url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache

from accounts.models import User
from core.refusals import Forbidden, NotFound
from games.views.common import explains_refusals, needs_sign_in, signed_in
from games.views.everybody import for_everybody, is_for_one
from tournaments import audience
from tournaments.models import Contestant, Season
from tournaments.reading.seasons import fingerprint, season_for
from tournaments.reading.sheet import Sheet
from tournaments.rights import NONE, PAGES, Right, opens
from tournaments.services.guards import must_hold

#: The methods of pages with a form.
FORMS: Final = ["GET", "HEAD", "POST"]

P = ParamSpec("P")
SheetView = Callable[Concatenate[HttpRequest, Sheet, P], HttpResponse]


class SlugView(Protocol[P]):
    """A page of a season, whose short name Django hands in by its name."""

    def __call__(
        self, request: HttpRequest, /, slug: str, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse: ...


def season_page(view: SheetView[P]) -> SlugView[P]:
    """Hand the view the season of the address, as a sheet; 404 for those who may not know of it.
    A refusal that the view does not handle itself becomes a page that gives its sentence."""

    @explains_refusals
    @wraps(view)
    def wrapped(
        request: HttpRequest, /, slug: str, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        return view(request, Sheet(season_for(slug, request.user)), *args, **kwargs)

    return wrapped


def public_page(view: SheetView[P]) -> SlugView[P]:
    """A page of a season that anybody may read. Readers without an account are answered 304 while
    nothing has changed, or with what was made for the last of them."""

    @season_page
    @wraps(view)
    def wrapped(
        request: HttpRequest, sheet: Sheet, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        if is_for_one(request):
            response = view(request, sheet, *args, **kwargs)
            response["Cache-Control"] = "private, no-cache"
            return response
        season = sheet.season
        response = for_everybody(
            request, fingerprint(season), lambda: view(request, sheet, *args, **kwargs)
        )
        response["Last-Modified"] = http_date(season.changed_at.timestamp())
        is_draft = season.visibility == "draft"
        response["Cache-Control"] = "private, no-cache" if is_draft else "no-cache"
        return response

    return wrapped


def with_user(
    view: Callable[Concatenate[HttpRequest, Sheet, User, P], HttpResponse],
) -> SheetView[P]:
    """Hand the signed-in user to the view too; anybody else is sent to sign in, and then back."""

    @wraps(view)
    def wrapped(
        request: HttpRequest, sheet: Sheet, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        user = signed_in(request)
        if user is None:
            # A form that was sent cannot be sent again by following a link.
            safe = request.method in {"GET", "HEAD"}
            back = request.get_full_path() if safe else sheet.season.get_absolute_url()
            return redirect_to_login(back)
        response = view(request, sheet, user, *args, **kwargs)
        response["Cache-Control"] = "private, no-cache"
        return response

    return wrapped


def organisers_only(
    view: Callable[Concatenate[HttpRequest, Sheet, User, P], HttpResponse],
) -> SlugView[P]:
    """A page of the desk, for those who run the season, or hold a right that opens it
    (`tournaments.rights.PAGES`). Raises Refusal ``season.not-organiser``, and as
    `guards.must_hold` does."""

    @season_page
    @with_user
    @wraps(view)
    def wrapped(
        request: HttpRequest, sheet: Sheet, user: User, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        page = request.resolver_match.url_name if request.resolver_match else ""
        rights = sheet.rights_of(user)
        if rights == NONE:
            raise Forbidden(
                "season.not-organiser", "Only an organiser of this season may see this."
            )
        if not opens(page or "", rights):
            must_hold(rights)
        return view(request, sheet, user, *args, **kwargs)

    return wrapped


def managers_only(
    must_manage: Callable[[Season, User], object],
) -> Callable[[Callable[Concatenate[HttpRequest, User, Season, P], HttpResponse]], SlugView[P]]:
    """Pages about what a season has elsewhere: hand the season to those whom ``must_manage`` lets
    through. Others learn that a public season is run by others, and of a draft nothing."""

    def decorator(
        view: Callable[Concatenate[HttpRequest, User, Season, P], HttpResponse],
    ) -> SlugView[P]:
        @wraps(view)
        def wrapped(
            request: HttpRequest, user: User, /, slug: str, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponse:
            season = Season.objects.visible_to(user).filter(slug=slug).first()
            if season is None:
                raise Http404("There is no such season.")
            must_manage(season, user)
            return view(request, user, season, *args, **kwargs)

        return never_cache(needs_sign_in(explains_refusals(wrapped)))

    return decorator


def shown(
    request: HttpRequest, sheet: Sheet, template: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """A page of a season with what all of them show: the head, the tabs, and who is reading."""
    season = sheet.season
    me = next(
        (
            each
            for each in sheet.contestants
            if request.user.is_authenticated and each.user_id == request.user.pk
        ),
        None,
    )
    rights = sheet.rights_of(request.user)
    manages = Right.RUN in rights
    base = {
        "season": season,
        "state": fingerprint(season),
        "sheet": sheet,
        "me": me,
        "may_manage": manages,
        "desk_opens": {page for page in PAGES if opens(page, rights)},
        "may_shelve": manages or audience.may_shelve(season, request.user),
    }
    return render(request, f"tournaments/{template}", base | context, status=status)


def came_from(request: HttpRequest) -> str:
    """The page of this site that an address leads back to once something is done (``next``); empty
    where it says none, or one elsewhere."""
    address = request.GET.get("next", "")
    allowed = url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return address if allowed else ""


def and_back(address: str) -> str:
    """What stands behind an address that leads back to another page (`came_from`)."""
    return f"?{urlencode({'next': address}, safe='/')}" if address else ""


def contestant_of(sheet: Sheet, pk: int) -> Contestant:
    """A contestant of a season. Raises Refusal ``contestant.none``."""
    if pk not in sheet.by_id:
        raise NotFound("contestant.none", "There is no such contestant.")
    return sheet.by_id[pk]
