"""What lies on the board, and plays, by their names; how it is kept is said in `lanes`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from games.engine.notation import square_name
from games.rulesets.domino_wars.lanes import (
    DOMINOES,
    EMPTY,
    LAID,
    LANES,
    SIZE,
    SQUARES,
    Direction,
    DominoIndex,
    bit,
    codes_on,
)

NAMES: Final = tuple([f"{low}{high}" for low, high in DOMINOES])
INDEX_OF: Final = {name: index for index, name in enumerate(NAMES)}

SQUARE_NAMES: Final = tuple([square_name(at % SIZE, at // SIZE) for at in range(SQUARES)])
SQUARE_OF: Final = {name: at for at, name in enumerate(SQUARE_NAMES)}

DIRECTION_NAMES: Final = ("vertical", "horizontal")


class Play(msgspec.Struct, frozen=True, gc=False, tag="play"):
    """A domino on two neighbouring squares: the lower number on ``low_at``, the other one on
    ``high_at``. Plays are taken from `PLAYS` or `play_of`, never made."""

    code: int
    domino: DominoIndex
    low_at: int
    high_at: int
    direction: Direction

    @property
    def text(self) -> str:
        """``34 B2:B3``: the 3 on B2."""
        return f"{NAMES[self.domino]} {SQUARE_NAMES[self.low_at]}:{SQUARE_NAMES[self.high_at]}"


def _plays(direction: Direction) -> tuple[Play, ...]:
    return tuple([Play(code, *each, direction) for code, each in enumerate(LAID[direction])])


PLAYS: Final = (_plays(0), _plays(1))
"""By direction and code, the plays of a domino beginning at ``WAYS`` times its index."""
_PLAY_OF: Final = {
    (play.domino, play.low_at, play.high_at): play for plays in PLAYS for play in plays
}


def play_of(domino: DominoIndex, low_at: int, high_at: int) -> Play | None:
    """The play that lays ``domino`` so, or None where the squares are not neighbours."""
    return _PLAY_OF.get((domino, low_at, high_at))


def plays_on(board: int, domino: DominoIndex, direction: Direction) -> Iterator[Play]:
    """Every way to lay ``domino`` on ``board`` in that direction, by code."""
    plays = PLAYS[direction]
    return map(plays.__getitem__, codes_on(board, domino, direction))


@cache
def _number_by_lanes() -> dict[int, int | None]:
    """The number on a square, by which lanes still have its bit."""
    full = (1 << LANES) - 1
    found: dict[int, int | None] = {full: None}
    for number in range(LANES):
        found[full & ~((1 << number + 1) - 1)] = number
    return found


def number_at(board: int, at: int) -> int | None:
    """The number that a square shows, or None where it is empty.

    Raises KeyError for what never was a board.
    """
    lanes = sum((board >> SQUARES * lane + at & 1) << lane for lane in range(LANES))
    return _number_by_lanes()[lanes]


def numbers_on(board: int) -> tuple[int | None, ...]:
    """The numbers of all squares, row by row."""
    return tuple([number_at(board, at) for at in range(SQUARES)])


def board_of(numbers: tuple[int | None, ...]) -> int:
    """The board that shows these numbers, given row by row."""
    board = EMPTY
    for at, number in enumerate(numbers):
        if number is not None:
            for lane in range(number + 1):
                board &= ~bit(lane, at)
    return board
