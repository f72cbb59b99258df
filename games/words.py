"""What pages call the things that records and rows have short names for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from core.refusals import Refusal
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


def result_told(names: Sequence[str], match: Match) -> str:
    """How a match that is over ended, in a sentence."""
    if match.winner is None and match.waits_until is not None:
        return "The match is void: not both players were there in time."
    if match.winner is None:
        return "The match is void, by an organiser's ruling."
    scores = match.scores if match.winner == 0 else match.scores[::-1]
    how = REASONS.get(match.reason, match.reason)
    return f"{names[match.winner]} won {how}, {scores[0]} to {scores[1]}."


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
