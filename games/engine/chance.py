"""Draws built on a source of numbers in [0, 1) and nothing else.

Only ``random.random`` promises the same numbers in every Python version; what was drawn is
recorded as a move, so no replay ever needs the source again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

T = TypeVar("T")

RandomSource: TypeAlias = Callable[[], float]


def below(random: RandomSource, bound: int) -> int:
    """A whole number from 0 to ``bound`` - 1, each equally likely (``bound`` well under 2**53)."""
    return int(random() * bound)


def choose(random: RandomSource, items: Sequence[T]) -> T:
    """One of ``items``, which must not be empty."""
    return items[int(random() * len(items))]


def shuffled(random: RandomSource, items: Sequence[T]) -> list[T]:
    """``items`` in a uniformly random order (Fisher and Yates), as a new list."""
    deck = list(items)
    for i in range(len(deck) - 1, 0, -1):
        j = int(random() * (i + 1))
        deck[i], deck[j] = deck[j], deck[i]
    return deck
