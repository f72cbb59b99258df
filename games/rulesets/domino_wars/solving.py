"""Puzzles: which play leaves the greatest lead, whatever domino the other player answers with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from games.engine.capabilities import Brought
from games.engine.decisions import Decision
from games.rulesets.domino_wars import turns
from games.rulesets.domino_wars.board import NAMES, PLAYS, Play
from games.rulesets.domino_wars.lanes import COVER, DOMINOES, codes_on
from games.rulesets.domino_wars.moves import Move
from games.rulesets.domino_wars.state import Position, State

PLAYED: Final = 8  # plays before there is much to compare


def posed(view: Mapping[str, Any], decision: Decision) -> Mapping[str, Any] | None:
    """The view, where a domino is to be played and both sides have some on the board."""
    if decision.kind != "play" or view["number"] < PLAYED:
        return None
    other = view["sides"][1 - decision.seat]
    return None if other["skip"] or not other["hand_size"] else view


def brought(state: State, decision: Decision, move: Move) -> Brought:
    """The lead in squares after a play and the best answer to it, with any domino that is not on
    the other player's discard pile: what they hold is not looked at."""
    if not isinstance(state, Position) or not isinstance(move, Play):
        return Brought(-99, "")
    seat = decision.seat
    after = turns.played(state, move)
    board, owned = after.board, after.owned
    mine, theirs = owned[seat], owned[1 - seat]
    lead = mine.bit_count() - theirs.bit_count()
    side = state.sides[1 - seat]
    gone = set() if state.terms.repeats[1 - seat] else set(side.discards)
    direction = state.direction(1 - seat)
    worst, by = 0, None
    for domino in range(len(DOMINOES)):
        if domino in gone:
            continue
        for code in codes_on(board, domino, direction):
            cover = COVER[direction][code]
            loss = (cover & ~theirs).bit_count() + (cover & mine).bit_count()
            if loss > worst:
                worst, by = loss, PLAYS[direction][code]
    value = lead - worst
    first = f"It makes the lead {_lead(lead)}."
    if by is None:
        return Brought(value, f"{first} No domino can be played in answer that changes it.")
    answer = f"The best answer, with {NAMES[by.domino]}, makes it {_lead(value)}."
    return Brought(value, f"{first} {answer}")


def _lead(lead: int) -> str:
    if lead == 0:
        return "even"
    many = "1 square" if abs(lead) == 1 else f"{abs(lead)} squares"
    return many if lead > 0 else f"{many} for the other player"


def target(best: int) -> int | None:
    """The greatest lead."""
    return best


def question(target: int) -> str:
    """What is asked."""
    asked = "Which play leaves you best off after the best answer"
    return f"{asked}, whatever domino the other player may hold?"
