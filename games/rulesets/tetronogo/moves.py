"""What can be submitted in a match of Tetronogo."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from games.engine.notation import square_name

LETTERS = "OISZLJT"
SIZE = 12  # squares along each side of the board
SQUARES = SIZE * SIZE

Letter: TypeAlias = str  # one of LETTERS
Order: TypeAlias = Literal["first", "second"]


_NAMES = tuple(square_name(square % SIZE, square // SIZE) for square in range(SQUARES))


def name(square: int) -> str:
    """``D4`` for square 39."""
    return _NAMES[square]


class Pick(msgspec.Struct, frozen=True, gc=False, tag="pick"):
    """A player's tetromino for the bout."""

    letter: Letter


class Start(msgspec.Struct, frozen=True, gc=False, tag="start"):
    """Whether the chooser goes first or second in the bout."""

    order: Order


class PlaceTetromino(msgspec.Struct, frozen=True, gc=False, tag="place"):
    """The mover's tetromino on the board.

    ``square`` (0 to 143, row by row from A1) is the top left corner of the box around the turned
    piece; ``turns`` counts quarter turns clockwise. Which tetromino is meant, and so which turns
    look alike, depends on whose move it is: see `Tetronogo.canonical`.
    """

    square: int
    turns: int

    @property
    def column(self) -> int:
        """0 for A."""
        return self.square % SIZE

    @property
    def row(self) -> int:
        """0 for 1."""
        return self.square // SIZE

    @property
    def corner(self) -> str:
        """The name of the corner square."""
        return name(self.square)


class OutOfTime(msgspec.Struct, frozen=True, gc=False, tag="out-of-time"):
    """The mover's reserve is used up. No player can type this."""


Move: TypeAlias = Pick | Start | PlaceTetromino | OutOfTime
