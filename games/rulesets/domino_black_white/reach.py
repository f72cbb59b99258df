"""Where a domino can lie: sets of spots as bits, brought up to date from placement to placement.

Two sets are kept. *Open* spots can be reached: some sequence of steps left, right and down, without
turning, brings a domino there from wholly above the board through empty cells only. *Held* spots
would carry a domino: one of its cells stands on the floor or on an occupied cell. For a spot with a
wing cell, which always stands on floor, held means that the wing rule is satisfied instead: one of
the wing's two neighbours named by the rule holds part of a domino. Legal is what is both.

Spots of one row have neighbouring bits and the spot below lies 9 bits higher, so a step to the side
is a shift by one and a step down a shift by nine, for flat and upright spots alike. Bits that no
spot owns separate the rows.
"""

from __future__ import annotations

from typing import Final

from games.rulesets.domino_black_white.board import (
    CELL_OF,
    LEFT_WING,
    RIGHT_WING,
    SPOTS,
    UPRIGHT,
    WIDTH,
    WING_NEEDS,
    Spot,
    stands_on_floor,
    step,
)

_WINGS: Final = {CELL_OF[LEFT_WING]: LEFT_WING, CELL_OF[RIGHT_WING]: RIGHT_WING}
_ROW: Final = (1 << WIDTH) - 1

BELOW_TOP: Final = ((1 << 2 * UPRIGHT) - 1) ^ (_ROW | _ROW << UPRIGHT)
"""All bits but those of row R. A spot with a cell in that row is entered straight from above the
board, where every column is free, so it is open as long as both its cells are empty."""


def wing_of(spot: Spot) -> str | None:
    """The wing that a domino on this spot lies in, or None."""
    for cell in spot.cells:
        if cell in _WINGS:
            return _WINGS[cell]
    return None


def _bits(spots: list[Spot]) -> int:
    return sum(1 << spot.at for spot in spots)


def _overlaps_of(laid: Spot) -> int:
    taken = set(laid.cells)
    return _bits([spot for spot in SPOTS if taken & set(spot.cells)])


def _dependents_of(laid: Spot) -> int:
    held = []
    for spot in SPOTS:
        wing = wing_of(spot)
        if wing is None:
            needs = {step(cell, 0, 1) for cell in spot.bottom}
        else:
            needs = {CELL_OF[name] for name in WING_NEEDS[wing]}
        if needs & set(laid.cells):
            held.append(spot)
    return _bits(held)


ALL_SPOTS: Final = _bits(list(SPOTS))
BLOCKED_BY: Final[tuple[int, ...]] = tuple([_overlaps_of(spot) for spot in SPOTS])
"""By the index of a spot: the spots that share a cell with it."""
HELD_BY: Final[tuple[int, ...]] = tuple([_dependents_of(spot) for spot in SPOTS])
"""By the index of a spot: the spots that a domino lying there holds, wing rule included."""

OPEN_AT_FIRST: Final = ALL_SPOTS
HELD_AT_FIRST: Final = _bits(
    [
        spot
        for spot in SPOTS
        if wing_of(spot) is None and any(stands_on_floor(cell) for cell in spot.bottom)
    ]
)


def settled(spots: int) -> int:
    """The open spots among ``spots``, which were all open until some of their number were blocked.

    A stretch of neighbouring spots in a row stays open if it can be entered from above: at the top,
    or at a spot that has an open spot above it. What falls away may have been the way in for what
    lies below, so the search goes on until nothing does.
    """
    while True:
        starts = spots ^ spots & spots << 1
        no_entry = spots ^ spots & spots << WIDTH
        # A stretch plus its first bit carries out into the bit after it. Left to its bits without
        # an entry alone, the carry only gets there if that is all of them.
        sealed = no_entry + starts & spots + starts & BELOW_TOP
        if not sealed:
            return spots
        while sealed:
            end = sealed & -sealed
            start = 1 << ((starts & (end - 1)).bit_length() - 1)
            spots ^= end - start
            sealed ^= end
