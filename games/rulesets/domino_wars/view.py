"""What each audience may know of a state.

A hand, the contents of a draw pile and a deck are known to their owner until the match is over;
everybody else gets their sizes, the discard piles, and what has been shown in public. Of the order
of their own pile owners know what they settled themselves.
"""

from __future__ import annotations

from typing import Any, Final

from games.engine.decisions import ALL, Audience, Seat
from games.rulesets.domino_wars import opening, turns
from games.rulesets.domino_wars.board import (
    DIRECTION_NAMES,
    NAMES,
    PLAYS,
    SQUARE_NAMES,
    numbers_on,
    plays_on,
)
from games.rulesets.domino_wars.lanes import COVER, SQUARES
from games.rulesets.domino_wars.state import KINDS, PLAY, Dominoes, Opening, Position, Side, State

_AUDIENCE_OF: Final[tuple[Audience, Audience]] = (0, 1)
_NO_SIDE: Final = Side((), ())


def view(state: State, audience: Audience) -> dict[str, Any]:
    """The match for ``audience``; what the keys hold is described in ``view.md``.

    ``legal`` and ``choices`` are filled for the deciding seat alone, since they would tell anybody
    else what is in its hand or pile; ``shown`` of a side holds what effects 0 told everybody.
    """
    opening_up = state if isinstance(state, Opening) else None
    position = state if isinstance(state, Position) else None
    terms = state.terms
    return {
        "phase": _phase(state),
        "ask": None if position is None or position.over else KINDS[position.ask],
        "turn": None if position is None or position.over else position.seat,
        "number": 0 if position is None else position.turn,
        "advantage": terms.advantage,
        "favoured": terms.favoured,
        "items": {
            "domino-repeat": list(terms.repeats),
            "hand-mulligan": list(terms.mulligans),
            "tie-advantage": list(terms.ties),
        },
        "draw_when_stuck": terms.draw_when_stuck,
        "first": state.first,
        "directions": _directions(state),
        "mulligans": [0, 0] if opening_up is None else list(opening_up.left),
        "again": [False, False] if opening_up is None else list(opening_up.again),
        "asked": 0 if opening_up is None else opening_up.round,
        "scores": [0, 0] if position is None else list(position.scores()),
        "cells": [] if position is None else _cells(position),
        "sides": [_side_view(state, seat, audience) for seat in (0, 1)],
        "legal": _legal(position, audience),
        "choices": _choices(position, audience),
        "last": None if position is None else _last(position),
        "passed": []
        if position is None
        else [{"seat": seat, "why": why} for seat, why in position.passed],
        "late": None if position is None else position.late,
    }


def _phase(state: State) -> str:
    if isinstance(state, Position):
        return "over" if state.over else "play"
    if state.first is None:
        return "first"
    if state.decks is None:
        return "deck"
    return "shuffle" if opening.chance_due(state) else "mulligan"


def _directions(state: State) -> list[str] | None:
    if state.first is None:
        return None
    return [DIRECTION_NAMES[seat != state.first] for seat in (0, 1)]


def _cells(position: Position) -> list[dict[str, Any]]:
    second = position.owned[1]
    return [
        {"square": SQUARE_NAMES[at], "number": number, "owner": second >> at & 1}
        for at, number in enumerate(numbers_on(position.board))
        if number is not None
    ]


def _squares(bits: int) -> list[str]:
    return [SQUARE_NAMES[at] for at in range(SQUARES) if bits >> at & 1]


def _last(position: Position) -> dict[str, Any] | None:
    last = position.last
    if last is None:
        return None
    direction = position.direction(last.seat)
    return {
        "seat": last.seat,
        "move": PLAYS[direction][last.code].text,
        "squares": _squares(COVER[direction][last.code]),
        "taken": _squares(last.taken),
    }


def _names(dominoes: Dominoes) -> list[str]:
    return [NAMES[domino] for domino in dominoes]


def _sorted_names(dominoes: Dominoes) -> list[str]:
    return [NAMES[domino] for domino in sorted(dominoes)]


# -- dominoes ------------------------------------------------------------------------------------


def _side_view(state: State, seat: Seat, audience: Audience) -> dict[str, Any]:
    """A seat's dominoes. ``hand`` and ``pile`` are in ascending order; ``order`` is the pile from
    the top with null for what is not known there; ``deck`` is all eight. All four are null where
    this audience may not know them. ``shown`` is what everybody knows: the dominoes at the
    ``bottom`` of the pile, from above to below, those in the ``hand``, and those in the one or the
    other (``either``)."""
    side = state.sides[seat]
    knows = audience in (ALL, seat)
    if side is None:
        deck = state.decks[seat] if isinstance(state, Opening) and state.decks else None
        side = _NO_SIDE
    else:
        deck = side.deck
    known = side.known
    return {
        "hand": _sorted_names(side.hand) if knows else None,
        "hand_size": len(side.hand),
        "pile": _sorted_names(side.pile) if knows else None,
        "pile_size": len(side.pile),
        "order": _order(side, known_all=audience == ALL) if knows else None,
        "deck": _names(deck) if knows and deck is not None else None,
        "discards": _names(side.discards),
        "skip": side.skip,
        "shown": {
            "bottom": _names(side.pile[len(side.pile) - known.sunk :]),
            "hand": _sorted_names(known.held),
            "either": _sorted_names(known.loose),
        },
    }


def _order(side: Side, *, known_all: bool) -> list[str | None]:
    """The pile from the top as its owner knows it. Where only alike ones are left between those
    whose places are known, theirs are known as well."""
    pile, known = side.pile, side.known
    low, high = known.top, len(pile) - known.bottom
    if known_all or len(set(pile[low:high])) <= 1:
        return list(_names(pile))
    return [NAMES[domino] if not low <= at < high else None for at, domino in enumerate(pile)]


def _legal(position: Position | None, audience: Audience) -> dict[str, list[str]]:
    """Only for the seat that is to play: for anybody else it would tell the hand."""
    if (
        position is None
        or position.over
        or position.ask is not PLAY
        or audience != _AUDIENCE_OF[position.seat]
    ):
        return {}
    direction = position.direction(position.seat)
    return {
        NAMES[domino]: [
            play.text.partition(" ")[2] for play in plays_on(position.board, domino, direction)
        ]
        for domino in sorted(set(position.sides[position.seat].hand))
    }


def _choices(position: Position | None, audience: Audience) -> list[str]:
    if position is None or position.over or audience != _AUDIENCE_OF[position.seat]:
        return []
    side = position.sides[position.seat]
    from_ = () if position.ask is PLAY else turns.choosable(side, position.ask)
    return _names(tuple(sorted(set(from_))))
