"""What a placement can score: on every spot, with all numbers at once.

A set of pairs is an integer: bit ``6 * a + b`` stands for laying a on the first cell of a spot and
b on its second. What a spot offers is four such sets side by side in one integer, the pairs that
meet H, V, D and B there. It is found line by line: a table has, for each value that the byte of a
line may have (`games.rulesets.domino_black_white.lines`), the pairs that would score in it. Play
that looks ahead asks this of every position it comes through, and nothing else takes it as long.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from games.rulesets.domino_black_white.board import SPOTS, Spot
from games.rulesets.domino_black_white.lines import EMPTY, LINES, Letter
from games.rulesets.domino_black_white.moves import DOMINOES, HIGHEST
from games.rulesets.domino_black_white.state import BlackWhiteState

NUMBERS: Final = HIGHEST + 1
PAIRS: Final = NUMBERS * NUMBERS
_BYTES: Final = (EMPTY.bit_length() + 7) // 8
_FIELD: Final[dict[Letter, int]] = {"H": 0, "V": PAIRS, "D": 2 * PAIRS}
_B_FIELD: Final = 3 * PAIRS
_MISSING: Final = 64  # in the byte of a line, for each of its cells still empty

Touched: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]


def _table(letter: Letter, first: bool, second: bool) -> tuple[int, ...]:
    """What a line offers by its byte, if it contains the first cell of a spot, the second, or
    both: nothing unless they are all that it lacks."""
    lacks = first + second
    table = [0] * 256
    for there in range(HIGHEST * (3 - lacks) + 1):
        offer = 0
        for pair in range(PAIRS):
            one, two = divmod(pair, NUMBERS)
            total = there + one * first + two * second
            if total % 5 == 0:
                offer |= 1 << _FIELD[letter] + pair
            if total in (0, 15):
                offer |= 1 << _B_FIELD + pair
        table[3 * (there + 1) + _MISSING * lacks] = offer
    return tuple(table)


_TABLES: Final = {
    (letter, first, second): _table(letter, first, second)
    for letter in _FIELD
    for first, second in ((True, False), (False, True), (True, True))
}


def _touched(spot: Spot) -> Touched:
    found = []
    for at, line in enumerate(LINES):
        first, second = spot.first in line.cells, spot.second in line.cells
        if first or second:
            found.append((at, _TABLES[line.letter, first, second]))
    return tuple(found)


_AT: Final[dict[int, tuple[int, Touched]]] = {
    1 << spot.at: (spot.index, _touched(spot)) for spot in SPOTS
}
"""By the bit of a spot: its index, and the lines it touches."""

_THIRD: Final = 7
_HAND: Final = tuple(
    [
        tuple(
            [
                sum(
                    1 << pair
                    for index in range(_THIRD)
                    if hand >> index & 1
                    for low, high in (DOMINOES[_THIRD * part + index],)
                    for pair in {NUMBERS * low + high, NUMBERS * high + low}
                )
                for hand in range(1 << _THIRD)
            ]
        )
        for part in range(3)
    ]
)


def pairs_of(hand: int) -> int:
    """The pairs that a hand can lay."""
    return _HAND[0][hand & 127] | _HAND[1][hand >> 7 & 127] | _HAND[2][hand >> 14]


def offered(lines: int, spot: Spot) -> int:
    """What a spot offers, whatever is in hand."""
    as_bytes = lines.to_bytes(_BYTES, "little")
    offer = 0
    for at, table in _AT[1 << spot.at][1]:
        offer |= table[as_bytes[at]]
    return offer


def letters_of(offer: int, pair: int) -> int:
    """The code of the letters that a pair meets."""
    return sum(1 << at for at in range(4) if offer >> PAIRS * at + pair & 1)


def by_points(state: BlackWhiteState) -> list[list[tuple[int, int]]]:
    """All that the seat to move can lay: by the points it scores, the spots where such pairs are,
    by index, and which."""
    as_bytes = state.lines.to_bytes(_BYTES, "little")
    hand = pairs_of(state.hand)
    found: list[list[tuple[int, int]]] = [[], [], [], [], []]
    legal = state.legal
    while legal:
        lowest = legal & -legal
        legal ^= lowest
        index, touched = _AT[lowest]
        offer = 0
        for at, table in touched:
            offer |= table[as_bytes[at]]
        if not offer:
            found[0].append((index, hand))
            continue
        # The four sets are added up, bit by bit of the sum, all pairs at once.
        h, v = offer & hand, offer >> PAIRS & hand
        d, b = offer >> 2 * PAIRS & hand, offer >> _B_FIELD & hand
        hv, db = h ^ v, d ^ b
        both, other = h & v, d & b
        ones, twos, fours = hv ^ db, both ^ other ^ (hv & db), both & other
        if fours:
            found[4].append((index, fours))
        if threes := ones & twos:
            found[3].append((index, threes))
        if twos ^ threes:
            found[2].append((index, twos ^ threes))
        if ones ^ threes:
            found[1].append((index, ones ^ threes))
        if nothing := hand & ~(ones | twos | fours):
            found[0].append((index, nothing))
    return found


def best(state: BlackWhiteState) -> tuple[int, list[tuple[int, int]]]:
    """The most points that the seat to move can score, and where, as in `by_points`; no places
    after the end."""
    found = by_points(state)
    for points in (4, 3, 2, 1):
        if found[points]:
            return points, found[points]
    return 0, found[0]


def most(state: BlackWhiteState, enough: int = 4) -> int:
    """The most points that the seat to move can score, 0 after the end; where that is ``enough``
    or more, any number from there on that it can score."""
    as_bytes = state.lines.to_bytes(_BYTES, "little")
    hand = pairs_of(state.hand)
    found = 0
    legal = state.legal
    while legal and found < enough:
        lowest = legal & -legal
        legal ^= lowest
        offer = 0
        for at, table in _AT[lowest][1]:
            offer |= table[as_bytes[at]]
        if not offer:
            continue
        h, v = offer & hand, offer >> PAIRS & hand
        d, b = offer >> 2 * PAIRS & hand, offer >> _B_FIELD & hand
        hv, db = h ^ v, d ^ b
        both, other = h & v, d & b
        if both & other:
            return 4
        twos = both ^ other ^ (hv & db)
        points = (3 if twos & (hv ^ db) else 2) if twos else 1 if hv | db else 0
        found = max(found, points)
    return found


def listed(pairs: int) -> list[int]:
    """The pairs of a set."""
    found = []
    while pairs:
        lowest = pairs & -pairs
        found.append(lowest.bit_length() - 1)
        pairs ^= lowest
    return found
