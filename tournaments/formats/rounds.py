"""Rounds as formats open them."""

from __future__ import annotations

from datetime import datetime

from tournaments.models import Round, Season, SeasonEvent
from tournaments.services.events import season_event
from tournaments.services.repertoire import game_of_round


def round_create(
    *, season: Season, number: int, name: str, at: datetime, is_final: bool = False
) -> Round:
    """A round with nothing in it yet, in the game of that round."""
    game = game_of_round(season, number)
    return Round.objects.create(
        season=season, number=number, name=name, is_final=is_final, opened_at=at, **game
    )


def round_announce(*, opened: Round, at: datetime) -> None:
    """Say that a round begins, unless it was said before: it had begun, before a correction."""
    if SeasonEvent.objects.filter(round=opened, kind="round.opened").exists():
        return
    begins = "begin" if opened.name.endswith("s") else "begins"
    season_event(
        season=opened.season,
        kind="round.opened",
        words=f"{opened.name} {begins}.",
        data={"round": opened.number, "name": opened.name},
        round=opened,
        at=at,
    )
