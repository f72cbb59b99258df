"""The domain as it looks from a pallet, in all four rotations at once.

A square of a pallet can be covered by where its anchor lies, or not. Turning the domain backwards
instead of each cut-out forwards makes a step on the pallet the same step on every turned domain, so
that a set of squares of the domain becomes one of the pallet by a shift.

A set of squares of the domain, turned, has a *lane* for each rotation. They come in two widths: as
wide as a pallet, to be laid over one, and with room for eight steps each way without leaving the
row or the lane, to be shifted by the way from one square to another.
"""

from __future__ import annotations

from functools import cache
from typing import Final, TypeAlias

from games.engine.chance import RandomSource
from games.rulesets.peg_domain.boards import (
    COLUMNS,
    DOMAIN_SQUARES,
    DOMAIN_STRIDE,
    PALLET_SQUARES,
    SIDE,
    STRIDE,
    members,
    set_of,
)

Table: TypeAlias = tuple[tuple[int, ...], ...]

ROOM: Final = 2 * SIDE - 1
"""Rows and columns of a lane with room for eight steps to any side of its nine by nine squares."""
WIDE_LANE: Final = ROOM * ROOM
_LANE: Final = SIDE * STRIDE
_ONE_LANE: Final = (1 << _LANE) - 1
_ROW: Final = (1 << SIDE) - 1
_FIRST: Final = DOMAIN_STRIDE + 1  # the first square of the domain


def _turned_back(square: int, turns: int) -> tuple[int, int]:
    """Column and row, from 0, of a square of the domain that is turned anticlockwise."""
    column, row = square % DOMAIN_STRIDE - 1, square // DOMAIN_STRIDE - 1
    for _ in range(turns):
        column, row = row, SIDE - 1 - column
    return column, row


def _at(square: int, turns: int, stride: int) -> int:
    column, row = _turned_back(square, turns)
    return row * stride + column


def _table(stride: int, lane: int) -> Table:
    """By row of the domain and the squares of it that are in a set: their bits in all lanes."""
    rows = []
    for row in range(SIDE):
        bits = []
        for column in range(SIDE):
            square = (row + 1) * DOMAIN_STRIDE + column + 1
            bits.append(set_of([turns * lane + _at(square, turns, stride) for turns in range(4)]))
        sets = [0]
        for bit in bits:
            sets += [each | bit for each in sets]
        rows.append(tuple(sets))
    return tuple(rows)


@cache
def _narrow_table() -> Table:
    return _table(STRIDE, _LANE)


@cache
def _wide_table() -> Table:
    return _table(ROOM, WIDE_LANE)


def _turned(squares: int, table: Table) -> int:
    one, two, three, four, five, six, seven, eight, nine = table
    return (
        one[squares >> _FIRST & _ROW]
        | two[squares >> _FIRST + DOMAIN_STRIDE & _ROW]
        | three[squares >> _FIRST + 2 * DOMAIN_STRIDE & _ROW]
        | four[squares >> _FIRST + 3 * DOMAIN_STRIDE & _ROW]
        | five[squares >> _FIRST + 4 * DOMAIN_STRIDE & _ROW]
        | six[squares >> _FIRST + 5 * DOMAIN_STRIDE & _ROW]
        | seven[squares >> _FIRST + 6 * DOMAIN_STRIDE & _ROW]
        | eight[squares >> _FIRST + 7 * DOMAIN_STRIDE & _ROW]
        | nine[squares >> _FIRST + 8 * DOMAIN_STRIDE & _ROW]
    )


def narrow(squares: int) -> int:
    """A set of squares of the domain, turned, in lanes for `laid_over`."""
    return _turned(squares, _narrow_table())


def wide(squares: int) -> int:
    """A set of squares of the domain, turned, in lanes that can be shifted by the difference of two
    `PLACE` that are `NEAR` each other."""
    return _turned(squares, _wide_table())


# -- over a pallet -------------------------------------------------------------------------------

_CORNER: Final = tuple(
    [{square: _at(square, turns, STRIDE) for square in DOMAIN_SQUARES} for turns in range(4)]
)
_COLUMN: Final = tuple(
    [{square: _turned_back(square, turns)[0] for square in DOMAIN_SQUARES} for turns in range(4)]
)


def _window(first: int) -> int:
    return set_of([square for square in PALLET_SQUARES if first <= square % STRIDE < first + SIDE])


# The first column can be left of the pallet; Python counts those from the end.
_WINDOWS: Final = tuple([_window(first) for first in (*range(COLUMNS), *range(-SIDE + 1, 0))])


def laid_over(lanes: int, start: int, target: int, turns: int) -> int:
    """The squares of a pallet that land in the set of `narrow` ``lanes``, where ``start`` lands on
    ``target`` and all is turned by so many quarters, clockwise."""
    lane = lanes >> turns * _LANE & _ONE_LANE
    # What a shift carries round the edge of the pallet lies outside of the nine columns.
    window = _WINDOWS[start % STRIDE - _COLUMN[turns][target]]
    return lane << start >> _CORNER[turns][target] & window


# -- steps on all turned domains -----------------------------------------------------------------

PLACE: Final = tuple([square // STRIDE * ROOM + square % STRIDE for square in range(STRIDE * 18)])
"""By square of a pallet: its number where rows are as long as those of wide lanes."""


def _near(square: int) -> int:
    column, row = square % STRIDE, square // STRIDE
    return set_of(
        [
            each
            for each in PALLET_SQUARES
            if abs(each % STRIDE - column) < SIDE and abs(each // STRIDE - row) < SIDE
        ]
    )


NEAR: Final = tuple([_near(square) for square in range(STRIDE * 18)])
"""By square of a pallet: those that one cut-out can have together with it, and still lie on the
domain."""


_ONE_WIDE_LANE: Final = (1 << WIDE_LANE) - 1
_TARGET: Final = tuple(
    [{_at(square, turns, ROOM): square for square in DOMAIN_SQUARES} for turns in range(4)]
)


def some_target(lanes: int, random: RandomSource) -> tuple[int, int]:
    """A member of a set in wide lanes, which must have one, as a square of the domain and quarter
    turns: each equally likely."""
    at = int(random() * lanes.bit_count())
    turns = 0
    while at >= (count := (lanes & _ONE_WIDE_LANE).bit_count()):
        at -= count
        lanes >>= WIDE_LANE
        turns += 1
    target_of = _TARGET[turns]
    return sorted([target_of[bit] for bit in members(lanes & _ONE_WIDE_LANE)])[at], turns
