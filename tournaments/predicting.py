"""Who knew best who would win: the points of those who only watch, and their table. Pure.

There is nothing to win: points buy nothing, and nothing is paid for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

#: For a death match whose winner somebody named.
MATCH_POINTS: Final = 1
#: For the winner of the season, named before anything of it was known.
WINNER_POINTS: Final = 3


class Tally(NamedTuple):
    """What somebody has predicted that is decided: ``right`` of ``of`` death matches, and whether
    they named the season's ``winner``; None where there is none yet, or they named nobody."""

    user: int
    right: int = 0
    of: int = 0
    winner: bool | None = None

    @property
    def points(self) -> int:
        """One for each death match, three for the season; nothing is taken off for a mistake."""
        return self.right * MATCH_POINTS + (WINNER_POINTS if self.winner else 0)

    @property
    def counts(self) -> bool:
        """Whether anything is decided of what they said: of others nobody is told that they have
        said anything."""
        return self.of > 0 or self.winner is not None


class Ranked(NamedTuple):
    """A line of the table. ``shared``: others have as many points, and share the rank."""

    rank: int
    shared: bool
    tally: Tally


def together(tallies: Iterable[Tally]) -> list[Tally]:
    """Tallies that were counted apart, each person's as one."""
    found: dict[int, Tally] = {}
    for each in tallies:
        had = found.get(each.user, Tally(each.user))
        winner = had.winner if each.winner is None else each.winner
        found[each.user] = Tally(each.user, had.right + each.right, had.of + each.of, winner)
    return list(found.values())


def ranked(tallies: Iterable[Tally]) -> list[Ranked]:
    """The table, the best first: by points alone. Whoever has as many shares the rank, and the next
    one is as many further down (1, 2, 2, 4); among themselves they stand in the order of their
    accounts. Who has nothing decided is left out."""
    rows = sorted((each for each in tallies if each.counts), key=lambda t: (-t.points, t.user))
    of_points: dict[int, list[Tally]] = {}
    for each in rows:
        of_points.setdefault(each.points, []).append(each)
    found: list[Ranked] = []
    for level in of_points.values():
        rank = len(found) + 1
        found += [Ranked(rank, len(level) > 1, each) for each in level]
    return found
