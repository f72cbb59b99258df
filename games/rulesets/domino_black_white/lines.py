"""Scoring: the straight lines of three neighbouring cells, all reckoned in one integer.

A placement meets H, V or D if a horizontal, vertical or diagonal line of three filled cells that
contains a new cell sums to 0, 5, 10 or 15, and B if a line that did so sums to 0 or 15.

Every line owns one byte of the integer. It holds ``3 * (sum + 1)`` of the numbers lying on the
line, plus 64 for each of its cells still empty. A full line has the top two bits clear, and then
3, 18, 33 and 48, for the sums 0, 5, 10 and 15, are the only values whose bits 2 and 3 are clear
too. Laying a number adds ``3 * number - 64`` to the lines through its cell, so a placement is one
addition. To find the lines it scored, the probed bits of each byte are taken away from the bit
after it, the line's mark: the mark is left standing only where they are all clear.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from games.rulesets.domino_black_white.board import CELLS, SPOTS, Spot, step

Letter: TypeAlias = Literal["H", "V", "D"]

LETTERS: Final = "HVDB"
H, V, D, B = 1, 2, 4, 8
MET_TEXT: Final[tuple[str, ...]] = tuple(
    ["".join(letter for bit, letter in enumerate(LETTERS) if met >> bit & 1) for met in range(16)]
)
"""The letters met, always in the order HVDB, by their code: the sum of H, V, D and B."""
MET_CODE: Final = {text: met for met, text in enumerate(MET_TEXT) if met != B}
"""The code of every set of letters that can be met; B is never met alone."""
POINTS: Final[tuple[int, ...]] = tuple([met.bit_count() for met in range(16)])

_BYTE: Final = 8
_MISSING: Final = 64
_PROBED: Final = 0b11001100
_MARK: Final = 0b1_00000000  # the bit after the line's byte

_DIRECTIONS: Final[tuple[tuple[Letter, int, int], ...]] = (
    ("D", 1, 1),
    ("D", -1, 1),
    ("V", 0, 1),
    ("H", 1, 0),
)


class Line(msgspec.Struct, frozen=True):
    """Three neighbouring cells in a straight line, and the letter that it scores."""

    letter: Letter
    cells: tuple[int, int, int]


def _lines() -> tuple[Line, ...]:
    found: list[Line] = []
    for letter, right, down in _DIRECTIONS:
        for first in CELLS:
            second, third = step(first, right, down), step(first, 2 * right, 2 * down)
            if second is not None and third is not None:
                found.append(Line(letter, (first, second, third)))
    return tuple(found)


LINES: Final[tuple[Line, ...]] = _lines()
"""All lines: diagonal ones first, then vertical ones, then horizontal ones."""


def _over(letters: str, field: int) -> int:
    """``field`` in the byte of every line of one of ``letters``."""
    return sum(field << _BYTE * at for at, line in enumerate(LINES) if line.letter in letters)


def _through(spot: Spot, field: int) -> int:
    """``field`` in the byte of every line through a cell of ``spot``."""
    cells = set(spot.cells)
    return sum(field << _BYTE * at for at, line in enumerate(LINES) if cells & set(line.cells))


def _line_sums(cell: int, number: int) -> int:
    each = 3 * number - _MISSING
    return sum(each << _BYTE * at for at, line in enumerate(LINES) if cell in line.cells)


EMPTY: Final = _over("HVD", 3 + 3 * _MISSING)
"""The lines of an empty board."""
PROBE: Final[tuple[int, ...]] = tuple([_through(spot, _PROBED) for spot in SPOTS])
MARKS: Final[tuple[int, ...]] = tuple([_through(spot, _MARK) for spot in SPOTS])
LAID: Final[dict[int, tuple[int, ...]]] = {
    cell: tuple([_line_sums(cell, number) for number in range(6)]) for cell in CELLS
}
"""What laying a number on a cell adds to the lines: by cell, then number."""

_V_MARKS: Final = _over("V", _MARK)
_D_MARKS: Final = _over("D", _MARK)
_BELOW_H: Final = _V_MARKS | _D_MARKS


def letters(lines: int, scored: int, extreme: bool) -> int:
    """The code of the letters met, given the lines after a placement and the marks it scored.

    ``extreme`` says whether a 0 or a 5 was laid: a line that sums to 0 or 15 has nothing else.
    The lowest two bits of a scored line are alike for the sums 0 and 15 alone.
    """
    met = D if scored & _D_MARKS else 0
    if scored & _V_MARKS:
        met |= V
    if scored > _BELOW_H:
        met |= H
    if extreme and scored >> _BYTE & ~(lines ^ lines >> 1):
        met |= B
    return met
