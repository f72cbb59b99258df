"""A season's rows as the rules of its format and standings know them.

The one bridge between the two: formats pair from it, pages show it. Each format has a class of its
own; `formats.registry.course_of` makes the one that fits. Players are the contestants
who hold a place now, under their own ids: what was decided under somebody they took over from
counts for the place. Nothing here changes anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Generic, Self, TypeVar

from django.utils.functional import cached_property

from accounts.models import User
from core.refusals import Forbidden, Refusal
from games.engine.errors import EngineFault
from tournaments.formats import field
from tournaments.formats.brackets import Progress
from tournaments.formats.options import FormatOptions, options_of
from tournaments.lifecycle import ContestantStatus, DeathMatchStatus, How, RoundStatus
from tournaments.models import Contestant, DeathMatch, Round, Season

if TYPE_CHECKING:
    from tournaments.standings import StandingsTable

Options = TypeVar("Options", bound=FormatOptions)

_CAME = {
    How.PLAYED: field.ResultBasis.PLAYED,
    # Who decided makes no difference to what a result counts.
    How.RULING: field.ResultBasis.PLAYED,
    How.WALKOVER: field.ResultBasis.WALKOVER,
    How.BYE: field.ResultBasis.BYE,
}


class Course(Generic[Options]):
    """A season that has begun. ``death_matches`` have their round at hand."""

    options_type: ClassVar[type[FormatOptions]]
    #: What standings are ordered by where organisers have chosen nothing; empty: there are none.
    tie_breaks: ClassVar[tuple[str, ...]] = ()
    #: Whether a table of everybody against everybody makes sense.
    crosses: ClassVar[bool] = False

    def __init__(
        self,
        season: Season,
        contestants: Iterable[Contestant],
        death_matches: Iterable[DeathMatch],
    ) -> None:
        self.season = season
        self.options: Options = options_of(self.options_type, season.format_options)  # type: ignore[assignment]
        self._contestants = {each.pk: each for each in contestants}
        self._rows = list(death_matches)

    @classmethod
    def of(cls, season: Season) -> Self:
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
    def known(self) -> list[tuple[DeathMatch, field.Result]]:
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
        how = field.ResultBasis.PLAYED
        if row.status == DeathMatchStatus.VOID:
            how = field.ResultBasis.VOID
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

    def _match_of(self, _row: DeathMatch) -> int:
        """What the format's rules call a death match; 0 where they have no name for it."""
        return 0

    @cached_property
    def results(self) -> list[field.Result]:
        """All results, open ones included, in the order in which they were settled."""
        return [result for _, result in self.known]

    @cached_property
    def settled(self) -> list[field.Result]:
        """Results that nothing more is to be played of."""
        return [result for result in self.results if result.settled]

    # -- what the formats make of them -------------------------------------------------------------

    @property
    def rounds(self) -> int:
        """How many rounds the season has from its beginning to its end; 0 where nobody knows."""
        return 0

    def is_last(self, played: Round) -> bool:
        """Whether nothing is missing after this round. A corrected result of an earlier round may
        be the last that was."""
        if played.number >= self.rounds:
            return True
        rounds = list(self.season.rounds.values_list("status", flat=True))
        return len(rounds) >= self.rounds and all(each == RoundStatus.CLOSED for each in rounds)

    @property
    def ordered(self) -> list[tuple[int, int]]:
        """Who stands where, the best first: ranks, equal ones too, and ids."""
        raise EngineFault("this format has no order")

    @property
    def annulled(self) -> frozenset[int]:
        """Ids of decided death matches that count for nobody."""
        return frozenset()

    @property
    def table(self) -> StandingsTable | None:
        """The standings; None in formats without a table."""
        return None

    @property
    def bracket(self) -> Progress | None:
        """A bracket as far as it is played; None in formats that have none."""
        return None

    @property
    def rungs(self) -> tuple[field.Rung, ...]:
        """An order in which places are taken from each other, the top rung first; empty in formats
        that have none."""
        return ()

    def in_reach(self, challenger: int) -> tuple[int, ...]:
        """Whom somebody may challenge now, nearest first; nobody where challenges are unknown."""
        del challenger
        return ()

    @cached_property
    def first(self) -> list[int]:
        """Who may win the season, as it stands: the best of those who are still in it.
        Raises Refusal ``season.not-concluded``."""
        if self.busy or self.season.rounds.count() < self.rounds:
            raise Refusal("season.not-concluded", "There are death matches to be played first.")
        active = {pk for pk, each in self.holders.items() if each.status == ContestantStatus.ACTIVE}
        still_in = [(rank, pk) for rank, pk in self.ordered if pk in active]
        if not still_in:
            raise Refusal(
                "season.not-concluded", "Everybody has left: this season can be called off."
            )
        best = still_in[0][0]
        return [pk for rank, pk in still_in if rank == best]

    def must_not_share_first(self, acting_user: User | None) -> None:
        """Whether somebody may end the season: one of several who share the first place cannot say
        who of them has won. Raises Refusal ``season.own`` and ``season.not-concluded``."""
        sharing = [self.holders[pk].user_id for pk in self.first]
        if len(sharing) > 1 and acting_user is not None and acting_user.pk in sharing:
            raise Forbidden(
                "season.own", "You share the first place: another organiser says who has won."
            )

    def must_have_one_first(self) -> None:
        """Whether it is clear who has won. Raises Refusal ``season.tied`` and
        ``season.not-concluded``."""
        if len(self.first) > 1:
            names = ", ".join(self.holders[pk].shown_name for pk in self.first)
            raise Refusal(
                "season.tied", f"It must be said who has won: {names} share the first place."
            )

    @cached_property
    def busy(self) -> frozenset[int]:
        """Who has an open death match."""
        return frozenset(
            side for result in self.results if not result.settled for side in result.sides
        )
