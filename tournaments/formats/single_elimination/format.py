"""A bracket: who loses is out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.utils.functional import cached_property

from accounts.models import User
from core.refusals import Refusal
from tournaments import lifecycle
from tournaments.course import Course
from tournaments.formats.base import NOTHING, Follows, Format, Walkover, closed_to_late_entries
from tournaments.formats.brackets import Progress
from tournaments.formats.numbering import NumberedRound, wrong
from tournaments.formats.rounds import round_announce, round_create
from tournaments.formats.single_elimination import invariants, rules
from tournaments.formats.single_elimination.options import SingleEliminationOptions
from tournaments.lifecycle import (
    SETTLED,
    ContestantStatus,
    DeathMatchStatus,
    How,
    LegStatus,
    RoundStatus,
)
from tournaments.models import Contestant, DeathMatch, Round, Season
from tournaments.services import deathmatches
from tournaments.services.events import season_event

_ENDS: Final = {0: "Final", 1: "Semi-finals", 2: "Quarter-finals"}


class BracketCourse(Course[SingleEliminationOptions]):
    """A bracket. Its death matches have what the rules call them as their keys."""

    options_type = SingleEliminationOptions

    def _match_of(self, row: DeathMatch) -> int:
        return int(row.key)

    @cached_property
    def bracket(self) -> Progress:
        """As far as it is played."""
        made = rules.bracket_of(self.players, third_place=self.options.third_place)
        # A death match is decided as one, however many legs it had.
        played = [result for result in self.settled if result.away is not None]
        return rules.progress(made, played, self.withdrawn)

    @property
    def rounds(self) -> int:
        """As many as the field needs."""
        return self.bracket.bracket.rounds

    @property
    def ordered(self) -> list[tuple[int, int]]:
        """By how far each came."""
        return [(place.rank, place.player) for place in rules.places(self.bracket)]


class SingleElimination(Format):
    """All rounds are there from the beginning, most of their death matches waiting for their
    sides."""

    key = "single-elimination"
    name = "Single elimination"
    summary = "A bracket: who loses is out, the last one wins."
    course_type = BracketCourse
    rounds_ahead = True
    loses_once = True
    draws_bracket = True
    season_template = "tournaments/formats/single_elimination/season.html"

    def faults(
        self, *, season: Season, death_matches: Sequence[DeathMatch], lenient: bool
    ) -> Iterator[str]:
        """In the first round everybody is paired, later those who have won in the one before."""
        del lenient
        if death_matches:
            course = BracketCourse(season, season.contestants.all(), death_matches)
            yield from invariants.faults_of(course, course.bracket, death_matches)

    def must_be_voidable(self, *, death_match: DeathMatch) -> None:
        """Refused (``bracket.void``): somebody has to go on."""
        del death_match
        raise Refusal(
            "bracket.void",
            "A bracket needs a winner here: have a match played again, or declare who has won.",
        )

    def on_started(self, *, season: Season, acting_user: User | None, at: datetime) -> Follows:
        """The whole bracket, and its first round opens."""
        del acting_user
        first = _bracket_create(season, at)
        round_announce(opened=first, at=at)
        return _advance(season, at)

    def on_decided(self, *, death_match: DeathMatch, at: datetime) -> Follows:
        """The winner goes on."""
        return _advance(death_match.round.season, at)

    def rests_on(self, *, death_match: DeathMatch) -> Sequence[DeathMatch]:
        """What comes next. What has been played of it falls, and is played again, if an organiser
        has reopened the round of the result; else it is refused (``round.frozen``)."""
        later = [row for row, _fed in _successors_of(death_match)]
        for row in later:
            _must_allow_unbuilding(death_match, row)
        return later

    def on_undone(self, *, death_match: DeathMatch, at: datetime) -> None:
        """What comes next loses the side, and both are in again."""
        for row, (home_fed, away_fed) in _successors_of(death_match):
            deathmatches.sides_set(
                death_match=row,
                home=None if home_fed else row.home,
                away=None if away_fed else row.away,
                at=at,
            )
        _restore(death_match.home, at)
        _restore(death_match.away, at)

    def complete(self, *, round: Round, at: datetime) -> Follows:  # noqa: A002
        """A round stays open until something after it is decided: until then a wrong result can be
        corrected without reopening anything. After the last one the season ends."""
        season = round.season
        course = BracketCourse.of(season)
        if round.number >= course.rounds or round.status == RoundStatus.REOPENED:
            deathmatches.round_close(acting_user=None, round=round, at=at)
        if course.is_last(round):
            return Follows(concludes=True)
        round_announce(opened=season.rounds.get(number=round.number + 1), at=at)
        return NOTHING

    def must_admit(self, *, season: Season) -> None:
        """Nobody: ``entry.closed``."""
        del season
        raise closed_to_late_entries()

    def on_left(self, *, contestant: Contestant, at: datetime) -> Follows:
        """Everything that they would have played is a walkover."""
        return _advance(contestant.season, at)

    def must_number(self, *, season: Season, rounds: Sequence[NumberedRound]) -> None:
        """The death matches are those of the bracket that the seeds make, each in its place."""
        course = BracketCourse.of(season)
        if len({each.seed for each in course.players}) < len(course.players):
            raise wrong("contestants", "two who hold a place have the same seed")
        try:
            bracket = rules.bracket_of(course.players, third_place=course.options.third_place)
        except Refusal as refusal:
            raise refusal.reworded(f"At contestants: {refusal.sentence}") from refusal
        found = sorted((each.number, *row) for each in rounds for row in each.death_matches)
        if found != sorted((each.round, each.slot + 1, str(each.id)) for each in bracket.matches):
            raise wrong("rounds", "these are not the matches of the bracket of the seeds")


FORMAT = SingleElimination()


def _bracket_create(season: Season, at: datetime) -> Round:
    """All rounds and death matches; returns the first round."""
    course = BracketCourse.of(season)
    bracket = course.bracket.bracket
    rounds = {
        number: round_create(
            season=season,
            number=number,
            name=_ENDS.get(
                bracket.rounds - number, f"Round of {2 ** (bracket.rounds - number + 1)}"
            ),
            at=at,
            is_final=number == bracket.rounds,
        )
        for number in range(1, bracket.rounds + 1)
    }
    for match in bracket.matches:
        sides = [
            course.holders[bracket.seeds[source.of - 1]]
            for source in match.sources
            if source.kind == "seed"
        ]
        where: dict[str, Any] = {
            "round": rounds[match.round],
            "number": match.slot + 1,
            "key": str(match.id),
            "at": at,
        }
        if match.away is None:
            deathmatches.bye_create(home=sides[0], **where)
        else:
            home, away = sides if len(sides) == 2 else (None, None)
            deathmatches.death_match_create(
                home=home, away=away, best_of=course.options.best_of, **where
            )
    return rounds[1]


def _rows_of(season: Season) -> dict[int, DeathMatch]:
    """The death matches by what the bracket calls them."""
    rows = DeathMatch.objects.filter(round__season=season).select_related(
        "round__season", "home", "away", "winner"
    )
    return {int(row.key): row for row in rows}


def _advance(season: Season, at: datetime) -> Follows:
    """Bring the rows of a bracket into line with its results: sides that are known now, and who is
    out at which place. A walkover against somebody who has left comes first: it brings everything
    behind it into line, too."""
    course = BracketCourse.of(season)
    rows = _rows_of(season)
    for standing in course.bracket.matches:
        row = rows[standing.match.id]
        if row.status in SETTLED:
            continue
        home = None if standing.home is None else course.holders[standing.home]
        away = None if standing.away is None else course.holders[standing.away]
        row = deathmatches.sides_set(death_match=row, home=home, away=away, at=at)
        if standing.winner is not None and standing.loser is not None:
            gone = course.holders[standing.loser]
            winner = course.holders[standing.winner]
            return Follows(walkovers=(Walkover(row, winner, f"{gone.name} has withdrawn."),))
    _eliminate(course, at)
    _close_begun_rounds(season, rows, at)
    return NOTHING


def _eliminate(course: BracketCourse, at: datetime) -> None:
    """Put out whoever has lost for good, with the place they reached."""
    for place in rules.places(course.bracket):
        contestant = course.holders[place.player]
        if contestant.place != place.rank:
            contestant.place = place.rank
            contestant.save(update_fields=["place"])
        if place.rank == 1 or contestant.status != ContestantStatus.ACTIVE:
            continue
        contestant.status = lifecycle.step(
            lifecycle.CONTESTANT,
            contestant.status,
            ContestantStatus.ELIMINATED,
            contestant.shown_name,
        )
        contestant.left_at = at
        contestant.save(update_fields=["status", "left_at"])
        season_event(
            season=course.season,
            kind="contestant.eliminated",
            words=f"{contestant.name} is out.",
            data={"contestant": contestant.pk, "name": contestant.name, "place": place.rank},
            contestant=contestant,
            at=at,
        )


def _close_begun_rounds(season: Season, rows: Mapping[int, DeathMatch], at: datetime) -> None:
    """Close each complete round once something after it has been decided."""
    decided = [
        row.round.number
        for row in rows.values()
        if row.status == DeathMatchStatus.DECIDED and row.how != How.BYE
    ]
    last = max(decided, default=0)
    for each in season.rounds.filter(number__lt=last).exclude(status=RoundStatus.CLOSED):
        if not each.death_matches.exclude(status__in=SETTLED).exists():
            deathmatches.round_close(acting_user=None, round=each, at=at)


def _successors_of(death_match: DeathMatch) -> list[tuple[DeathMatch, tuple[bool, bool]]]:
    """What somebody goes on to from a death match, and which of its two sides come from there."""
    season = death_match.round.season
    rows, this = _rows_of(season), int(death_match.key)
    found = []
    for match in BracketCourse.of(season).bracket.bracket.matches:
        fed = [source.kind != "seed" and source.of == this for source in match.sources]
        if any(fed):
            found.append((rows[match.id], (fed[0], fed[1])))
    return found


def _must_allow_unbuilding(death_match: DeathMatch, later: DeathMatch) -> None:
    if later.legs.filter(status=LegStatus.RUNNING).exists():
        raise Refusal(
            "round.frozen", f"{later} rests on this result and is being played: void that first."
        )
    built = later.status == DeathMatchStatus.DECIDED or later.legs.filter(status=LegStatus.FINISHED)
    if built and death_match.round.status != RoundStatus.REOPENED:
        raise Refusal(
            "round.frozen",
            f"{later} has been played on this result. Reopen {death_match.round.name} first, or "
            "have that one played again.",
        )


def _restore(contestant: Contestant | None, at: datetime) -> None:
    """Bring back somebody whose place a correction has taken away."""
    if contestant is None:
        return
    contestant = BracketCourse.of(contestant.season).holder(contestant.pk)
    if contestant.place is not None:
        contestant.place = None
        contestant.save(update_fields=["place"])
    if contestant.status != ContestantStatus.ELIMINATED:
        return
    contestant.status = lifecycle.step(
        lifecycle.CONTESTANT, contestant.status, ContestantStatus.ACTIVE, str(contestant)
    )
    contestant.left_at = None
    contestant.save(update_fields=["status", "left_at"])
    season_event(
        season=contestant.season,
        kind="contestant.restored",
        words=f"{contestant.name} is back in.",
        data={"contestant": contestant.pk, "name": contestant.name},
        contestant=contestant,
        at=at,
    )
