"""What formats have in common that pair one round after another and have a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, ClassVar, Final

from django.utils.functional import cached_property

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Refusal
from tournaments.course import Course, Options
from tournaments.formats import field
from tournaments.formats.base import Follows, Format, Task, Walkover
from tournaments.formats.rounds import round_announce, round_create
from tournaments.lifecycle import ContestantStatus, DeathMatchStatus, RoundStatus
from tournaments.models import Contestant, DeathMatch, Round, Season
from tournaments.services import deathmatches
from tournaments.standings import StandingsTable, standings

#: How much of the standings the news of a complete round carries.
HEAD_ROWS: Final = 16


class TableCourse(Course[Options]):
    """A season that has a table."""

    @property
    def table_players(self) -> list[int]:
        """Who stands in the table; not those for whom nothing counts any more."""
        return list(self.holders)

    @property
    def counting(self) -> Sequence[field.Result]:
        """What counts in it."""
        return self.settled

    @cached_property
    def table(self) -> StandingsTable:
        """The standings."""
        order = self.season.tie_breaks or self.tie_breaks
        names = {pk: each.name for pk, each in self.holders.items()}
        return standings(self.table_players, self.counting, order, names)

    @property
    def ordered(self) -> list[tuple[int, int]]:
        """As the table has them."""
        return [(row.rank, row.player) for row in self.table.rows]


class PairedFormat(Format):
    """One round after another."""

    course_type: ClassVar[type[TableCourse[Any]]]
    paired = True
    season_template = "tournaments/formats/table/season.html"
    standings_template = "tournaments/formats/table/standings.html"

    def tasks(self, course: Any) -> Iterator[Task]:
        """The next round, once the last one is played; then the end."""
        if course.busy:
            return
        paired = course.season.rounds.count()
        if paired < course.rounds:
            yield Task(f"Round {paired + 1} can be paired.", "pair", "Pair it", 2)
        else:
            yield Task("Everything is played. Who has won?", "conclude", "End the season", 2)

    @abstractmethod
    def pairings(self, course: Any, number: int, *, lenient: bool) -> Sequence[field.Pairing]:
        """Who meets whom in the round of that number. Raises Refusal ``pairing.*``."""

    def sides(self, course: Any, pairing: field.Pairing) -> list[Contestant]:
        """The contestants of a pairing, without those who do not count."""
        return [course.holders[side] for side in pairing.sides]

    def must_be_pairable(self, *, season: Season) -> None:
        """Also ``round.open-matches`` and ``round.none-left``."""
        super().must_be_pairable(season=season)
        for each in _open_rounds(season):
            deathmatches.must_be_complete(each)
        last = self.course_type.of(season).rounds
        if season.rounds.count() >= last:
            raise Refusal("round.none-left", f"All {last} rounds have been paired.")

    def round_begin(self, *, season: Season, at: datetime) -> Round:
        """The next round, with nothing in it yet. Whoever asks fills it and announces it.
        Raises Refusal as `must_be_pairable` does."""
        self.must_be_pairable(season=season)
        for each in _open_rounds(season):
            deathmatches.round_close(acting_user=None, round=each, at=at)
        number = season.rounds.count() + 1
        return round_create(season=season, number=number, name=f"Round {number}", at=at)

    def round_open(
        self, *, season: Season, acting_user: User, lenient: bool, at: datetime
    ) -> tuple[Round, Follows]:
        """Pair the next round and open it. Raises Refusal as `round_begin` and `pairings` do."""
        opened, follows = self._round_pair(season, lenient=lenient, at=at)
        audit_record(
            acting_user=acting_user,
            action="round.pair",
            target=opened,
            data={"season": season.pk, "round": opened.number, "lenient": lenient},
        )
        return opened, follows

    def _round_pair(self, season: Season, *, lenient: bool, at: datetime) -> tuple[Round, Follows]:
        opened = self.round_begin(season=season, at=at)
        course = self.course_type.of(season)
        made: list[tuple[list[Contestant], DeathMatch]] = []
        for pairing in self.pairings(course, opened.number, lenient=lenient):
            sides = self.sides(course, pairing)
            death_match = _pairing_create(opened, sides, len(made) + 1, at)
            if death_match is not None:
                made.append((sides, death_match))
        round_announce(opened=opened, at=at)
        # A round is complete when nothing of it is open: so first all of it must be there.
        walkovers = tuple(
            found
            for sides, death_match in made
            if death_match.status == DeathMatchStatus.PLANNED
            and (found := _walkover_of(sides, death_match)) is not None
        )
        return opened, Follows(walkovers=walkovers, settles=opened)

    def on_started(self, *, season: Season, acting_user: User | None, at: datetime) -> Follows:
        """The first round is paired."""
        del acting_user
        return self._round_pair(season, lenient=False, at=at)[1]

    def complete(self, *, round: Round, at: datetime) -> Follows:  # noqa: A002
        """The round closes; after the last one the season ends."""
        course = self.course_type.of(round.season)
        deathmatches.round_close(
            acting_user=None, round=round, more={"standings": _head_of_table(course)}, at=at
        )
        return Follows(concludes=course.is_last(round))


def _open_rounds(season: Season) -> list[Round]:
    return list(season.rounds.exclude(status=RoundStatus.CLOSED).order_by("number"))


def _pairing_create(
    opened: Round, sides: Sequence[Contestant], number: int, at: datetime
) -> DeathMatch | None:
    """A death match, a bye, or nothing, for a pairing; ``number`` is its place in the round.

    A timetable may also name those who have left: where nothing of theirs counts, the opponent
    rests, and where two have gone there is nothing to be said.
    """
    if all(each.status != ContestantStatus.ACTIVE for each in sides):
        return None
    if len(sides) == 1:
        return deathmatches.bye_create(round=opened, home=sides[0], number=number, at=at)
    home, away = sides
    return deathmatches.death_match_create(round=opened, home=home, away=away, number=number, at=at)


def _walkover_of(sides: Sequence[Contestant], death_match: DeathMatch) -> Walkover | None:
    """Against an opponent who has left, but stays in the table."""
    gone = [each for each in sides if each.status != ContestantStatus.ACTIVE]
    if not gone:
        return None
    winner = next(each for each in sides if each.pk != gone[0].pk)
    return Walkover(death_match, winner, f"{gone[0].name} has withdrawn.")


def _head_of_table(course: TableCourse[Any]) -> list[dict[str, Any]]:
    """The head of the standings, for the news."""
    points = standings(course.table_players, course.counting, ["points"])
    return [
        {
            "rank": row.rank,
            "contestant": row.player,
            "name": course.holders[row.player].name,
            "points": points.row(row.player).values[0],
        }
        for row in course.table.rows[:HEAD_ROWS]
    ]
