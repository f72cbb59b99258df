"""Pictures of a season, its contestants and its main matches: the pages on which they are put up
and looked at, and the pictures themselves."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.auditing.looks import look_record
from accounts.models import User
from core.actions import Action
from core.conditional import answer_to
from core.refusals import NotFound, RefusalKind
from core.replica.reading import from_replica
from core.sizes import takes
from games.views.common import signed_in
from tournaments.actions.pictures import (
    ADD,
    REMOVE,
    REMOVE_SEASON,
    SET,
    SET_SEASON,
    TAKE_OFF,
)
from tournaments.actions.subjects import AtContestant, AtMainMatchPicture, AtRound, AtSeason
from tournaments.models import Contestant, Picture, PictureSize, Season
from tournaments.photographs import BYTES_MAX, SQUARE, WIDE, Shape
from tournaments.reading.sheet import Sheet
from tournaments.views.actions import perform, press
from tournaments.views.common import FORMS, contestant_of, organisers_only, season_page, shown

WEBP: Final = "image/webp"
#: For how long a browser shows a picture without asking whether it is still there.
KEPT_S: Final = 60 * 60


class _Way(NamedTuple):
    """How a picture is cut, and what can be done about it."""

    shape: Shape
    put_up: Action[Any]
    take_off: Action[Any]


_OF_SEASON: Final = _Way(WIDE, SET_SEASON, REMOVE_SEASON)
_OF_CONTESTANT: Final = _Way(SQUARE, SET, REMOVE)


@takes(BYTES_MAX)
@require_http_methods(FORMS)
@season_page
def season_picture(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """The season's picture: to look at, and for its organisers to put up and take off."""
    user = signed_in(request)
    subject = None if user is None else AtSeason(user, sheet)
    return _page(request, sheet, sheet.season, _OF_SEASON, subject)


@takes(BYTES_MAX)
@require_http_methods(FORMS)
@season_page
def contestant_picture(request: HttpRequest, sheet: Sheet, pk: int) -> HttpResponse:
    """A contestant's picture: to look at, and for them and the organisers to put up and take
    off."""
    user, contestant = signed_in(request), contestant_of(sheet, pk)
    subject = None if user is None else AtContestant(user, sheet, contestant)
    return _page(request, sheet, contestant, _OF_CONTESTANT, subject)


def _page(
    request: HttpRequest, sheet: Sheet, owner: Season | Contestant, way: _Way, subject: Any
) -> HttpResponse:
    shape, put_up, take_off = way
    refusal = None if subject is None else put_up.refusal(subject)
    theirs = subject is not None and (refusal is None or refusal.kind is RefusalKind.CONFLICT)
    # What is largest of it is the picture that stands alone.
    width = shape.widths[-1]
    more = {
        "owner": owner,
        "picture": owner.picture,
        "src": "" if owner.picture is None else owner.picture.address(width),
        "width": width,
        "height": shape.height_of(width),
        "alt": _alt_of(owner),
        "may_report": subject is not None and _others(owner.picture, subject),
        "removes": subject is not None and take_off.offered(subject),
    }
    if "remove" in request.POST and subject is not None:
        response = press(request, take_off, subject, back=request.path)
    elif theirs:
        response = perform(
            request, put_up, subject, back=request.path, template="picture.html", more=more
        )
    elif request.method == "POST":
        if refusal is not None:
            raise refusal
        response = redirect_to_login(sheet.season.get_absolute_url())
    elif owner.picture is None:
        raise NotFound("picture.not-there", "There is no picture.")
    else:
        response = shown(request, sheet, "picture.html", more)
    response["Cache-Control"] = "private, no-cache"
    return response


def _alt_of(owner: Season | Contestant) -> str:
    if isinstance(owner, Contestant):
        return owner.shown_name
    return (owner.picture.alt if owner.picture is not None else "") or owner.name


def _others(picture: Picture | None, subject: AtSeason) -> bool:
    return picture is not None and picture.by_id != subject.user.pk


@takes(BYTES_MAX)
@require_http_methods(FORMS)
@organisers_only
def main_match_pictures(
    request: HttpRequest, sheet: Sheet, user: User, number: int
) -> HttpResponse:
    """The pictures of an episode's main match: put up, and taken off."""
    played = sheet.round(number)
    subject = AtRound(user, sheet, played)
    back = subject.address("main_match_pictures", number)
    hung = [
        AtMainMatchPicture(user, sheet, played, each)
        for each in sheet.pictures_of(subject.with_placements)
    ]
    if "remove" in request.POST:
        named = request.POST["remove"]
        chosen = next((each for each in hung if str(each.hung.pk) == named), None)
        if chosen is None:
            raise NotFound("picture.not-there", "There is no such picture.")
        return press(request, TAKE_OFF, chosen, back=back)
    more = {
        "round": played,
        "pictures": [(each.hung, TAKE_OFF.offered(each)) for each in hung],
    }
    return perform(request, ADD, subject, back=back, template="desk_pictures.html", more=more)


@require_safe
@from_replica
def picture(request: HttpRequest, slug: str, digest: str, width: int) -> HttpResponse:
    """A picture in one of its sizes. What has this address never changes, but it may be taken away:
    only browsers keep it, and not for long."""
    size = _size_for(AnonymousUser(), slug, digest, width)
    public = size is not None
    size = size or _size_for(request.user, slug, digest, width)
    if size is None:
        raise Http404("There is no such picture.")
    if size.picture.off_at is not None:
        # Moderators alone see it, here as on its page in the admin site.
        look_record(request, Picture, size.picture)
    data = bytes(size.data)
    response = answer_to(
        request, f'"{digest}-{width}"', lambda: HttpResponse(data, content_type=WEBP)
    )
    # Of a draft, or what moderators alone may see: whoever may not any more has it no longer.
    response["Cache-Control"] = (
        f"private, max-age={KEPT_S}, immutable" if public else "private, no-cache"
    )
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _size_for(reader: Any, slug: str, digest: str, width: int) -> PictureSize | None:
    seen = Picture.objects.visible_to(reader).filter(season__slug=slug, digest=digest)
    sizes = PictureSize.objects.filter(picture__in=seen, width=width)
    return sizes.select_related("picture").order_by("picture").first()
