"""Puzzles: a placement that wins as many pixels as only few do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from games.engine.capabilities import Brought
from games.engine.chance import RandomSource
from games.engine.decisions import Decision
from games.rulesets.domain import board, guessing
from games.rulesets.domain.board import Laid
from games.rulesets.domain.course import applied
from games.rulesets.domain.moves import COLOURS, Move, PlaceShape
from games.rulesets.domain.state import DomainState, members
from games.rulesets.domain.thinking import STRONG, places
from games.rulesets.domain.windows import ground_of

TURN: Final = 8  # the first one with much to choose from
HAND: Final = 10  # shapes: among more one looks too long
LEAST: Final = 400  # pixels


def posed(view: Mapping[str, Any], decision: Decision) -> Mapping[str, Any] | None:
    """The view, where a shape is to be placed: in a puzzle nothing stands that breaks a rule."""
    if decision.kind != "place" or len(view["turns"]) < TURN or not view["pool"]["built_in"]:
        return None
    if len(view["hands"][decision.seat]) > HAND:
        return None
    strict = {**view, "refereeing": "strict", "review": "engine", "offered": None}
    strict |= {"can_challenge": False, "challenged": False}
    state = guessing.determinize(strict)
    laid = state.laid
    sound = all(
        board.is_valid(state.ready_pool, laid[:number], each) for number, each in enumerate(laid)
    )
    return strict if sound else None


def promising(state: DomainState, decision: Decision, random: RandomSource) -> Sequence[Move]:
    """The best that a close look finds."""
    pool, seat = state.ready_pool, decision.seat
    look = STRONG._replace(saving=0, care=(0, 0))
    ground = ground_of(pool, state.terms.red, state.laid)
    found = places(ground, seat, members(state.hands[seat]), look, random)
    return [
        PlaceShape(pool.forms[each.shape].id, COLOURS[each.domain], each.x, each.y, each.angle)
        for each in found
        if board.is_valid(
            pool, state.laid, Laid(seat, each.shape, each.domain, each.x, each.y, each.angle)
        )
    ]


def brought(state: DomainState, decision: Decision, move: Move) -> Brought:
    """By how many pixels the lead grows."""
    if not isinstance(move, PlaceShape):
        return Brought(0, "It wins no pixel.")
    seat = decision.seat
    after = applied(state, ((seat, move),))
    before = board.count(state.ready_pool, state.terms.red, state.laid)
    then = board.count(state.ready_pool, state.terms.red, after.laid)
    mine = then[seat] - before[seat]
    theirs = before[1 - seat] - then[1 - seat]
    value = mine + theirs
    if value <= 0:
        return Brought(value, "It adds nothing to the lead.")
    words = f"It adds {value:,} pixels to the lead: {mine:,} more, and {theirs:,} fewer"
    return Brought(value, f"{words} for the other player.")


def target(best: int) -> int | None:
    """A good part of the most that was found: nobody is to look for single pixels."""
    return best * 85 // 100 // 10 * 10 if best >= LEAST else None


def question(target: int) -> str:
    """What is asked."""
    return f"Place a shape that adds at least {target:,} pixels to your lead."
