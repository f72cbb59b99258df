"""Contestants: everybody of a season, who is best off, and what each has won and lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import F, Model
from django.utils import timezone

from tournaments.lifecycle import ContestantStatus, DeathMatchStatus, How
from tournaments.models import Contestant, DeathMatch, Season


class ContestantRecord(NamedTuple):
    """A contestant, how many death matches they have won and lost, and whether what they still play
    for is a place behind."""

    contestant: Contestant
    won: int
    lost: int
    for_third: bool


def contestants_of(season: Season) -> list[Contestant]:
    """Everybody who ever entered, by seed."""
    rows = Contestant.objects.filter(season=season).select_related("user", "picture")
    found = list(rows.order_by(F("seed").asc(nulls_last=True), "pk"))
    for each in found:
        each.season = season
        if each.picture is not None:
            each.picture.season = season
    return found


def link(row: Model, by_id: Mapping[int, Contestant], *names: str) -> None:
    """Have these foreign keys of a row lead to the contestants that were read already; one who has
    come since is read where they are asked for."""
    for name in names:
        pk = getattr(row, f"{name}_id")
        if pk in by_id:
            setattr(row, name, by_id[pk])


def by_standing(season: Season, contestants: Iterable[Contestant]) -> list[Contestant]:
    """The best off first: the winner, who is still in, who left last."""
    order = {ContestantStatus.ACTIVE: 0, ContestantStatus.ENROLLED: 0}
    never = datetime.max.replace(tzinfo=timezone.get_default_timezone())

    def key(each: Contestant) -> tuple[Any, ...]:
        if each.pk == season.winner_id:
            return (-1, 0, 0, 0)
        stage = order.get(ContestantStatus(each.status), 1)
        left = each.left_at or never
        return (stage, each.place or 10**6, -left.timestamp() if stage else 0, each.seed or 0)

    return sorted(contestants, key=key)


def was_decided(row: DeathMatch) -> bool:
    """Whether somebody has won a death match that was one: byes are none."""
    return row.status == DeathMatchStatus.DECIDED and row.how != How.BYE


def records_of(
    contestants: Iterable[Contestant],
    death_matches: Iterable[DeathMatch],
    for_third: Collection[int],
) -> list[ContestantRecord]:
    """What each of these has won and lost, in their order; ``for_third``: who plays for a place
    behind."""
    won: Counter[int | None] = Counter()
    lost: Counter[int | None] = Counter()
    for row in filter(was_decided, death_matches):
        for side in (row.home_id, row.away_id):
            (won if side == row.winner_id else lost)[side] += 1
    return [
        ContestantRecord(each, won[each.pk], lost[each.pk], each.pk in for_third)
        for each in contestants
    ]
