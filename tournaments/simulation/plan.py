"""What a simulation is to play."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from games.rulesets import REGISTRY
from tournaments.items.catalogue import takes_items


class Plan(NamedTuple):
    """What to play. ``quick``: matches end by a concession instead of being played out, and where
    nobody gives items the organiser begins them, without a time and readiness.
    ``drop_outs``, ``no_shows``, ``voids``, ``corrections``: how many of each along the way.
    ``rounds`` None: to the end; else so many rounds, and the season goes on."""

    format: str
    contestants: int
    seed: int
    start: datetime
    name: str = "Simulation"
    quick: bool = False
    drop_outs: int = 0
    no_shows: int = 0
    voids: int = 0
    corrections: int = 0
    best_of: int = 5
    rounds: int | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  (never changed)
    repertoire: tuple[dict[str, Any], ...] = ()
    pace: str = "normal"
    summary: str = "Played by bots, to try the site out."


def repertoire_of_all() -> list[dict[str, Any]]:
    """Every ruleset in its first variant."""
    return [
        {"ruleset": ruleset.id, "variant": ruleset.variants[0].id, "options": {}}
        for ruleset in REGISTRY
    ]


def games_of_final(count: int) -> list[dict[str, Any]]:
    """The games of ``count`` matches: those that know items, again and again, or all of them."""
    games = games_with_items() or repertoire_of_all()
    while len(games) < count:
        games = (games * 2)[:count]
    return games[:count]


def games_with_items() -> list[dict[str, Any]]:
    """One game of each ruleset that knows items, in a variant that does."""
    return [
        {"ruleset": ruleset.id, "variant": variant.id, "options": {}}
        for ruleset in REGISTRY
        for variant in [v for v in ruleset.variants if takes_items(ruleset.id, v.id)][:1]
    ]
