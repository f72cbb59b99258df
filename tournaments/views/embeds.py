"""A season within other sites' pages: its bracket, its standings, and what is on."""

from __future__ import annotations

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import ResolverMatch, reverse
from django.views.decorators.http import require_safe

from core.conditional import answer_to, strong_tag
from core.replica.reading import from_replica
from games.embeds import Embed, embed_at
from games.views.common import explains_refusals
from games.views.embeds import Choice, embedding_page
from games.views.everybody import kept_under
from games.views.framing import framed, theme_of
from tournaments.models import Season
from tournaments.pictures import links
from tournaments.pictures.brackets import bracket_drawing
from tournaments.reading.death_matches import DeathMatchWithLegs
from tournaments.reading.seasons import fingerprint, season_for
from tournaments.reading.sheet import Sheet

#: What can be shown, and what it is called.
STANDINGS, BRACKET, MATCHES = "standings", "bracket", "matches"
PARTS: Final = {STANDINGS: "Standings", BRACKET: "Bracket", MATCHES: "Death matches"}

WIDTH: Final = 560
BRACKET_MOST: Final = 960
#: What stands around the rows of a table, and one of them, in pixels.
_AROUND: Final = 200
_ROW: Final = 44
_LOWEST, _HIGHEST = 240, 1000

#: Which part is embedded by whoever gives the address of a page.
_OF_PAGES: Final = {
    "tournaments:standings": STANDINGS, "embeds:standings": STANDINGS,
    "tournaments:results": BRACKET, "embeds:bracket": BRACKET,
    "tournaments:schedule": MATCHES, "embeds:matches": MATCHES,
}  # fmt: skip


def season_embedded(found: ResolverMatch) -> Embed | None:
    """What a frame of a season's page would show: of its first page the bracket, where there is
    one; of a death match `_of_death_match`. Raises Refusal ``season.none`` and
    ``death-match.none``."""
    name = found.view_name
    part = found.kwargs.get("name", "") if name == "tournaments:embedding" else _OF_PAGES.get(name)
    if part is None and name not in ("tournaments:season", "tournaments:death_match"):
        return None
    sheet = Sheet(season_for(found.kwargs["slug"], None))
    if name == "tournaments:death_match":
        return _of_death_match(sheet, sheet.death_match(found.kwargs["pk"]))
    parts = parts_of(sheet)
    if part is None or (part == BRACKET and name == "tournaments:results"):
        part = BRACKET if BRACKET in parts else STANDINGS
    return embed_of(sheet, part) if part in parts else None


def _of_death_match(sheet: Sheet, found: DeathMatchWithLegs) -> Embed:
    """What a frame of a death match's page would show: the match that is played, else the last that
    was and that everybody may see, else what is on in the season."""
    running = [found.running] if found.running is not None else []
    for leg in (*running, *reversed(found.counting)):
        if leg.match_id is not None:
            embed = embed_at(reverse("games:match", args=[leg.match_id]))
            if embed is not None:
                return embed
    return embed_of(sheet, MATCHES)


def parts_of(sheet: Sheet) -> tuple[str, ...]:
    """What of a season can be shown."""
    return tuple(each for each in PARTS if each != BRACKET or sheet.format.draws_bracket)


def embed_of(sheet: Sheet, part: str) -> Embed:
    """What a frame of a part of a season would show."""
    slug = sheet.season.slug
    width, height = WIDTH, _AROUND + _ROW * max(1, len(sheet.contestants))
    drawing = bracket_drawing(sheet) if part == BRACKET else None
    if drawing is not None:
        width = round(min(drawing.width + 32, BRACKET_MOST))
        height = round(_AROUND + drawing.height * min(1, (width - 32) / drawing.width))
    elif part == MATCHES:
        height = 480
    page = {STANDINGS: "standings", BRACKET: "season", MATCHES: "schedule"}[part]
    if part == STANDINGS and not sheet.format.standings_template:
        page = "contestants"
    return Embed(
        title=f"{PARTS[part]} of {sheet.season.name}",
        frame=reverse(f"embeds:{part}", args=[slug]),
        page=reverse(f"tournaments:{page}", args=[slug]),
        width=width,
        height=min(max(height, _LOWEST), _HIGHEST),
        picture=links.shared(sheet.season),
    )


@framed
@from_replica
def standings(request: HttpRequest, slug: str) -> HttpResponse:
    """A season's standings, and who has won it; where there is no table, who is in and who left."""
    return _shown(request, season_for(slug, request.user), STANDINGS)


@framed
@from_replica
def bracket(request: HttpRequest, slug: str) -> HttpResponse:
    """A season's bracket: drawn, and on a narrow frame by rounds."""
    return _shown(request, season_for(slug, request.user), BRACKET)


@framed
@from_replica
def matches(request: HttpRequest, slug: str) -> HttpResponse:
    """What is on in a season, what is next, and what was decided last."""
    return _shown(request, season_for(slug, request.user), MATCHES)


def _shown(request: HttpRequest, season: Season, part: str) -> HttpResponse:
    """A part of a season, the same for everybody: made once, and sent to nobody who has it."""
    theme = theme_of(request)
    etag = strong_tag("embed", part, theme, fingerprint(season))

    def made() -> HttpResponse:
        sheet = Sheet(season)
        if part not in parts_of(sheet):
            raise Http404("This season has none.")
        context = {
            "season": season,
            "sheet": sheet,
            "state": fingerprint(season),
            "theme": theme,
            "embed": embed_of(sheet, part),
            "part": PARTS[part],
        }
        return render(request, f"embeds/{part}.html", context)

    response = answer_to(request, etag, lambda: kept_under(etag, made))
    response["Cache-Control"] = "public, no-cache"
    return response


@require_safe
@explains_refusals
def embedding(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """The text that puts a part of a season into a page elsewhere, and how it looks there."""
    sheet = Sheet(season_for(slug, None)) if name in PARTS else None
    if sheet is None or name not in parts_of(sheet):
        raise Http404("There is no such thing to embed.")
    others = [
        Choice(PARTS[each], reverse("tournaments:embedding", args=[slug, each]))
        for each in parts_of(sheet)
    ]
    return embedding_page(request, request.path, others)
