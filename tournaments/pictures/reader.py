"""Reads whatever pages show of a season, for `tournaments.documents.holding`."""

from __future__ import annotations

from tournaments.models import Season
from tournaments.pictures.brackets import bracket_drawing
from tournaments.pictures.links import season_picture
from tournaments.pictures.timelines import timeline
from tournaments.reading.sheet import Sheet


def season_shown(season: Season) -> None:
    """Work out once whatever pages show of a season, and raise what they would stumble over."""
    sheet = Sheet(season)
    for part in (
        "by_standing", "by_round", "planned", "decided", "table", "bracket", "rungs",
        "cross_table", "live_matches",
    ):  # fmt: skip
        getattr(sheet, part)
    sheet.gifts_for(None)
    if sheet.episodes:
        timeline(sheet)
    bracket_drawing(sheet)
    season_picture(sheet)
