"""Pictures for links: what a chat or a social network shows beside the address of a page.

A picture is drawn as SVG of 1200 by 630 pixels and handed out as PNG. It shows only what the room
of a match sees. The type is the site's own, so that it looks the same on every machine.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence

from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from core.clock import now_ms
from core.conditional import answer_to, strong_tag
from games import store
from games.engine.decisions import ROOM
from games.engine.palette import ON_DARK
from games.engine.views import match_view
from games.models import Match
from games.pictures.boards import PNG, board_of, png_of
from games.words import game_name, told_scores

WIDTH, HEIGHT = 1200, 630
GROUND, PANEL, LINE = "#141b22", "#1e2731", "#35414d"
TEXT, MUTED, BRASS = "#f2eee3", "#b4bec8", "#e6b04a"


def fitted(text: str, room: float, size: float, least: float = 26) -> tuple[str, float]:
    """``text`` and a size at which it takes at most ``room`` pixels; shortened if it must be.

    Measured with the width of an average letter, which is near enough for a picture.
    """
    wide = 0.56
    while size > least and len(text) * size * wide > room:
        size -= 2
    most = max(2, int(room / (size * wide)))
    return (text if len(text) <= most else text[: most - 1] + "…"), size


def label(
    x: float,
    y: float,
    text: str,
    *,
    size: float,
    room: float = WIDTH,
    fill: str = TEXT,
    display: bool = False,
    anchor: str = "start",
) -> SafeString:
    """A line of text."""
    shown, fit = fitted(text, room, size)
    family = "Marcellus" if display else "Figtree"
    return format_html(
        '<text x="{}" y="{}" font-family="{}" font-size="{}" fill="{}" text-anchor="{}">{}</text>',
        x, y, family, fit, fill, anchor, shown,
    )  # fmt: skip


def frame(parts: Sequence[SafeString]) -> str:
    """A picture of our size and ground with ``parts`` on it, and the name of the house."""
    return format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}">'
        '<rect width="{w}" height="{h}" fill="{ground}"/>'
        '<rect y="{edge}" width="{w}" height="10" fill="{brass}"/>{parts}'
        '<text x="64" y="{foot}" font-family="Marcellus" font-size="30" letter-spacing="5" '
        'fill="{brass}">GAUNTLET</text></svg>',
        w=WIDTH, h=HEIGHT, ground=GROUND, edge=HEIGHT - 10, brass=BRASS, foot=HEIGHT - 48,
        parts=format_html_join("", "{}", ((part,) for part in parts)),
    )  # fmt: skip


def inset(svg: str, x: float, y: float, width: float, height: float) -> SafeString:
    """Another picture inside the frame; nothing for an empty one."""
    if not svg:
        return mark_safe("")
    return format_html(
        '<image x="{}" y="{}" width="{}" height="{}" preserveAspectRatio="xMidYMid meet" '
        'href="data:image/svg+xml;base64,{}"/>',
        x, y, width, height, b64encode(svg.encode()).decode(),
    )  # fmt: skip


def png_response(
    request: HttpRequest, svg: Callable[[], str], *, what: str, public: bool = True
) -> HttpResponse:
    """The picture of ``what`` as PNG, or 304 where the reader has it; ``svg`` is asked only when
    needed."""

    def make() -> HttpResponse:
        return HttpResponse(png_of(svg(), scale=1), content_type=PNG)

    response = answer_to(request, strong_tag(what), make)
    response["Cache-Control"] = "public, max-age=60" if public else "private, no-cache"
    return response


def match_picture(match: Match, *, above: str = "") -> str:
    """A match as the room sees it now: who plays what, how it stands, and the board.

    ``above``: a line over everything, such as the season it belongs to.
    """
    held = store.seen_by_spectators(match)
    view = match_view(held.ruleset, held.live, ROOM, at=now_ms())
    names = [player.name for player in match.players.all()]
    won, scores = match.winner, told_scores(match)
    parts = [
        format_html('<rect x="640" width="560" height="620" fill="{}"/>', PANEL),
        inset(board_of(held.ruleset, view, names), 670, 40, 500, 540),
        label(64, 92, above or "Death match", size=28, room=540, fill=MUTED),
        label(64, 150, game_name(match.ruleset, match.variant), size=44, room=540, display=True),
    ]
    for seat, name in enumerate(names[:2]):
        y = 250 + 130 * seat
        faded = won is not None and won != seat
        parts.append(
            format_html('<rect x="64" y="{}" width="8" height="92" fill="{}"/>', y, ON_DARK[seat])
        )
        parts.append(label(96, y + 62, name, size=52, room=400, fill=MUTED if faded else TEXT))
        if scores is not None:
            score = str(scores[seat])
            colour = BRASS if won == seat else MUTED
            parts.append(label(604, y + 62, score, size=52, fill=colour, anchor="end", room=100))
    parts.append(label(64, 520, _standing(match, names), size=30, room=540, fill=BRASS))
    return frame(parts)


def _standing(match: Match, names: Sequence[str]) -> str:
    if not match.is_over:
        return "Paused" if match.paused else "Live now"
    return "Void" if match.winner is None else f"{names[match.winner]} won"
