"""The state of a match, and the three things that can happen to it."""

from __future__ import annotations

from typing import Final

import msgspec

from games.engine.decisions import Decision, Seat, other
from games.rulesets.domino_black_white.lines import EMPTY, POINTS, letters
from games.rulesets.domino_black_white.moves import EFFECTS, FULL_HAND, PlaceDomino
from games.rulesets.domino_black_white.reach import HELD_AT_FIRST, OPEN_AT_FIRST, settled

MOST_PLACEMENTS: Final = 31  # 63 cells have room for no more


class PlacedDomino(msgspec.Struct, frozen=True, gc=False):
    """A placement that was made, the letters it met, and the one before it."""

    before: PlacedDomino | None
    place: PlaceDomino
    met: int


class BlackWhiteState(msgspec.Struct, frozen=True, gc=False):
    """A match of Domino Black & White.

    What happened is in the first four fields; the rest follows from them and is carried along.
    ``first`` is None until the order is chosen, ``late`` the seat that ran out of time, ``last``
    the chain of placements from the latest back. ``turn`` is an index of `DECISIONS`; ``hand``
    belongs to the seat to move, ``other_hand`` to its opponent. ``lines`` is described in the
    module of that name, ``open``, ``held`` and ``legal`` are sets of spots. The match is over when
    ``legal`` is empty.

    The letters of each placement are part of what happened, not worked out again: a state that a
    bot makes up from a view keeps the letters that were announced, even where the numbers it had
    to guess would not have met them.
    """

    advantage: Seat
    first: Seat | None
    late: Seat | None
    last: PlacedDomino | None
    turn: int
    hand: int
    other_hand: int
    lines: int
    open: int
    held: int
    legal: int

    @property
    def history(self) -> list[PlacedDomino]:
        """The placements in the order in which they were made."""
        chain = []
        placed = self.last
        while placed is not None:
            chain.append(placed)
            placed = placed.before
        return chain[::-1]

    @property
    def to_move(self) -> Seat | None:
        """The seat with a decision open, or None after the end."""
        return self.turn & 1 if self.legal else None

    def hands(self) -> tuple[int, int]:
        """The dominoes that each seat has left."""
        if self.turn & 1:
            return self.other_hand, self.hand
        return self.hand, self.other_hand

    def placer(self, index: int) -> Seat:
        """The seat that made the placement of that index, counted from 0."""
        return (self.first or 0) ^ (index & 1)

    def scores(self) -> tuple[int, int]:
        """The points of each seat."""
        points = [POINTS[placed.met] for placed in self.history]
        own, others = sum(points[::2]), sum(points[1::2])
        return (own, others) if self.placer(0) == 0 else (others, own)


def _decisions() -> tuple[tuple[Decision, ...], ...]:
    found = [
        (
            Decision(
                id="order", seat=seat, kind="order", clock="choice", prompt="Choose who goes first"
            ),
        )
        for seat in (0, 1)
    ]
    for number in range(1, MOST_PLACEMENTS + 1):
        found += [
            (
                Decision(
                    id=f"place-{number}",
                    seat=seat,
                    kind="place",
                    clock="turn",
                    prompt="Place a domino and hide one half",
                ),
            )
            for seat in (0, 1)
        ]
    return tuple(found)


DECISIONS: Final = _decisions()
"""The open decision of every turn: two entries, by seat, for the order and for each placement."""


def begun(advantage: Seat) -> BlackWhiteState:
    """The state before the order is chosen."""
    return BlackWhiteState(
        advantage=advantage,
        first=None,
        late=None,
        last=None,
        turn=advantage,
        hand=FULL_HAND,
        other_hand=FULL_HAND,
        lines=EMPTY,
        open=OPEN_AT_FIRST,
        held=HELD_AT_FIRST,
        legal=OPEN_AT_FIRST & HELD_AT_FIRST,
    )


def ordered(state: BlackWhiteState, first: Seat) -> BlackWhiteState:
    """The state with the order chosen: ``first`` makes the first placement."""
    return msgspec.structs.replace(state, first=first, turn=2 + first)


def played(
    state: BlackWhiteState, place: PlaceDomino, announced: int | None = None
) -> BlackWhiteState:
    """The state after a legal placement by the seat to move.

    The letters met are found by scoring it, unless they were ``announced``.
    """
    domino, laid, extreme, probe, marks, clear, holds = EFFECTS[place.code]
    lines = state.lines + laid
    if announced is None:
        scored = marks - (lines & probe) & marks
        met = letters(lines, scored, extreme) if scored else 0
    else:
        met = announced
    still_open = settled(state.open & clear)
    held = state.held | holds
    return BlackWhiteState(
        state.advantage,
        state.first,
        state.late,
        PlacedDomino(state.last, place, met),
        (state.turn ^ 1) + 2,
        state.other_hand,
        state.hand ^ domino,
        lines,
        still_open,
        held,
        still_open & held,
    )


def out_of_time(state: BlackWhiteState, seat: Seat) -> BlackWhiteState:
    """The state after the reserve of ``seat`` ran out: the match is over."""
    return msgspec.structs.replace(state, late=seat, legal=0)


def winner(state: BlackWhiteState) -> Seat:
    """Who won a match that is over.

    The seat that did not run out of time; else the one with more points; else the one that placed
    last. Nobody can tie without a placement: an empty board has legal spots, so without one the
    match is not over.
    """
    if state.late is not None:
        return other(state.late)
    one, two = state.scores()
    if one != two:
        return 0 if one > two else 1
    return other(state.turn & 1)
