"""What a format of seasons is.

A format is told of every turning point of a season and does what is its own: it places, pairs,
brings in and puts out. What reaches beyond (somebody who is not there loses, a season is over) it
says in what it returns, and whoever told it does that: formats know death matches, and nothing of
what is done with results (`services.results`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

import msgspec

from accounts.models import User
from core.refusals import Refusal
from tournaments.course import Course
from tournaments.formats.options import FormatOptions
from tournaments.models import Contestant, DeathMatch, Round, Season


class Walkover(NamedTuple):
    """A death match that somebody is to win because the other has left."""

    death_match: DeathMatch
    winner: Contestant
    why: str


class Follows(msgspec.Struct, frozen=True):
    """What is to be done after a step: ``walkovers``, one after another; ``settles``, a round that
    may have nothing left to be played; and whether the season ``concludes``, if it can."""

    walkovers: tuple[Walkover, ...] = ()
    settles: Round | None = None
    concludes: bool = False


NOTHING = Follows()


class Format(ABC):
    """One format. Every step is called under the season's lock, inside the transaction of what is
    done, and may raise Refusal: then it is not done."""

    key: ClassVar[str]
    name: ClassVar[str]
    summary: ClassVar[str]
    #: How many contestants are needed.
    least: ClassVar[int] = 2
    course_type: ClassVar[type[Course[Any]]]

    @property
    def options_type(self) -> type[FormatOptions]:
        """What its organisers choose."""
        return self.course_type.options_type

    @abstractmethod
    def started(self, *, season: Season, acting_user: User | None, at: datetime) -> Follows:
        """The season has just begun; contestants are active and seeded: open the first round."""

    def decided(self, *, death_match: DeathMatch, at: datetime) -> Follows:
        """A death match has a winner: whatever follows for its two sides."""
        del death_match, at
        return NOTHING

    def rests_on(self, *, death_match: DeathMatch) -> Sequence[DeathMatch]:
        """What was built on a result that will not stand, and falls with it. Raises Refusal where
        it cannot."""
        del death_match
        return ()

    def undone(self, *, death_match: DeathMatch, at: datetime) -> None:
        """The winner that a death match still names will not stand, and what rests on it has
        fallen: take back what `decided` did. Raises Refusal where others have built on it.

        Where results are only counted, nobody has a place any more.
        """
        del at
        death_match.round.season.contestants.exclude(place=None).update(place=None)

    def voided(self, *, death_match: DeathMatch, at: datetime) -> None:
        """A death match that is not decided was called off as a whole."""
        del death_match, at

    @abstractmethod
    def complete(self, *, round: Round, at: datetime) -> Follows:  # noqa: A002
        """Nothing of this open or reopened round is left to be played."""

    def must_admit(self, *, season: Season) -> None:
        """Raises Refusal where nobody can enter a season that is running, or enter it any more."""
        del season

    def entered(self, *, season: Season) -> None:
        """Somebody, or several, entered a season that is running."""
        del season

    def left(self, *, contestant: Contestant, at: datetime) -> Follows:
        """Somebody left a running season; their open death matches are walkovers already."""
        del contestant, at
        return NOTHING

    def replaced(self, *, old: Contestant, new: Contestant, at: datetime) -> None:
        """``new`` sits in the open death matches of ``old`` already."""
        del old, new, at

    def places(self, course: Any) -> dict[int, int] | None:
        """Where everybody ends, by id, to be written down at the end; None where that is done all
        along."""
        return {pk: rank for rank, pk in course.ordered}


def closed_to_late_entries() -> Refusal:
    """What whoever would enter late is told where the field is fixed."""
    return Refusal("entry.closed", "Nobody can enter late here; somebody can be replaced instead.")
