"""The two kinds of board as sets of squares: pallets of 12 by 16 and the domain of 9 by 9.

A square is a number and a set of squares an integer with those bits. Both boards are numbered with
a border of squares that belong to nobody, so that a step off the board needs no test of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from games.engine.notation import square_name

COLUMNS: Final = 12
ROWS: Final = 16
STRIDE: Final = COLUMNS + 1
SIDE: Final = 9
DOMAIN_STRIDE: Final = SIDE + 2

PEGS: Final = 36
COLOURS: Final = ("red", "blue")

PALLET_SQUARES: Final = tuple(
    [(row + 1) * STRIDE + column for row in range(ROWS) for column in range(COLUMNS)]
)
DOMAIN_SQUARES: Final = tuple(
    [(row + 1) * DOMAIN_STRIDE + column + 1 for row in range(SIDE) for column in range(SIDE)]
)


def set_of(squares: Iterable[int]) -> int:
    """The set of these squares."""
    found = 0
    for square in squares:
        found |= 1 << square
    return found


def members(squares: int) -> list[int]:
    """The squares of a set, row by row."""
    found = []
    while squares:
        lowest = squares & -squares
        found.append(lowest.bit_length() - 1)
        squares ^= lowest
    return found


PALLET: Final = set_of(PALLET_SQUARES)
DOMAIN: Final = set_of(DOMAIN_SQUARES)
HOME: Final = (
    set_of([square for square in DOMAIN_SQUARES if square % DOMAIN_STRIDE <= 4]),
    set_of([square for square in DOMAIN_SQUARES if square % DOMAIN_STRIDE >= 6]),
)
"""What each colour owns at the start. House ruling: red is on the left, in columns A to D; blue has
F to I, and column E belongs to nobody."""


def pallet_column(square: int) -> int:
    """0 for A."""
    return square % STRIDE


def pallet_row(square: int) -> int:
    """0 for 1."""
    return square // STRIDE - 1


PALLET_NAME: Final = {
    square: square_name(pallet_column(square), pallet_row(square)) for square in PALLET_SQUARES
}
PALLET_SQUARE: Final = {name: square for square, name in PALLET_NAME.items()}
DOMAIN_NAME: Final = {
    square: square_name(square % DOMAIN_STRIDE - 1, square // DOMAIN_STRIDE - 1)
    for square in DOMAIN_SQUARES
}
DOMAIN_SQUARE: Final = {name: square for square, name in DOMAIN_NAME.items()}

WAYS: Final = "URDL"
"""The directions of a path, clockwise; up is towards row 1."""
PALLET_STEP: Final = (-STRIDE, 1, STRIDE, -1)
WAY_OF_STEP: Final = {step: way for way, step in enumerate(PALLET_STEP)}


def pallet_names(squares: int) -> tuple[str, ...]:
    """The names of a set of squares of a pallet, row by row."""
    return tuple([PALLET_NAME[square] for square in members(squares)])


def domain_names(squares: int) -> tuple[str, ...]:
    """The names of a set of squares of the domain, row by row."""
    return tuple([DOMAIN_NAME[square] for square in members(squares)])


def around(squares: int) -> int:
    """These squares of a pallet and all that touch them, by a side or a corner; squares off the
    pallet may be among them."""
    wide = squares | squares << 1 | squares >> 1
    return wide | wide << STRIDE | wide >> STRIDE


def spread(squares: int, within: int) -> int:
    """These squares of a pallet and their neighbours by a side, as far as they are ``within``."""
    return (squares | squares << 1 | squares >> 1 | squares << STRIDE | squares >> STRIDE) & within


def connected(squares: int) -> bool:
    """Whether a set of squares of a pallet hangs together by sides."""
    reached = squares & -squares
    while True:
        wider = spread(reached, squares)
        if wider == reached:
            return reached == squares
        reached = wider


def has_cut_out(left: int, pegs: int) -> bool:
    """Whether two of ``pegs`` are connected through the squares ``left``.

    Then there is a cut-out: of the pegs that are connected, two have no other one between them.
    """
    if pegs & (pegs << 1 | pegs << STRIDE):
        return True
    while pegs:
        peg = pegs & -pegs
        pegs ^= peg
        reached = peg
        while True:
            wider = spread(reached, left)
            if wider & pegs:
                return True
            if wider == reached:
                break
            reached = wider
    return False


def _offset(square: int, turns: int) -> int:
    across, down = square % STRIDE, square // STRIDE
    for _ in range(turns):
        across, down = -down, across
    return down * DOMAIN_STRIDE + across


OFFSET: Final = tuple(
    [tuple([_offset(square, turns) for square in range(STRIDE * (ROWS + 2))]) for turns in range(4)]
)
"""By quarter turns and square of a pallet: where it lands, seen from where any other one does, as
long as both land on the domain (see `landing`)."""


def landing(anchor: int, square: int, target: int, turns: int) -> int | None:
    """Where a square of a pallet comes to lie on the domain, or None where that is outside, if
    ``anchor`` lies on ``target`` and all is turned about it by so many quarters, clockwise."""
    across = square % STRIDE - anchor % STRIDE
    down = square // STRIDE - anchor // STRIDE
    for _ in range(turns):
        across, down = -down, across
    column = target % DOMAIN_STRIDE + across
    row = target // DOMAIN_STRIDE + down
    if not (1 <= column <= SIDE and 1 <= row <= SIDE):
        return None
    return row * DOMAIN_STRIDE + column
