"""A Colosseum season's rows as pairing and standings know them.

The one bridge between the two: services pair from it, pages show it. Players are the contestants
who hold a place now, under their own ids: what was decided under somebody they took over from
counts for the place. Nothing here changes anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.utils.functional import cached_property

from core.refusals import Refusal
from games.engine.errors import EngineFault
from tournaments.formats import field
from tournaments.formats.ladder import rules as ladder
from tournaments.formats.ladder.options import LadderOptions
from tournaments.formats.registry import options_of
from tournaments.formats.round_robin import rules as round_robin
from tournaments.formats.round_robin.options import RoundRobinOptions
from tournaments.formats.single_elimination import rules as single_elimination
from tournaments.formats.single_elimination.options import SingleEliminationOptions
from tournaments.formats.swiss.options import SwissOptions
from tournaments.lifecycle import ContestantStatus, DeathMatchStatus, How
from tournaments.models import Contestant, DeathMatch, Format, Season
from tournaments.standings import DEFAULTS, Table, standings

_CAME = {
    How.PLAYED: field.How.PLAYED,
    # Who decided makes no difference to what a result counts.
    How.RULING: field.How.PLAYED,
    How.WALKOVER: field.How.WALKOVER,
    How.BYE: field.How.BYE,
}


class Course:
    """A season that has begun. ``death_matches`` have their round at hand."""

    def __init__(
        self,
        season: Season,
        contestants: Iterable[Contestant],
        death_matches: Iterable[DeathMatch],
    ) -> None:
        self.season = season
        self.options = options_of(season.format, season.format_options)
        self._contestants = {each.pk: each for each in contestants}
        self._rows = list(death_matches)

    @classmethod
    def of(cls, season: Season) -> Course:
        """The course of a season, from two queries."""
        rows = DeathMatch.objects.filter(round__season=season).select_related("round")
        return cls(season, season.contestants.all(), rows.order_by("round__number", "number"))

    # -- places ----------------------------------------------------------------------------------

    @cached_property
    def _takes_over(self) -> dict[int, int]:
        return {
            each.replaces_id: each.pk for each in self._contestants.values() if each.replaces_id
        }

    def holder(self, pk: int) -> Contestant:
        """Who holds the place of that contestant now."""
        while pk in self._takes_over:
            pk = self._takes_over[pk]
        return self._contestants[pk]

    @cached_property
    def holders(self) -> dict[int, Contestant]:
        """Everybody who holds a place in the season, those who have left included, by id."""
        return {
            pk: each
            for pk, each in self._contestants.items()
            if each.seed is not None and pk not in self._takes_over
        }

    @cached_property
    def players(self) -> list[field.Player]:
        """The holders with their seeds."""
        return [
            field.Player(pk, each.seed)
            for pk, each in self.holders.items()
            if each.seed is not None
        ]

    @cached_property
    def withdrawn(self) -> list[int]:
        """Who has left, in the order in which they went."""
        gone = [each for each in self.holders.values() if each.status == ContestantStatus.WITHDRAWN]
        return [each.pk for each in sorted(gone, key=lambda each: (each.left_at, each.pk))]

    # -- results ---------------------------------------------------------------------------------

    @cached_property
    def _known(self) -> list[tuple[DeathMatch, field.Result]]:
        """Every death match with its sides known, in the order in which they were settled."""
        settled = sorted(
            self._rows,
            key=lambda row: (
                row.decided_at is None,
                row.decided_at.timestamp() if row.decided_at else 0,
                row.round.number,
                row.number,
            ),
        )
        found = ((row, self._result_of(row)) for row in settled)
        return [(row, result) for row, result in found if result is not None]

    def _result_of(self, row: DeathMatch) -> field.Result | None:
        if row.home_id is None or (row.away_id is None and row.how != How.BYE):
            return None
        how = field.How.PLAYED
        if row.status == DeathMatchStatus.VOID:
            how = field.How.VOID
        elif row.status == DeathMatchStatus.DECIDED:
            how = _CAME[How(row.how)]
        return field.Result(
            round=row.round.number,
            home=self.holder(row.home_id).pk,
            away=None if row.away_id is None else self.holder(row.away_id).pk,
            winner=None if row.winner_id is None else self.holder(row.winner_id).pk,
            home_score=row.home_score,
            away_score=row.away_score,
            how=how,
            match=self._match_of(row),
        )

    def _match_of(self, row: DeathMatch) -> int:
        return int(row.key) if self.season.format == Format.SINGLE_ELIMINATION else 0

    @cached_property
    def results(self) -> list[field.Result]:
        """All results, open ones included, in the order in which they were settled."""
        return [result for _, result in self._known]

    @cached_property
    def settled(self) -> list[field.Result]:
        """Results that nothing more is to be played of."""
        return [result for result in self.results if result.settled]

    # -- what the formats make of them -------------------------------------------------------------

    @cached_property
    def rounds(self) -> int:
        """How many rounds the season has from its beginning to its end; 0 for a ladder."""
        if isinstance(self.options, SwissOptions):
            return self.options.rounds
        if isinstance(self.options, RoundRobinOptions):
            return max(pairing.round for pairing in self.timetable)
        if isinstance(self.options, SingleEliminationOptions):
            return self.bracket.bracket.rounds
        return 0

    @cached_property
    def bracket(self) -> single_elimination.Progress:
        """A bracket as far as it is played."""
        if not isinstance(self.options, SingleEliminationOptions):
            raise EngineFault("only single elimination has a bracket")
        made = single_elimination.bracket_of(self.players, third_place=self.options.third_place)
        # A death match is decided as one, however many legs it had.
        played = [result for result in self.settled if result.away is not None]
        return single_elimination.progress(made, played, self.withdrawn)

    @cached_property
    def timetable(self) -> tuple[field.Pairing, ...]:
        """All pairings of a round robin."""
        if not isinstance(self.options, RoundRobinOptions):
            raise EngineFault("only a round robin has a timetable")
        return round_robin.timetable(self.players, legs=self.options.legs)

    @cached_property
    def robin(self) -> round_robin.Counted:
        """What counts of a round robin, after withdrawals."""
        recorded = [
            result
            for row, result in self._known
            if result.away is not None and not self._for_leaving(row, result)
        ]
        return round_robin.counted(self.timetable, recorded, self.withdrawn)

    def _for_leaving(self, row: DeathMatch, result: field.Result) -> bool:
        """Whether a walkover was given because the loser had left: then the rule on withdrawals
        says what becomes of it, and it is no reason why they should stay in the table."""
        if result.how is not field.How.WALKOVER or result.loser is None:
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
        """Ids of decided death matches of a round robin that count for nobody."""
        if self.season.format != Format.ROUND_ROBIN:
            return frozenset()
        return frozenset(
            row.pk
            for row, result in self._known
            if result.winner is not None and not self.robin.out.isdisjoint(result.sides)
        )

    @cached_property
    def table_players(self) -> list[int]:
        """Who stands in the table of a round robin or Swiss season; not those for whom nothing
        counts any more."""
        if self.season.format == Format.ROUND_ROBIN:
            return [pk for pk in self.holders if pk not in self.robin.out]
        return list(self.holders)

    @cached_property
    def counting(self) -> Sequence[field.Result]:
        """What counts in that table."""
        return self.robin.results if self.season.format == Format.ROUND_ROBIN else self.settled

    @cached_property
    def table(self) -> Table:
        """The standings of a round robin or Swiss season."""
        order = self.season.tie_breaks or DEFAULTS[self.season.format]
        names = {pk: each.name for pk, each in self.holders.items()}
        return standings(self.table_players, self.counting, order, names)

    @cached_property
    def rungs(self) -> tuple[ladder.Rung, ...]:
        """A ladder, the top rung first."""
        made = sorted(self._known, key=lambda known: known[0].number)
        results = [result for _, result in made if result.settled]
        return ladder.rungs_of(self.players, results, self.withdrawn)

    @cached_property
    def ladder(self) -> tuple[int, ...]:
        """Who stands on the rungs, from the top."""
        return tuple(rung.player for rung in self.rungs)

    @cached_property
    def first(self) -> list[int]:
        """Who may win the season, as it stands: the best of those who are still in it.
        Raises Refusal ``season.not-concluded``."""
        season = self.season
        if season.format == Format.ELIMINATION:
            raise Refusal("season.not-concluded", "An elimination season ends with its final.")
        if self.busy or season.rounds.count() < self.rounds:
            raise Refusal("season.not-concluded", "There are death matches to be played first.")
        if season.format == Format.SINGLE_ELIMINATION:
            ordered = [
                (place.rank, place.player) for place in single_elimination.places(self.bracket)
            ]
        elif season.format == Format.LADDER:
            ordered = list(enumerate(self.ladder, start=1))
        else:
            ordered = [(row.rank, row.player) for row in self.table.rows]
        still_in = [
            (rank, pk) for rank, pk in ordered if self.holders[pk].status == ContestantStatus.ACTIVE
        ]
        if not still_in:
            raise Refusal(
                "season.not-concluded", "Everybody has left: this season can be called off."
            )
        best = still_in[0][0]
        return [pk for rank, pk in still_in if rank == best]

    @cached_property
    def busy(self) -> frozenset[int]:
        """Who has an open death match."""
        return frozenset(
            side for result in self.results if not result.settled for side in result.sides
        )

    def in_reach(self, challenger: int) -> tuple[int, ...]:
        """Whom somebody on a ladder may challenge now, nearest first."""
        return ladder.in_reach(self.ladder, challenger, self.reach, self.busy)

    @property
    def reach(self) -> int:
        """How many rungs up a challenge may go."""
        if not isinstance(self.options, LadderOptions):
            raise EngineFault("only a ladder has a reach")
        return self.options.challenge_reach
