"""Players, results and pairings: the plain values that all formats share.

Seats: ``home`` is seat 0 and ``away`` seat 1 of the match. Rounds are counted from 1. There are no
draws in a death match: a result has a winner, or is open, a rest, or void.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec

from core.refusals import Refusal
from games.engine.errors import EngineFault


class ResultBasis(StrEnum):
    """How a result came about."""

    PLAYED = "played"
    #: One side did not play: no-show, withdrawal, or the organiser's ruling.
    WALKOVER = "walkover"
    #: Nobody to play against. With a winner it is worth a point, without one it is a rest.
    BYE = "bye"
    #: Finished without a winner. Counts for nothing, and the two may meet again.
    VOID = "void"


class Player(msgspec.Struct, frozen=True):
    """One place in a tournament. ``seed`` 1 is the strongest; seeds are unique."""

    id: int
    seed: int


class Result(msgspec.Struct, frozen=True):
    """One match of a tournament, open or settled.

    ``away`` None: a bye. ``winner`` None: open, a rest (``how`` bye) or void. Scores are game
    points, whole numbers in whatever unit the ruleset counts. ``match`` is the bracket match that
    a game belongs to; 0 outside of brackets. Raises EngineFault when the parts contradict.
    """

    round: int
    home: int
    away: int | None
    winner: int | None = None
    home_score: int = 0
    away_score: int = 0
    how: ResultBasis = ResultBasis.PLAYED
    match: int = 0

    def __post_init__(self) -> None:
        if self.winner is not None and self.winner not in (self.home, self.away):
            raise EngineFault("a result's winner took no part in it")
        if self.home == self.away:
            raise EngineFault("nobody plays against themselves")
        if (self.away is None) != (self.how is ResultBasis.BYE):
            raise EngineFault("a result without an opponent is a bye, and no other is")
        if self.how is ResultBasis.VOID and self.winner is not None:
            raise EngineFault("a void result has no winner")

    @property
    def settled(self) -> bool:
        """Nothing more is to be played."""
        return self.winner is not None or self.how in (ResultBasis.BYE, ResultBasis.VOID)

    @property
    def sides(self) -> tuple[int, ...]:
        """The one or two players, seat 0 first."""
        return (self.home,) if self.away is None else (self.home, self.away)

    @property
    def loser(self) -> int | None:
        """Who lost; None while open, and for byes and void results."""
        if self.winner is None or self.away is None:
            return None
        return self.away if self.winner == self.home else self.home

    def opponent_of(self, player: int) -> int | None:
        """The other side; None for a bye. Raises EngineFault for somebody who is not in it."""
        if player not in self.sides:
            raise EngineFault("that player is not in this result")
        return self.away if player == self.home else self.home


class Pairing(msgspec.Struct, frozen=True):
    """A match to be played; ``away`` None is a bye for ``home``."""

    round: int
    home: int
    away: int | None

    @property
    def sides(self) -> tuple[int, ...]:
        """The one or two players, seat 0 first."""
        return (self.home,) if self.away is None else (self.home, self.away)


def by_seed(players: Iterable[Player]) -> list[Player]:
    """The players, strongest first. Raises EngineFault when two share an id or a seed."""
    ordered = sorted(players, key=lambda player: player.seed)
    if len({player.seed for player in ordered}) != len(ordered):
        raise EngineFault("two players share a seed")
    if len({player.id for player in ordered}) != len(ordered):
        raise EngineFault("one player is entered twice")
    return ordered


def enough(players: Sequence[object], least: int = 2) -> None:
    """Refuse a field that is too small to be paired at all (``pairing.too-few``)."""
    if len(players) < least:
        raise Refusal("pairing.too-few", f"This needs at least {least} players.")
