"""Finished pictures of seasons and death matches, for links from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from games.engine.palette import ON_DARK
from games.pictures.links import BRASS, MUTED, PANEL, TEXT, frame, label
from tournaments.lifecycle import STILL_IN, DeathMatchStatus, SeasonStatus, Visibility
from tournaments.models import Contestant, DeathMatch, Season
from tournaments.naming import SIGN_EXPLAINED, name_within, sign_of
from tournaments.pictures.portraits import colour_of, initial_of
from tournaments.reading.death_matches import told_score
from tournaments.reading.sheet import Sheet


def shared(season: Season) -> str:
    """Where the picture is that links to a season show: its own, or one that is drawn where it has
    none, or not everybody may see it."""
    if season.picture is None or season.visibility == Visibility.DRAFT:
        return reverse("tournaments:share", args=[season.slug])
    return season.picture.address(1200)


def season_picture(sheet: Sheet) -> str:
    """A season as a picture of its own: its name, how far it is, and everybody in it."""
    season = sheet.season
    parts = [
        label(64, 92, sheet.format.name, size=28, fill=MUTED),
        label(64, 176, season.name, size=72, room=1072, display=True),
        label(64, 236, standing_text(sheet, NAME_MOST), size=34, room=1072, fill=BRASS),
        format_html('<rect y="290" width="1200" height="220" fill="{}"/>', PANEL),
        *_portraits(sheet.by_standing),
    ]
    return frame(parts)


# What of a name is shown at most where a mark follows, which must not be cut with it.
NAME_MOST: Final = 40
GROUNDS: Final = ("#3a4a5a", "#7c4a12", "#1f5f57", "#6b2f4f", "#43407f", "#4e5a1c")


def _portraits(people: Sequence[Contestant], most: int = 12) -> list[SafeString]:
    shown = people[:most]
    found = []
    for number, each in enumerate(shown):
        x = 64 + number * 90
        out = each.status not in STILL_IN
        name = _name_with_sign(each)
        found.append(
            format_html(
                '<g opacity="{}"><rect x="{}" y="330" width="76" height="76" rx="4" fill="{}"/>{}'
                "{}</g>",
                0.4 if out else 1,
                x,
                GROUNDS[colour_of(each)],
                label(x + 38, 382, initial_of(each.name), size=42, display=True, anchor="middle"),
                label(x + 38, 440, name, size=20, room=84, anchor="middle", fill=MUTED),
            )
        )
    if len(people) > most:
        more = f"and {len(people) - most} more"
        found.append(label(64, 486, more, size=24, fill=MUTED))
    if any(each.user_id is None for each in shown):
        found.append(label(1136, 486, SIGN_EXPLAINED, size=24, anchor="end", fill=MUTED))
    return found


def _name_with_sign(contestant: Contestant) -> str:
    """A name below a portrait, where there is room for seven letters: the sign is one of them."""
    if contestant.user_id is not None:
        return contestant.name
    return f"{Truncator(contestant.name).chars(6)}{sign_of(contestant)}"


def standing_text(sheet: Sheet, name_most: int | None = None) -> str:
    """How far a season is, in a few words; ``name_most``: the letters of a name there is room for,
    where there is little."""
    season = sheet.season
    if season.status == SeasonStatus.ENROLLING:
        count = len(sheet.still_in)
        return f"Enrolling: {count} contestant{'' if count == 1 else 's'} so far"
    if season.status == SeasonStatus.FINISHED and season.winner is not None:
        return f"Won by {name_within(season.winner, name_most)}"
    if season.status == SeasonStatus.CANCELLED:
        return "Called off"
    now = sheet.current
    left = len(sheet.in_contention)
    return f"{now.name}, {left} still in" if now else f"{left} still in"


def death_match_picture(sheet: Sheet, row: DeathMatch) -> str:
    """A death match before or between its games: who meets whom, when it is decided how."""
    sides = (row.home, row.away)
    names = [name_within(side, NAME_MOST) if side else "To be decided" for side in sides]
    words = "Being played" if row.status == DeathMatchStatus.RUNNING else "To be played"
    if row.waits:
        words = "Waits for its players"
    if row.winner is not None:
        words = f"{name_within(row.winner, NAME_MOST)} won"
    scores = None if row.winner is None else told_score(row)
    parts: list[Any] = [
        label(64, 92, sheet.season.name, size=28, fill=MUTED),
        label(64, 156, row.round.name, size=52, room=1072, display=True),
        label(64, 520, words, size=34, room=1072, fill=BRASS),
    ]
    for seat, name in enumerate(names):
        y = 220 + 130 * seat
        faded = row.winner is not None and row.winner != sides[seat]
        parts.append(
            format_html('<rect x="64" y="{}" width="8" height="96" fill="{}"/>', y, ON_DARK[seat])
        )
        parts.append(label(100, y + 66, name, size=60, room=880, fill=MUTED if faded else TEXT))
        if scores is not None:
            parts.append(label(1136, y + 66, str(scores[seat]), size=60, anchor="end", fill=BRASS))
    return frame(parts)
