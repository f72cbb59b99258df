"""Draws built on a source of numbers in [0, 1), or of whole numbers, and nothing else.

Only ``random.random`` promises the same numbers in every Python version; what was drawn is
recorded as a move, so no replay ever needs the source again. What a match draws is built on whole
numbers, so that they can be derived from a seed without a float in between (`games.engine.draws`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias, TypeVar

T = TypeVar("T")

RandomSource: TypeAlias = Callable[[], float]
Below: TypeAlias = Callable[[int], int]
"""Gives a whole number from 0 to below the one it is given, each equally likely."""


def below(random: RandomSource, bound: int) -> int:
    """A whole number from 0 to ``bound`` - 1, each equally likely (``bound`` well under 2**53)."""
    return int(random() * bound)


def evenly(random: RandomSource) -> Below:
    """Whole numbers below a bound, built on ``random``."""
    return partial(below, random)


def choose(random: RandomSource, items: Sequence[T]) -> T:
    """One of ``items``, which must not be empty."""
    return items[int(random() * len(items))]


def shuffled(random: RandomSource, items: Sequence[T]) -> list[T]:
    """``items`` in a uniformly random order, as a new list."""
    return shuffled_by(evenly(random), items)


def chosen_by(below: Below, items: Sequence[T]) -> T:
    """One of ``items``, which must not be empty."""
    return items[below(len(items))]


def shuffled_by(below: Below, items: Sequence[T]) -> list[T]:
    """``items`` in a uniformly random order, as a new list: Fisher and Yates from the top, which
    swaps the last one with one of all, the last but one with one of those before, and so on."""
    deck = list(items)
    for i in range(len(deck) - 1, 0, -1):
        j = below(i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck
