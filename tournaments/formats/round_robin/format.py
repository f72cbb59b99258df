"""Everybody meets everybody."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.functional import cached_property

from tournaments.formats import field
from tournaments.formats.base import closed_to_late_entries
from tournaments.formats.paired import PairedFormat, TableCourse
from tournaments.formats.round_robin import rules
from tournaments.formats.round_robin.options import RoundRobinOptions
from tournaments.lifecycle import ContestantStatus
from tournaments.models import Contestant, DeathMatch, Season


class RoundRobinCourse(TableCourse[RoundRobinOptions]):
    """A round robin."""

    options_type = RoundRobinOptions
    tie_breaks = ("points", "direct", "sonneborn-berger", "wins", "game-difference")
    crosses = True

    @cached_property
    def timetable(self) -> tuple[field.Pairing, ...]:
        """All pairings."""
        return rules.timetable(self.players, legs=self.options.legs)

    @property
    def rounds(self) -> int:
        """As many as the timetable has."""
        return max(pairing.round for pairing in self.timetable)

    @cached_property
    def robin(self) -> rules.Counted:
        """What counts, after withdrawals."""
        recorded = [
            result
            for row, result in self.known
            if result.away is not None and not self._for_leaving(row, result)
        ]
        return rules.counted(self.timetable, recorded, self.withdrawn)

    def _for_leaving(self, row: DeathMatch, result: field.Result) -> bool:
        """Whether a walkover was given because the loser had left: then the rule on withdrawals
        says what becomes of it, and it is no reason why they should stay in the table."""
        if result.how is not field.ResultBasis.WALKOVER or result.loser is None:
            return False
        loser = self.holders[result.loser]
        if loser.status != ContestantStatus.WITHDRAWN:
            return False
        return (
            row.decided_at is not None
            and loser.left_at is not None
            and row.decided_at >= loser.left_at
        )

    @cached_property
    def annulled(self) -> frozenset[int]:
        """What was played against those who left before half of theirs was finished."""
        return frozenset(
            row.pk
            for row, result in self.known
            if result.winner is not None and not self.robin.out.isdisjoint(result.sides)
        )

    @property
    def table_players(self) -> list[int]:
        """Not those for whom nothing counts any more."""
        return [pk for pk in self.holders if pk not in self.robin.out]

    @property
    def counting(self) -> Sequence[field.Result]:
        """What counts, after withdrawals."""
        return self.robin.results


class RoundRobin(PairedFormat):
    """Everybody meets everybody, in one leg or two."""

    key = "round-robin"
    name = "Round robin"
    summary = "Everybody meets everybody."
    course_type = RoundRobinCourse

    def pairings(
        self, course: RoundRobinCourse, number: int, *, lenient: bool
    ) -> Sequence[field.Pairing]:
        """As the timetable has them."""
        del lenient
        return [pairing for pairing in course.timetable if pairing.round == number]

    def sides(self, course: RoundRobinCourse, pairing: field.Pairing) -> list[Contestant]:
        """Without those who have left before half of theirs was finished."""
        return [course.holders[side] for side in pairing.sides if side not in course.robin.out]

    def must_admit(self, *, season: Season) -> None:
        """Nobody: ``entry.closed``."""
        del season
        raise closed_to_late_entries()


FORMAT = RoundRobin()
