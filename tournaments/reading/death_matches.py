"""Death matches with their legs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Prefetch, QuerySet

from core.refusals import NotFound
from games import words
from tournaments.lifecycle import LegStatus
from tournaments.models import DeathMatch, Leg, Round, Season


@dataclass(frozen=True)
class DeathMatchWithLegs:
    """A death match, and every leg of it by number and attempt."""

    row: DeathMatch
    legs: tuple[Leg, ...]

    @property
    def counting(self) -> list[Leg]:
        """The legs that are not void."""
        return [leg for leg in self.legs if leg.status != LegStatus.VOID]

    @property
    def running(self) -> Leg | None:
        """The leg that is being played."""
        return self._first(LegStatus.RUNNING)

    @property
    def next(self) -> Leg | None:
        """The first leg that has still to be played."""
        return self._first(LegStatus.PLANNED)

    @property
    def at_hand(self) -> Leg | None:
        """The leg that it is about now: the one that is being played, else the next, else the last
        that counts."""
        return self.running or self.next or next(reversed(self.counting), None)

    def leg(self, pk: int) -> Leg:
        """The leg of that number. Raises Refusal ``leg.none``."""
        for leg in self.legs:
            if leg.pk == pk:
                return leg
        raise NotFound("leg.none", "There is no such match.")

    def _first(self, status: LegStatus) -> Leg | None:
        return next((leg for leg in self.legs if leg.status == status), None)


def told_score(row: DeathMatch) -> tuple[int, int] | None:
    """The score of a death match where it tells something: the matches that each side has won, and
    where there is only one, its own. Of a row with its legs (`with_legs`), without a query."""
    score = (row.home_score, row.away_score)
    if row.best_of > 1 or score[0] != score[1]:
        return score
    if row.winner_id is None:
        return None
    # It may be that with which matches of the game begin: then somebody gave up before another.
    played = [leg.match for leg in row.legs.all() if leg.status == LegStatus.FINISHED]
    match = next((each for each in played if each is not None), None)
    return None if match is None else words.told_scores(match)


class Appointment(NamedTuple):
    """A leg that has a time, or waits for one."""

    death_match: DeathMatchWithLegs
    leg: Leg

    @property
    def row(self) -> DeathMatch:
        """The death match of which it is one."""
        return self.death_match.row

    @property
    def is_next(self) -> bool:
        """Whether no other leg of its death match is to be played first."""
        return self.leg == self.death_match.next


def with_legs(rows: QuerySet[DeathMatch]) -> list[DeathMatchWithLegs]:
    """These death matches with their legs, in four queries at most."""
    legs = Leg.objects.select_related("match").defer("match__snapshot")
    legs = legs.prefetch_related("match__players", "declarations")
    found = rows.prefetch_related(Prefetch("legs", legs.order_by("number", "attempt")))
    return [_with_legs(row) for row in found]


def _with_legs(row: DeathMatch) -> DeathMatchWithLegs:
    legs = tuple(row.legs.all())
    for leg in legs:
        leg.death_match = row
    return DeathMatchWithLegs(row, legs)


def leg_of_match(match_id: int, viewer: Any) -> Leg | None:
    """The leg that a match is, if it belongs to a season that ``viewer`` may see."""
    rows = Leg.objects.filter(
        match_id=match_id, death_match__round__season__in=Season.objects.visible_to(viewer)
    )
    return rows.select_related(
        "death_match__round__season", "death_match__home", "death_match__away"
    ).first()


def game_of(row: Leg | Round) -> str:
    """What is played, for people; empty while that is not decided."""
    return words.game_name(row.ruleset, row.variant) if row.ruleset else ""
