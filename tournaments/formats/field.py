"""Players, results, pairings and rungs: the plain values that formats share.

Seats: ``home`` is seat 0 and ``away`` seat 1 of the match. Rounds are counted from 1. There are no
draws in a death match: a result has a winner, or is open, a rest, or void.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import msgspec

from core.refusals import Refusal
from games.engine.errors import EngineFault

# How many names a sentence lists before it counts the others.
_NAMED = 3


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


class Rung(msgspec.Struct, frozen=True):
    """Who stands on a rung of an order in which places are taken from each other, and why.

    ``beaten`` is whose rung they took last; None: they are where their seed put them.
    ``passed_by`` have since taken a rung above them, in that order, ``gone`` stand above them but
    have withdrawn: without the one they would be higher up, without the other further down.
    """

    player: int
    beaten: int | None
    passed_by: tuple[int, ...]
    gone: tuple[int, ...]

    def why(self, seed: int, names: Mapping[int, str]) -> str:
        """The same as sentences. ``seed`` is the player's."""
        if self.beaten is None:
            sentences = [f"Entered with seed {seed}."]
        else:
            sentences = [f"Took the rung from {names[self.beaten]}."]
        if self.passed_by:
            sentences.append(f"Since passed by {_list_of(self.passed_by, names)}.")
        if self.gone:
            have = "has" if len(self.gone) == 1 else "have"
            sentences.append(f"{_list_of(self.gone, names)}, above, {have} left.")
        return " ".join(sentences)


def _list_of(players: Sequence[int], names: Mapping[int, str]) -> str:
    if len(players) > _NAMED:
        return f"{len(players)} others"
    said = [names[player] for player in players]
    return " and ".join([", ".join(said[:-1]), said[-1]] if said[1:] else said)


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
