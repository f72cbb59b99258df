"""Puzzles: which play leaves the greatest lead, whatever domino the other player answers with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from games.engine.capabilities import Brought
from games.engine.decisions import Decision
from games.rulesets.domino_wars import turns
from games.rulesets.domino_wars.board import NAMES, PLAYS, Play
from games.rulesets.domino_wars.lanes import COVER, DOMINOES, DominoIndex, codes_on
from games.rulesets.domino_wars.moves import Move
from games.rulesets.domino_wars.state import PLAY, Dominoes, Position, Side, State

PLAYED: Final = 8  # plays before there is much to compare


def posed(view: Mapping[str, Any], decision: Decision) -> Mapping[str, Any] | None:
    """The view, where a domino is to be played, both sides have some on the board, and the other
    player may hold any of a deck without doubles: nothing fitted where they were stuck."""
    if decision.kind != "play" or view["number"] < PLAYED:
        return None
    other = 1 - decision.seat
    stuck = {"seat": other, "why": "board"} in view["passed"]
    if stuck or view["items"]["domino-repeat"][other]:
        return None
    side = view["sides"][other]
    return None if side["skip"] or not side["hand_size"] else view


def brought(state: State, decision: Decision, move: Move) -> Brought:
    """The lead in squares after a play and the best answer to it, with any domino that the other
    player can have in hand as far as the seat can tell: what they hold is not looked at. The answer
    follows where nothing else is to be chosen before it."""
    if not isinstance(state, Position) or not isinstance(move, Play):
        return Brought(-99, "")
    seat = decision.seat
    after = turns.played(state, move)
    board, owned = after.board, after.owned
    mine, theirs = owned[seat], owned[1 - seat]
    lead = mine.bit_count() - theirs.bit_count()
    direction = state.direction(1 - seat)
    worst, by = 0, None
    for domino in holdable(state.sides[1 - seat]):
        for code in codes_on(board, domino, direction):
            cover = COVER[direction][code]
            loss = (cover & ~theirs).bit_count() + (cover & mine).bit_count()
            if loss > worst:
                worst, by = loss, PLAYS[direction][code]
    value = lead - worst
    first = f"It makes the lead {_lead(lead)}."
    if by is None:
        return Brought(value, f"{first} No domino can be played in answer that changes it.")
    answer = f"The best answer, with {NAMES[by.domino]} if they hold it, makes it {_lead(value)}."
    return Brought(value, f"{first} {answer}", (by,) if after.ask == PLAY else ())


def holdable(side: Side) -> list[DominoIndex]:
    """The dominoes that may be in this hand as far as the other player can tell."""
    known = side.known
    if len(known.held) == len(side.hand):
        return sorted(known.held)
    if len(side.deck) == len(_told(side)):
        return sorted({*known.held, *known.loose})
    gone = {*side.discards, *_sunk(side)}
    return [domino for domino in range(len(DOMINOES)) if domino not in gone]


def supposed(state: State, decision: Decision, line: Sequence[Move]) -> State:
    """The state with a hand that the answer in ``line`` can be played from."""
    if not isinstance(state, Position):
        return state
    other = 1 - decision.seat
    for answer in line:
        if isinstance(answer, Play) and answer.domino not in state.sides[other].hand:
            side = _holding(state.sides[other], answer.domino)
            sides = (state.sides[0], side) if other else (side, state.sides[1])
            return msgspec.structs.replace(state, sides=sides)
    return state


def _holding(side: Side, domino: DominoIndex) -> Side:
    """A side that looks the same to the other player, with one of `holdable` in the hand."""
    hand, pile = [*side.hand], [*side.pile]
    told = _told(side)
    if domino not in pile:
        # It takes the place of one that nobody has seen; of one in the hand, if there is any.
        unseen = next(each for each in (*hand, *pile) if each not in told)
        place = hand if unseen in hand else pile
        place[place.index(unseen)] = domino
    if domino in pile:
        at = next(n for n, each in enumerate(hand) if each not in side.known.held)
        there = pile.index(domino)
        hand[at], pile[there] = pile[there], hand[at]
    return Side(tuple(hand), tuple(pile), side.discards, side.known, side.skip)


def _sunk(side: Side) -> Dominoes:
    """Those at the bottom of the pile that everybody has seen come there."""
    return side.pile[len(side.pile) - side.known.sunk :]


def _told(side: Side) -> Dominoes:
    """Those of a deck of which everybody knows."""
    return (*side.discards, *side.known.held, *side.known.loose, *_sunk(side))


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
