"""A bracket as data: its matches, where their sides come from, and how far it is played.

Any format may have one; pages draw it, programs read it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec

from games.engine.errors import EngineFault
from tournaments.formats.field import Result, ResultBasis


class SideSource(msgspec.Struct, frozen=True):
    """Where a side comes from: a seed (``of`` counts from 1), or a match (``of`` is its id)."""

    kind: Literal["seed", "winner", "loser"]
    of: int


class BracketMatch(msgspec.Struct, frozen=True):
    """One match of a bracket; ``slot`` counts from 0 within its round, top to bottom.

    A source None is a bye. The third-place match belongs to the last round, after the final.
    """

    id: int
    round: int
    slot: int
    home: SideSource
    away: SideSource | None
    third_place: bool = False

    @property
    def sources(self) -> tuple[SideSource, ...]:
        """The one or two sources, seat 0 first."""
        return (self.home,) if self.away is None else (self.home, self.away)


class Bracket(msgspec.Struct, frozen=True):
    """``seeds``: player ids, strongest first. ``best_of`` games decide a match (odd)."""

    seeds: tuple[int, ...]
    matches: tuple[BracketMatch, ...]
    best_of: int = 1

    @property
    def rounds(self) -> int:
        """How many rounds there are, the final included."""
        return max(match.round for match in self.matches)

    def match(self, match_id: int) -> BracketMatch:
        """The match of that id. Raises EngineFault when there is none."""
        for match in self.matches:
            if match.id == match_id:
                return match
        raise EngineFault(f"the bracket has no match {match_id}")


class BracketState(StrEnum):
    """Of a bracket match: its sides are not known yet, it can be played, or it is settled."""

    WAITING = "waiting"
    READY = "ready"
    SETTLED = "settled"


class BracketStanding(msgspec.Struct, frozen=True):
    """A bracket match as the results have it.

    ``home`` and ``away`` are player ids; None while not known, and for the away side of a bye.
    ``how`` is None until the match is settled, and then there is a winner.
    """

    match: BracketMatch
    home: int | None = None
    away: int | None = None
    home_wins: int = 0
    away_wins: int = 0
    winner: int | None = None
    how: ResultBasis | None = None

    @property
    def state(self) -> BracketState:
        """Waiting for a side, ready to be played, or settled."""
        if self.how is not None:
            return BracketState.SETTLED
        both = self.home is not None and self.away is not None
        return BracketState.READY if both else BracketState.WAITING

    @property
    def loser(self) -> int | None:
        """Who lost; None while it is open, and for a bye."""
        if self.winner is None:
            return None
        return self.away if self.winner == self.home else self.home


class Progress(msgspec.Struct, frozen=True):
    """A bracket as far as the results go.

    ``stale`` are results whose sides the bracket no longer brings together, because a result before
    them has changed; they count for nothing until it changes back.
    """

    bracket: Bracket
    matches: tuple[BracketStanding, ...]
    champion: int | None
    second: int | None
    third: int | None
    complete: bool
    stale: tuple[Result, ...] = ()

    def match(self, match_id: int) -> BracketStanding:
        """The match of that id. Raises EngineFault when there is none."""
        for standing in self.matches:
            if standing.match.id == match_id:
                return standing
        raise EngineFault(f"the bracket has no match {match_id}")

    def ready(self) -> tuple[BracketStanding, ...]:
        """Matches that can be played now."""
        return tuple(m for m in self.matches if m.state is BracketState.READY)
