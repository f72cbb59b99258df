"""Numbers on squares as bits, and every way to lay a domino on them, worked out.

The numbers on the board are kept as one integer of seven lanes of sixteen bits. Bit ``16 n + c`` is
set while a half with the number n may still be laid on square c, that is while the square is empty
or shows less than n. A play is possible where both of its bits are set, and laying a number clears
the bits of its square in the lanes up to that number: it never sets any.

Here is nothing but numbers, so that it can be compiled; they have names in `board`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from games.engine.chance import RandomSource

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

Direction: TypeAlias = Literal[0, 1]
VERTICAL: Final[Direction] = 0
HORIZONTAL: Final[Direction] = 1
STEP: Final = (SIZE, 1)  # from a spot's first square to its second

EMPTY: Final = (1 << LANES * SQUARES) - 1
"""The board on which nothing lies."""


def _spots() -> tuple[tuple[int, ...], tuple[int, ...]]:
    upright = tuple([at for at in range(SQUARES) if at // SIZE + 1 < SIZE])
    flat = tuple([at for at in range(SQUARES) if at % SIZE + 1 < SIZE])
    return upright, flat


SPOTS: Final = _spots()
"""By direction: the left or upper squares of its twelve spots."""
SPOT_MASK: Final = tuple([sum([1 << at for at in spots]) for spots in SPOTS])
WAYS: Final = 2 * len(SPOTS[0])
"""In how many ways a domino can be laid in one direction: twelve spots, either end first."""


def _laid(direction: Direction) -> tuple[tuple[int, int, int], ...]:
    found: list[tuple[int, int, int]] = []
    step = STEP[direction]
    for domino in range(len(DOMINOES)):
        found += [(domino, first, first + step) for first in SPOTS[direction]]
        found += [(domino, first + step, first) for first in SPOTS[direction]]
    return tuple(found)


LAID: Final = (_laid(VERTICAL), _laid(HORIZONTAL))
"""By direction and code: the domino, and the squares of its lower and its higher number. Those of a
domino begin at ``WAYS`` times its index."""


def bit(number: int, at: int) -> int:
    """The bit of a number on a square."""
    return 1 << SQUARES * number + at


def _need(domino: DominoIndex, low_at: int, high_at: int) -> int:
    low, high = DOMINOES[domino]
    return bit(low, low_at) | bit(high, high_at)


def _clear(domino: DominoIndex, low_at: int, high_at: int) -> int:
    low, high = DOMINOES[domino]
    left = EMPTY
    for number in range(low + 1):
        left &= ~bit(number, low_at)
    for number in range(high + 1):
        left &= ~bit(number, high_at)
    return left


NEED: Final = tuple([tuple([_need(*each) for each in laid]) for laid in LAID])
"""By direction and code: the bits that must be set on the board."""
CLEAR: Final = tuple([tuple([_clear(*each) for each in laid]) for laid in LAID])
"""By direction and code: what is left of the bits afterwards."""
COVER: Final = tuple(
    [tuple([1 << low_at | 1 << high_at for _, low_at, high_at in laid]) for laid in LAID]
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
