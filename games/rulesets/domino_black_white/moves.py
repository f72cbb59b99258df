"""What can be submitted: who goes first, and every way of placing a domino on the board.

There are 21 dominoes. On a given spot one with two numbers can be laid two ways and hide either
half; a double looks the same both ways and only the hidden half differs. That makes 72 ways for
each of the 108 spots. All of them exist once, in `PLACES`, with what they do worked out.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from games.rulesets.domino_black_white.board import NAME_OF, SPOTS, Spot
from games.rulesets.domino_black_white.lines import LAID, MARKS, PROBE
from games.rulesets.domino_black_white.reach import ALL_SPOTS, BLOCKED_BY, HELD_BY

HIGHEST: Final = 5
DOMINOES: Final[tuple[tuple[int, int], ...]] = tuple(
    [(low, high) for low in range(HIGHEST + 1) for high in range(low, HIGHEST + 1)]
)
DOMINO_OF: Final = {numbers: index for index, numbers in enumerate(DOMINOES)}
FULL_HAND: Final = (1 << len(DOMINOES)) - 1
"""A hand is a set of dominoes: bit i is ``DOMINOES[i]``."""

Half: TypeAlias = Literal[0, 1]


def colour(number: int) -> str:
    """What a hidden half still shows: even numbers are black, odd ones white."""
    return "white" if number % 2 else "black"


class ChooseOrder(msgspec.Struct, frozen=True, tag="order"):
    """The choice of the seat with the advantage: to go first or second."""

    first: bool


class PlaceDomino(msgspec.Struct, frozen=True, tag="place"):
    """A domino laid on a spot, with one half hidden.

    ``numbers`` lie on the spot's cells in board order; ``hides`` says which of the two is hidden.
    Places are taken from `PLACES` or `place`, never made: ``code`` is the position there.
    """

    code: int
    spot: Spot
    numbers: tuple[int, int]
    hides: Half

    @property
    def domino(self) -> tuple[int, int]:
        """The domino, its lower number first."""
        one, two = self.numbers
        return (one, two) if one <= two else (two, one)

    @property
    def hidden(self) -> str:
        """The name of the square whose number is hidden."""
        return NAME_OF[self.spot.cells[self.hides]]


class TurnTimeout(msgspec.Struct, frozen=True, tag="out-of-time"):
    """What becomes of a turn whose reserve runs out; no player can submit it."""


Move: TypeAlias = ChooseOrder | PlaceDomino | TurnTimeout

HALVES: Final[tuple[Half, Half]] = (0, 1)
WAYS: Final[tuple[tuple[tuple[int, int], Half], ...]] = tuple(
    [
        (numbers, hides)
        for low, high in DOMINOES
        for numbers in dict.fromkeys([(low, high), (high, low)])
        for hides in HALVES
    ]
)
"""The 72 ways to lay a domino on a spot: the numbers in board order, and which of them hides."""
DOMINO_BIT: Final[tuple[int, ...]] = tuple(
    [1 << DOMINO_OF[min(numbers), max(numbers)] for numbers, _ in WAYS]
)
"""The domino that each of the 72 ways uses, as the bit of a hand."""

PLACES: Final[tuple[PlaceDomino, ...]] = tuple(
    [
        PlaceDomino(len(WAYS) * spot.index + way, spot, numbers, hides)
        for spot in SPOTS
        for way, (numbers, hides) in enumerate(WAYS)
    ]
)
_CODE_OF: Final = {(place.spot.index, place.numbers, place.hides): place for place in PLACES}


def place(spot: Spot, numbers: tuple[int, int], hides: Half) -> PlaceDomino:
    """The place that lays ``numbers``, in board order, on ``spot`` and hides one of them."""
    return _CODE_OF[spot.index, numbers, hides]


Effect: TypeAlias = tuple[int, int, bool, int, int, int, int]


def _effects() -> tuple[Effect, ...]:
    found: list[Effect] = []
    for spot in SPOTS:
        clear = ALL_SPOTS ^ BLOCKED_BY[spot.index]
        masks = PROBE[spot.index], MARKS[spot.index], clear, HELD_BY[spot.index]
        laid = {
            (one, two): LAID[spot.first][one] + LAID[spot.second][two]
            for (one, two) in dict.fromkeys([numbers for numbers, _ in WAYS])
        }
        found += [
            (bit, laid[numbers], not {0, HIGHEST}.isdisjoint(numbers), *masks)
            for bit, (numbers, _) in zip(DOMINO_BIT, WAYS, strict=True)
        ]
    return tuple(found)


EFFECTS: Final[tuple[Effect, ...]] = _effects()
"""By the code of a place: the domino used; what is added to the lines, whether a 0 or a 5 is among
the numbers, and the probe and the marks of the lines it touches; the spots left clear; the spots
now held."""
