"""What each audience may know of a state.

The number of a hidden half is known to its owner alone until the match is over; everybody else gets
its colour. Nothing else that leaves here may depend on that number: halves are listed and dominoes
written in board order, never by number, and of the opponent's hand only its size is told.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from games.engine.decisions import ALL, Audience, Seat
from games.rulesets.domino_black_white.board import spots_in
from games.rulesets.domino_black_white.lines import MET_TEXT
from games.rulesets.domino_black_white.moves import (
    DOMINOES,
    HALVES,
    PlaceDomino,
    colour,
)
from games.rulesets.domino_black_white.state import BlackWhiteState


def view(state: BlackWhiteState, audience: Audience) -> dict[str, Any]:
    """The board, hands and scores for ``audience``.

    ``phase`` is ``order``, ``place`` or ``over``; ``to_move`` the seat that decides, or null;
    ``first`` who placed or will place first, or null; ``late`` who ran out of time, or null.
    ``cells`` lists every filled square, a domino's one after the other: ``square``, ``partner``
    (the square of the other half), ``domino`` (which placement, from 0), ``seat``, ``colour``,
    ``number`` (null where it is hidden from this audience) and ``hidden``. ``met`` has the letters
    of each placement. ``hands`` has each seat's dominoes, null where this audience may not know
    them, and ``left`` how many they are. ``legal`` lists the pairs of squares where a domino can be
    placed, empty unless the phase is ``place``.
    """
    history = state.history
    hands = state.hands()
    return {
        "phase": _phase(state),
        "to_move": state.to_move,
        "advantage": state.advantage,
        "first": state.first,
        "late": state.late,
        "scores": list(state.scores()),
        "cells": [
            {**cell}
            for index, placed in enumerate(history)
            for seat in (state.placer(index),)
            for cell in _cells(placed.place, index, seat, _knows(audience, seat))
        ],
        "met": [MET_TEXT[placed.met] for placed in history],
        "left": [hand.bit_count() for hand in hands],
        "hands": [
            dominoes_in(hand) if _knows(audience, seat) else None for seat, hand in enumerate(hands)
        ],
        "legal": (
            [] if state.first is None else [list(spot.squares) for spot in spots_in(state.legal)]
        ),
    }


@lru_cache(maxsize=1 << 16)
def _cells(place: PlaceDomino, index: int, seat: Seat, knows: bool) -> tuple[dict[str, Any], ...]:
    """The two filled squares of a placement, for copying: they are wanted again every turn."""
    return tuple(
        {**half, "seat": seat, "domino": index, "partner": partner}
        for half, partner in zip(
            halves(place, knows=knows), reversed(place.spot.squares), strict=True
        )
    )


_AUDIENCE_OF: Final[tuple[Audience, Audience]] = (0, 1)


def _phase(state: BlackWhiteState) -> str:
    if not state.legal:
        return "over"
    return "order" if state.first is None else "place"


def _knows(audience: Audience, seat: Seat) -> bool:
    return audience in (ALL, seat)


def dominoes_in(hand: int) -> list[list[int]]:
    """The dominoes of a hand, lower number first, in ascending order."""
    return [list(domino) for index, domino in enumerate(DOMINOES) if hand >> index & 1]


def halves(place: PlaceDomino, *, knows: bool) -> list[dict[str, Any]]:
    """Both halves of a placed domino in board order, as somebody sees them who ``knows`` the hidden
    number or does not."""
    return [
        {
            "square": place.spot.squares[half],
            "colour": colour(place.numbers[half]),
            "number": place.numbers[half] if knows or half != place.hides else None,
            "hidden": half == place.hides,
        }
        for half in HALVES
    ]
