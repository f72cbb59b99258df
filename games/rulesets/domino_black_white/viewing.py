"""What each audience may know of a state, and what the log tells it.

The number of a hidden half is known to its owner alone until the match is over; everybody else gets
its colour. Nothing else that leaves here may depend on that number: halves are listed and dominoes
written in board order, never by number, and of the opponent's hand only its size is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from games.engine.decisions import ALL, EVERYONE, Audience, Event, Seat
from games.engine.errors import EngineFault
from games.rulesets.domino_black_white.board import spots_in
from games.rulesets.domino_black_white.lines import MET_TEXT, POINTS
from games.rulesets.domino_black_white.moves import (
    DOMINOES,
    HALVES,
    Move,
    Order,
    Place,
    colour,
)
from games.rulesets.domino_black_white.notation import text_of
from games.rulesets.domino_black_white.state import State


def view(state: State, audience: Audience) -> dict[str, Any]:
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
def _cells(place: Place, index: int, seat: Seat, knows: bool) -> tuple[dict[str, Any], ...]:
    """The two filled squares of a placement, for copying: they are wanted again every turn."""
    return tuple(
        {**half, "seat": seat, "domino": index, "partner": partner}
        for half, partner in zip(
            halves(place, knows=knows), reversed(place.spot.squares), strict=True
        )
    )


_AUDIENCE_OF: Final[tuple[Audience, Audience]] = (0, 1)


def _phase(state: State) -> str:
    if not state.legal:
        return "over"
    return "order" if state.first is None else "place"


def _knows(audience: Audience, seat: Seat) -> bool:
    return audience in (ALL, seat)


def dominoes_in(hand: int) -> list[list[int]]:
    """The dominoes of a hand, lower number first, in ascending order."""
    return [list(domino) for index, domino in enumerate(DOMINOES) if hand >> index & 1]


def halves(place: Place, *, knows: bool) -> list[dict[str, Any]]:
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


# -- the log -------------------------------------------------------------------------------------


def events(before: State, seat: Seat, move: Move, after: State) -> Sequence[Event]:
    """What the log says of a move of ``seat``; running out of time is announced by the table."""
    if isinstance(move, Order):
        text = "goes first" if move.first else "goes second"
        return (
            Event(
                kind="order",
                seat=seat,
                text=text,
                seen_by=EVERYONE,
                data={"first": after.first},
            ),
        )
    if not isinstance(move, Place):
        return ()
    if after.last is None:
        raise EngineFault("a placement that left no trace")
    placed = _placed(len(before.history), seat, move, after.last.met)
    if after.legal:
        return (placed,)
    end = Event(kind="end", seat=None, text="No domino can be placed any more.", seen_by=EVERYONE)
    return placed, end


def _placed(index: int, seat: Seat, move: Place, met: int) -> Event:
    scored = f"scored {POINTS[met]} ({MET_TEXT[met]})" if met else "scored nothing"
    shared = {"domino": index, "met": MET_TEXT[met], "points": POINTS[met]}
    number = move.numbers[move.hides]
    open_number = move.numbers[1 - move.hides]
    shown = f"(?,{open_number})" if move.hides == 0 else f"({open_number},?)"
    return Event(
        kind="place",
        seat=seat,
        text=f"placed {_laid(move)}, hiding the {number} on {move.hidden}, and {scored}",
        seen_by=(_AUDIENCE_OF[seat],),
        data={**shared, "move": text_of(move), "halves": halves(move, knows=True)},
        public_text=(
            f"placed {shown} {':'.join(move.spot.squares)}, "
            f"hiding a {colour(number)} half on {move.hidden}, and {scored}"
        ),
        public_data={**shared, "halves": halves(move, knows=False)},
    )


def _laid(move: Place) -> str:
    return text_of(move).partition(" hide ")[0]
