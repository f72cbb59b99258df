"""The board: 63 cells on a lattice of nine columns A to I and nine rows R (top) to Z.

Columns B to H and rows R to Z make a 7 by 9 block whose two bottom corners, BZ and HZ, are taken
away and stand at the top as wings, AR and IR. A cell is a number, ``9 * row + column``; a set of
cells is an integer with those bits. A spot is a pair of neighbouring cells, where a domino can lie.
"""

from __future__ import annotations

from typing import Final

import msgspec

COLUMNS: Final = "ABCDEFGHI"
ROWS: Final = "RSTUVWXYZ"
WIDTH: Final = len(COLUMNS)
HEIGHT: Final = len(ROWS)

LEFT_WING: Final = "AR"
RIGHT_WING: Final = "IR"
CORNERS: Final = ("BZ", "HZ")  # taken away, and added as the wings
WING_NEEDS: Final = {LEFT_WING: ("BS", "CR"), RIGHT_WING: ("HS", "GR")}
"""A domino may lie in a wing only if one of these squares holds part of a domino."""


def _squares() -> dict[str, int]:
    block = [(row, column) for row in range(HEIGHT) for column in range(1, WIDTH - 1)]
    names = {
        COLUMNS[column] + ROWS[row]: WIDTH * row + column
        for row, column in [*block, (0, 0), (0, WIDTH - 1)]
    }
    kept = {name: cell for name, cell in names.items() if name not in CORNERS}
    return dict(sorted(kept.items(), key=lambda item: item[1]))


CELL_OF: Final[dict[str, int]] = _squares()
"""The cell of every square by its name, in board order: row by row from the top."""

NAME_OF: Final[dict[int, str]] = {cell: name for name, cell in CELL_OF.items()}
CELLS: Final[tuple[int, ...]] = tuple(NAME_OF)


def step(cell: int, right: int, down: int) -> int | None:
    """The cell that many columns to the right and rows down, or None off the board."""
    row, column = divmod(cell, WIDTH)
    row, column = row + down, column + right
    if not (0 <= row < HEIGHT and 0 <= column < WIDTH):
        return None
    reached = WIDTH * row + column
    return reached if reached in NAME_OF else None


def stands_on_floor(cell: int) -> bool:
    """Whether there is floor right under this cell: under Y in columns B and H, under Z in
    columns C to G, and under both wings."""
    return step(cell, 0, 1) is None


class Spot(msgspec.Struct, frozen=True):
    """Two neighbouring cells, ``first`` before ``second`` in board order (left, or above).

    ``at`` is the number of this spot's bit in a set of spots: the first cell for a flat spot, that
    plus 81 for an upright one.
    """

    index: int
    first: int
    second: int
    at: int

    @property
    def flat(self) -> bool:
        """Whether a domino lies flat here; otherwise it stands upright."""
        return self.second == self.first + 1

    @property
    def cells(self) -> tuple[int, int]:
        """Both cells, in board order."""
        return self.first, self.second

    @property
    def squares(self) -> tuple[str, str]:
        """The names of both cells, in board order."""
        return NAME_OF[self.first], NAME_OF[self.second]

    @property
    def bottom(self) -> tuple[int, ...]:
        """The cells with nothing of this spot under them."""
        return self.cells if self.flat else (self.second,)


UPRIGHT: Final = WIDTH * HEIGHT  # added to the number of a cell for an upright spot's bit


def _spots() -> tuple[Spot, ...]:
    flat = [(cell, right, cell) for cell in CELLS if (right := step(cell, 1, 0)) is not None]
    upright = [
        (cell, below, UPRIGHT + cell) for cell in CELLS if (below := step(cell, 0, 1)) is not None
    ]
    return tuple([Spot(index, *each) for index, each in enumerate(flat + upright)])


SPOTS: Final[tuple[Spot, ...]] = _spots()
SPOT_AT: Final[dict[int, Spot]] = {spot.at: spot for spot in SPOTS}
SPOT_OF: Final[dict[tuple[int, int], Spot]] = {spot.cells: spot for spot in SPOTS}


def spots_in(bits: int) -> list[Spot]:
    """The spots of a set of spots, flat ones first, each kind in board order."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(SPOT_AT[lowest.bit_length() - 1])
        bits ^= lowest
    return found
