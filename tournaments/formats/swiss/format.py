"""A fixed number of rounds; equals meet, and nobody meets twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.refusals import Refusal
from tournaments.course import Course
from tournaments.formats import field
from tournaments.formats.paired import PairedFormat, TableCourse
from tournaments.formats.swiss import rules
from tournaments.formats.swiss.options import SwissOptions
from tournaments.lifecycle import ContestantStatus
from tournaments.models import Contestant, Season


class SwissCourse(TableCourse[SwissOptions]):
    """A Swiss season."""

    options_type = SwissOptions

    @property
    def rounds(self) -> int:
        """As many as its organisers chose."""
        return self.options.rounds


class Swiss(PairedFormat):
    """A fixed number of rounds between players with equal points."""

    key = "swiss"
    name = "Swiss"
    summary = "A fixed number of rounds; equals meet, and nobody meets twice."
    course_type = SwissCourse

    def pairings(
        self, course: Course[Any], number: int, *, lenient: bool
    ) -> Sequence[field.Pairing]:
        """Equals who have not met. Raises Refusal ``pairing.too-few``, ``pairing.bye`` and
        ``pairing.rematch``."""
        players = [each for each in course.players if _plays(course.holders[each.id], number)]
        found = rules.pair_round(players, course.settled, number=number, lenient=lenient)
        return found.pairings

    def must_admit(self, *, season: Season) -> None:
        """Until the last round is paired: ``entry.too-late``."""
        if season.rounds.count() >= SwissCourse.of(season).rounds:
            raise Refusal("entry.too-late", "The last round has been paired already.")


FORMAT = Swiss()


def pairings_proposed(course: Course[Any]) -> list[tuple[Contestant, Contestant]]:
    """How the next round would be paired as it stands, byes left out; nothing where it cannot be
    paired without a rematch."""
    try:
        pairings = FORMAT.pairings(course, course.season.rounds.count() + 1, lenient=False)
    except Refusal:
        return []
    return [
        (course.holders[each.home], course.holders[each.away])
        for each in pairings
        if each.away is not None
    ]


def _plays(contestant: Contestant, number: int) -> bool:
    return contestant.status == ContestantStatus.ACTIVE and contestant.since_round <= number
