"""Dominoes, squares, and every way to lay one on the other, with what it does worked out.

The numbers on the board are kept as one integer of seven lanes of sixteen bits. Bit ``16 n + c`` is
set while a half with the number n may still be laid on square c, that is while the square is empty
or shows less than n. A play is possible where both of its bits are set, and laying a number clears
the bits of its square in the lanes up to that number: it never sets any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, Literal, TypeAlias

import msgspec

from games.engine.chance import RandomSource
from games.engine.notation import square_name

HIGHEST: Final = 6
SIZE: Final = 4
SQUARES: Final = SIZE * SIZE
LANES: Final = HIGHEST + 1
LANE: Final = (1 << SQUARES) - 1

DominoIndex: TypeAlias = int  # an index of DOMINOES
DOMINOES: Final[tuple[tuple[int, int], ...]] = tuple(
    [(low, high) for low in range(LANES) for high in range(low + 1, LANES)]
)
"""The 21 dominoes with two different numbers, the lower one first, in ascending order."""
NAMES: Final = tuple([f"{low}{high}" for low, high in DOMINOES])
INDEX_OF: Final = {name: index for index, name in enumerate(NAMES)}

SQUARE_NAMES: Final = tuple([square_name(at % SIZE, at // SIZE) for at in range(SQUARES)])
SQUARE_OF: Final = {name: at for at, name in enumerate(SQUARE_NAMES)}

Direction: TypeAlias = Literal[0, 1]
VERTICAL: Final[Direction] = 0
HORIZONTAL: Final[Direction] = 1
DIRECTION_NAMES: Final = ("vertical", "horizontal")
STEP: Final = (SIZE, 1)  # from a spot's first square to its second

EMPTY: Final = (1 << LANES * SQUARES) - 1
"""The board on which nothing lies."""


def _spots() -> tuple[tuple[int, ...], tuple[int, ...]]:
    upright = tuple([at for at in range(SQUARES) if at // SIZE + 1 < SIZE])
    flat = tuple([at for at in range(SQUARES) if at % SIZE + 1 < SIZE])
    return upright, flat


SPOTS: Final = _spots()
"""By direction: the left or upper squares of its twelve spots."""
SPOT_MASK: Final = tuple([sum(1 << at for at in spots) for spots in SPOTS])
WAYS: Final = 2 * len(SPOTS[0])
"""In how many ways a domino can be laid in one direction: twelve spots, either end first."""


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
    found: list[Play] = []
    for domino in range(len(DOMINOES)):
        for swapped in (False, True):
            for first in SPOTS[direction]:
                at = (
                    (first + STEP[direction], first)
                    if swapped
                    else (first, first + STEP[direction])
                )
                found.append(Play(len(found), domino, *at, direction))
    return tuple(found)


PLAYS: Final = (_plays(VERTICAL), _plays(HORIZONTAL))
"""By direction and code, the plays of a domino beginning at ``WAYS`` times its index."""
_PLAY_OF: Final = {
    (play.domino, play.low_at, play.high_at): play for plays in PLAYS for play in plays
}


def play_of(domino: DominoIndex, low_at: int, high_at: int) -> Play | None:
    """The play that lays ``domino`` so, or None where the squares are not neighbours."""
    return _PLAY_OF.get((domino, low_at, high_at))


def _bit(number: int, at: int) -> int:
    return 1 << SQUARES * number + at


def _need(play: Play) -> int:
    low, high = DOMINOES[play.domino]
    return _bit(low, play.low_at) | _bit(high, play.high_at)


def _clear(play: Play) -> int:
    low, high = DOMINOES[play.domino]
    laid = [_bit(number, play.low_at) for number in range(low + 1)]
    laid += [_bit(number, play.high_at) for number in range(high + 1)]
    return EMPTY & ~sum(laid)


NEED: Final = tuple([tuple(map(_need, plays)) for plays in PLAYS])
"""By direction and code: the bits that must be set on the board."""
CLEAR: Final = tuple([tuple(map(_clear, plays)) for plays in PLAYS])
"""By direction and code: what is left of the bits afterwards."""
COVER: Final = tuple(
    [tuple([1 << play.low_at | 1 << play.high_at for play in plays]) for plays in PLAYS]
)
"""By direction and code: the two squares as bits."""

_SHIFTS: Final = tuple(
    [
        tuple(
            [
                (SQUARES * low, SQUARES * high + step, SQUARES * high, SQUARES * low + step)
                for low, high in DOMINOES
            ]
        )
        for step in STEP
    ]
)


def fits(board: int, hand: Sequence[DominoIndex], direction: Direction) -> bool:
    """Whether any domino in ``hand`` can be laid on ``board`` in that direction."""
    shifts = _SHIFTS[direction]
    mask = SPOT_MASK[direction]
    for domino in hand:
        low, high_after, high, low_after = shifts[domino]
        if board >> low & board >> high_after & mask or board >> high & board >> low_after & mask:
            return True
    return False


def plays_on(board: int, domino: DominoIndex, direction: Direction) -> Iterator[Play]:
    """Every way to lay ``domino`` on ``board`` in that direction, by code."""
    plays = PLAYS[direction]
    return map(plays.__getitem__, codes_on(board, domino, direction))


_SPOT_OF: Final = tuple([{1 << at: spot for spot, at in enumerate(spots)} for spots in SPOTS])
_TRIES: Final = range(20)  # of what a hand could be laid to, before what fits is listed


def codes_on(board: int, domino: DominoIndex, direction: Direction) -> list[int]:
    """The codes of `plays_on`."""
    low, high_after, high, low_after = _SHIFTS[direction][domino]
    spot_of, mask = _SPOT_OF[direction], SPOT_MASK[direction]
    found = []
    code = WAYS * domino
    spots = board >> low & board >> high_after & mask
    while spots:
        lowest = spots & -spots
        found.append(code + spot_of[lowest])
        spots ^= lowest
    code += WAYS // 2
    spots = board >> high & board >> low_after & mask
    while spots:
        lowest = spots & -spots
        found.append(code + spot_of[lowest])
        spots ^= lowest
    return found


def some_code(
    board: int, hand: Sequence[DominoIndex], direction: Direction, random: RandomSource
) -> int:
    """The code of a play of a domino in ``hand``, each equally likely; there must be one. Plays are
    drawn out of all the ways to lay the hand down until one fits; where that takes long, those that
    fit are counted."""
    need = NEED[direction]
    ways = WAYS * len(hand)
    for _ in _TRIES:
        at = int(random() * ways)
        code = hand[at // WAYS] * WAYS + at % WAYS
        bits = need[code]
        if board & bits == bits:
            return code
    fitting: list[int] = []
    for domino in sorted(set(hand)):
        fitting += codes_on(board, domino, direction)
    return fitting[int(random() * len(fitting))]


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
                board &= ~_bit(lane, at)
    return board
