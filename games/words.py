"""What pages call the things that records and rows have short names for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from core.refusals import Refusal
from games.engine.decisions import Seat
from games.engine.ruleset import Ruleset
from games.models import Match
from games.rulesets import REGISTRY

# How the winner won, to be read after "won".
REASONS = {
    "points": "on points",
    "tie-break": "on the tie-break",
    "timeout": "on time",
    "concession": "by concession",
    "missed-picks": "through missed picks",
    "two-in-a-row": "with two bouts in a row",
    "total": "on the total of all bouts",
    "ruling": "by an organiser's ruling",
}
# How the other one lost, to be read after "lost", where that is another way.
_LOST = {"two-in-a-row": "to two bouts in a row"}


def result_told(names: Sequence[str], match: Match, you: Seat | None = None) -> str:
    """How a match that is over ended, in a sentence; in the second person to the player in seat
    ``you``."""
    if match.winner is None:
        return f"The match is {void_told(match)}."
    how = REASONS.get(match.reason, match.reason)
    if you is None:
        did = f"{names[match.winner]} won {how}"
    elif you == match.winner:
        did = f"You won {how}"
    else:
        did = f"You lost {_LOST.get(match.reason, how)}"
    first = match.winner if you is None else you
    return f"{did}, {match.scores[first]} to {match.scores[1 - first]}."


def void_told(match: Match) -> str:
    """How a match became void: by itself, or by somebody's ruling."""
    if match.waits_until is not None:
        return "void: not both players were there in time"
    return "void, by an organiser's ruling"


def ruleset_named(ruleset_id: str) -> Ruleset[Any, Any] | None:
    """The ruleset of that id, or None for one that the site no longer offers."""
    try:
        return REGISTRY.get(ruleset_id)
    except Refusal:
        return None


def game_name(ruleset_id: str, variant_id: str) -> str:
    """The name of a game for people: the ruleset's, with the variant's where there are several."""
    ruleset = ruleset_named(ruleset_id)
    if ruleset is None:
        return ruleset_id
    if len(ruleset.variants) == 1:
        return ruleset.name
    names = {variant.id: variant.name for variant in ruleset.variants}
    return f"{ruleset.name}: {names.get(variant_id, variant_id)}"


def supplies_named(ruleset_id: str, keys: Iterable[str]) -> list[str]:
    """What a ruleset calls those of its supplies, in its own order; nothing of one that the site no
    longer offers."""
    ruleset, wanted = ruleset_named(ruleset_id), set(keys)
    return [each.name for each in ruleset.supplies if each.key in wanted] if ruleset else []
