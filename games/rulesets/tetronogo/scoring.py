"""Scoring a bout: groups of empty squares, and whose edges touch them more often.

A group is a largest set of empty squares connected side by side. Each side that a square of the
group shares with a square of a player's piece is one edge for that player; the border of the
board is nobody's. The player with more edges scores one point for every square of the group;
with as many edges on both sides nobody scores it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from games.engine.decisions import Seat
from games.rulesets.tetronogo.moves import SIZE
from games.rulesets.tetronogo.pieces import BOARD, STRIDE, squares_of

_LANE = (STRIDE * STRIDE) + 1  # bits for one direction; more than a shifted board needs
_FOUR = 1 | 1 << _LANE | 1 << 2 * _LANE | 1 << 3 * _LANE


class Group(msgspec.Struct, frozen=True):
    """A group: its squares, each seat's edges around it, and who has more of them."""

    squares: tuple[int, ...]
    edges: tuple[int, int]

    @property
    def taker(self) -> Seat | None:
        """The seat that scores the group."""
        first, second = self.edges
        if first == second:
            return None
        return 0 if first > second else 1


def points(first: int, second: int) -> tuple[int, int]:
    """Each seat's points on the board on which they cover ``first`` and ``second``."""
    empty = BOARD & ~(first | second)
    first_edges, second_edges = _edges(first), _edges(second)
    first_points = second_points = 0
    while empty:
        group = empty & -empty
        empty ^= group
        reached = _BESIDE[group.bit_length()] & empty
        while reached:
            group |= reached
            empty ^= reached
            reached = empty & (reached << 1 | reached >> 1 | reached << STRIDE | reached >> STRIDE)
        four = group * _FOUR
        lead = (four & first_edges).bit_count() - (four & second_edges).bit_count()
        if lead > 0:
            first_points += group.bit_count()
        elif lead < 0:
            second_points += group.bit_count()
    return first_points, second_points


def groups(first: int, second: int) -> tuple[Group, ...]:
    """The groups of that board in order of their first square."""
    return tuple([Group(squares_of(group), edges) for group, edges in _each_group(first, second)])


def tallies(first: int, second: int) -> list[tuple[int, int, int]]:
    """Of each group on that board how many squares it has and each seat's edges around it."""
    return [(group.bit_count(), *edges) for group, edges in _each_group(first, second)]


def _each_group(first: int, second: int) -> Iterator[tuple[int, tuple[int, int]]]:
    """Each group of that board, as a set of squares, and each seat's edges around it; in order of
    their first square."""
    empty = BOARD & ~(first | second)
    first_edges, second_edges = _edges(first), _edges(second)
    while empty:
        group = reached = empty & -empty
        while reached:
            group |= reached
            empty ^= reached
            reached = empty & _beside(reached)
        four = group * _FOUR
        yield group, ((four & first_edges).bit_count(), (four & second_edges).bit_count())


def _beside(squares: int) -> int:
    """The squares a step away from some square, in any of the four directions."""
    return squares << 1 | squares >> 1 | squares << STRIDE | squares >> STRIDE


def _edges(pieces: int) -> int:
    """The squares to the right of, left of, below and above ``pieces``, each in a lane."""
    return (
        pieces << 1
        | (pieces >> 1) << _LANE
        | (pieces << STRIDE) << 2 * _LANE
        | (pieces >> STRIDE) << 3 * _LANE
    )


# Most groups are small: a table for the first step from the square at that bit (counted from 1).
_BESIDE = tuple(_beside(1 << bit) if bit >= 0 else 0 for bit in range(-1, STRIDE * SIZE))
