"""How an episode stands, for pages to send back with what is done on them: what somebody else has
done meanwhile is not passed over."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from core.refusals import Refusal
from tournaments.models import Episode, Placement, Round
from tournaments.services import repertoire


def standing_of(
    number: int, episode: Episode | None = None, placements: Iterable[Placement] = ()
) -> str:
    """How the main match of round ``number`` stands, for a page to send back with what it does:
    without an ``episode`` it has not been opened. What has been recorded, and settled with it,
    tells one recording from another."""
    if episode is None:
        return f"{number}"
    told = [
        [[each.contestant_id, each.place, each.immune] for each in placements],
        episode.ec_id,
        episode.main_match,
        episode.notes,
        str(game_of(episode.round)),
        str(episode.death_match_at),
        str(episode.choose_by),
    ]
    digest = sha256(json.dumps(told).encode()).hexdigest()[:16]
    return f"{number}-{episode.status}-{digest}"


def standing_now(episode: Episode) -> str:
    """The same of an episode as the database has it."""
    placed = episode.placements.order_by("place", "pk")
    return standing_of(episode.round.number, episode, placed)


def must_stand_as_seen(seen: str | None, standing: str) -> None:
    """Whether things stand as somebody has ``seen`` them; None: they do not say. Raises Refusal
    ``episode.moved-on``."""
    if seen is not None and seen != standing:
        raise Refusal(
            "episode.moved-on",
            "This has moved on since you opened the page: look again before you do anything.",
        )


def game_of(played: Round) -> dict[str, Any] | None:
    """The game that is settled for the death match of an episode; None where none is."""
    own = {"ruleset": played.ruleset, "variant": played.variant, "options": played.options}
    return repertoire.game_fields(own) if played.ruleset else None
