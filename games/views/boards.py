"""Boards as PNG, and answers painted on them. Nothing here submits anything."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_POST, require_safe

from accounts.guests import welcomes_guests
from core.refusals import Forbidden, Refusal
from core.sizes import takes
from games import store
from games.audience import audience_of
from games.engine.capabilities import Painting, painting_of
from games.engine.decisions import Decision, Seat
from games.pictures.boards import PNG, as_image, png_of
from games.pictures.clips import must_be_clip
from games.pictures.keeping import picture_response
from games.pictures.positions import Kind, Picture
from games.reading.matches import match_for
from games.store import Held
from games.views.common import explains_refusals, limited

LARGEST_PICTURE = 5 * 1024 * 1024  # bytes


@require_safe
@explains_refusals
def board_svg(request: HttpRequest, match_id: int) -> HttpResponse:
    """The board as the room sees it, whoever asks: for cards, previews and links from elsewhere."""
    return _answer(request, match_id, Kind.NOW_SVG)


@require_safe
@explains_refusals
def board_png(request: HttpRequest, match_id: int) -> HttpResponse:
    """The same as PNG."""
    return _answer(request, match_id, Kind.NOW_PNG)


@require_safe
@explains_refusals
def board_after(request: HttpRequest, match_id: int, number: int) -> HttpResponse:
    """The board after the entry of that number in the room's log. What it shows stays the same."""
    return _answer(request, match_id, Kind.AFTER_PNG, number)


@require_safe
@explains_refusals
def board_after_svg(request: HttpRequest, match_id: int, number: int) -> HttpResponse:
    """The same as SVG."""
    return _answer(request, match_id, Kind.AFTER_SVG, number)


@require_safe
@limited("clip")
@explains_refusals
def board_clip(request: HttpRequest, match_id: int, first: int, last: int) -> HttpResponse:
    """The boards after these two entries of the room's log, and after all between them, as a moving
    picture. Raises Refusal as `must_be_clip` does, ``match.none``, ``match.no-board``."""
    match = match_for(match_id, request.user)
    must_be_clip(first, last)
    return picture_response(request, Picture(match, Kind.CLIP, first, last))


def _answer(request: HttpRequest, match_id: int, kind: Kind, number: int = 0) -> HttpResponse:
    match = match_for(match_id, request.user)
    return picture_response(request, Picture(match, kind, number))


@require_safe
@welcomes_guests
@explains_refusals
def paint_template(request: HttpRequest, match_id: int) -> HttpResponse:
    """The position as a PNG for the player whose decision it is, to paint an answer on."""
    held, seat = _at_the_table(request, match_id)
    decision = _decision(held, seat)
    response = HttpResponse(_template(held, decision), content_type=PNG)
    response["Content-Disposition"] = f'attachment; filename="match-{match_id}-{decision.id}.png"'
    response["Cache-Control"] = "private, no-store"
    return response


@takes(LARGEST_PICTURE)
@welcomes_guests
@require_POST
def paint_read(request: HttpRequest, match_id: int) -> HttpResponse:
    """What a painted picture (the file ``picture``) says, as JSON:
    ``{"readings": [{"text", "picture"}]}``, the picture being a data address; or why not, with
    ``{"code", "sentence", "squares"}``. Nothing is submitted."""
    try:
        held, seat = _at_the_table(request, match_id)
        decision = _decision(held, seat)
        ruleset = held.ruleset
        readings = _painting(held).read_picture(
            held.live.table.state, decision, _template(held, decision), _read_upload(request)
        )
    except Refusal as refusal:
        body = {
            "code": refusal.code,
            "sentence": refusal.sentence,
            "squares": list(refusal.squares),
        }
        return JsonResponse(body, status=refusal.status)
    return JsonResponse(
        {
            "readings": [
                {"text": ruleset.print(each.move), "picture": as_address(each.picture)}
                for each in readings
            ]
        }
    )


def _read_upload(request: HttpRequest) -> bytes:
    upload = request.FILES.get("picture")
    if upload is None:
        raise Refusal("picture.none", "There is no picture in this request.")
    if upload.size is None or upload.size > LARGEST_PICTURE:
        raise Refusal("picture.too-large", "A picture has at most 5 MB.")
    return bytes(upload.read())


def as_address(svg: str) -> str:
    """A picture as the address of an image element."""
    return str(as_image(svg)).partition('src="')[2].partition('"')[0]


def _at_the_table(request: HttpRequest, match_id: int) -> tuple[Held, Seat]:
    match = match_for(match_id, request.user)
    audience = audience_of(match, request.user)
    if audience not in (0, 1):
        raise Forbidden("seat.none", "Only the players of this match answer its decisions.")
    return store.read(match_id), 1 if audience == 1 else 0


def _decision(held: Held, seat: Seat) -> Decision:
    slot = held.live.table.open[seat]
    if slot is None or held.is_over:
        raise Refusal("decision.none", "There is nothing for you to decide right now.")
    return slot.decision


def _painting(held: Held) -> Painting:
    painting = painting_of(held.ruleset)
    if painting is None:
        raise Refusal("picture.not-taken", "This decision is not answered by a picture.")
    return painting


def _template(held: Held, decision: Decision) -> bytes:
    return png_of(_painting(held).template(held.live.table.state, decision), scale=1)
