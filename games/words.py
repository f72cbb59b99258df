"""What pages call the things that records and rows have short names for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from core.refusals import Refusal
from games.engine.capabilities import supplies_of
from games.engine.decisions import Seat
from games.engine.reasons import COMMON, Reason
from games.engine.ruleset import Ruleset
from games.models import Match
from games.options.pace import is_live
from games.rulesets import REGISTRY


def result_text(names: Sequence[str], match: Match, you: Seat | None = None) -> str:
    """How a match that is over ended, in a sentence; in the second person to the player in seat
    ``you``."""
    if match.winner is None:
        return f"The match is {void_text(match)}."
    if you is None:
        return f"{names[match.winner]} won {won_by(match)}."
    if you == match.winner:
        return f"You won {won_by(match)}."
    return f"You lost {how_lost(match)}{_score_after(match, you)}."


def won_by(match: Match) -> str:
    """How the winner won and by how much, to be read after "won"."""
    return how_won(match) + ("" if match.winner is None else _score_after(match, match.winner))


def _score_after(match: Match, first: Seat) -> str:
    scores = told_scores(match)
    return "" if scores is None else f", {points(scores[first])} to {points(scores[1 - first])}"


def told_scores(match: Match) -> tuple[int, int] | None:
    """The scores of a match that is over, by seat, where they tell something: they decided it, or
    somebody had scored (`Ruleset.tells_score`, by which the page's scripts go as well)."""
    if not match.is_over or len(match.scores) != 2:
        return None
    first, second = scores = (int(match.scores[0]), int(match.scores[1]))
    ruleset = ruleset_named(match.ruleset)
    # Of a ruleset that is not here any more it is known that its matches began level.
    tells = first != second if ruleset is None else ruleset.tells_score(match.reason, scores)
    return scores if tells else None


def points(score: int) -> str:
    """A score as people read it: thousands apart, as on the board."""
    return f"{score:,}"


def how_won(match: Match) -> str:
    """How the winner won, to be read after "won"."""
    reason = reason_of(match)
    return match.reason if reason is None else reason.how


def how_lost(match: Match) -> str:
    """How the other one lost, to be read after "lost"."""
    reason = reason_of(match)
    return how_won(match) if reason is None else reason.how_lost or reason.how


def reason_of(match: Match) -> Reason | None:
    """The way in which a match ended; None of a ruleset that the site no longer offers, and of one
    that has no such end any more."""
    ruleset = ruleset_named(match.ruleset)
    own = () if ruleset is None else ruleset.reasons
    return next((each for each in (*own, *COMMON) if each.id == match.reason), None)


def void_text(match: Match) -> str:
    """How a match became void: by itself, or by somebody's ruling."""
    if match.was_unattended:
        return "void: not both players were there in time"
    if match.waits_until is not None:
        return "void: it never began"
    return "void, by an organiser's ruling"


def is_in_turns(match: Match) -> bool:
    """Whether the players of a match need not be there together, not for it to begin either."""
    ruleset = ruleset_named(match.ruleset)
    return ruleset is not None and not is_live(ruleset, match.options)


def begins_when(match: Match) -> str:
    """When a match that waits for its players begins, to be read after "It begins"."""
    return f"when both {LOOKED_IN}" if is_in_turns(match) else "when both are there"


LOOKED_IN: Final = "have looked in and their numbers are open"
"""What a match waits for whose players need not be there together, to be read after who they are:
what their browsers or programs have added to its draws is opened when they are there."""


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
    return [each.name for each in supplies_of(ruleset) if each.key in wanted] if ruleset else []


def turns_text(count: int) -> str:
    """How many matches wait for somebody, for those who cannot see the badge. As `turnsText` of the
    pages' script has it."""
    if count == 0:
        return "No match waits for your move"
    waiting = "1 match waits" if count == 1 else f"{count} matches wait"
    return f"{waiting} for your move"
