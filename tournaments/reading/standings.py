"""Who stands where, beyond what the course of a season says itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from tournaments.course import Course
from tournaments.lifecycle import DeathMatchStatus
from tournaments.models import Contestant, DeathMatch
from tournaments.standings.table import StandingsTable

# A cross table of more is too large to read.
CROSS_MOST: Final = 24

CrossTable = list[tuple[Contestant, list[list[DeathMatch] | None]]]


def cross_table_of(
    course: Course[Any],
    table: StandingsTable | None,
    death_matches: Iterable[DeathMatch],
    by_id: Mapping[int, Contestant],
) -> CrossTable:
    """Everybody's matches against everybody, in the order of the standings; None on the diagonal.
    Empty where the format has none, and where it would be too large to read."""
    if table is None or not course.crosses:
        return []
    order = [row.player for row in table.rows]
    if len(order) > CROSS_MOST:
        return []
    met: dict[tuple[int, int], list[DeathMatch]] = defaultdict(list)
    for row in death_matches:
        if row.status == DeathMatchStatus.VOID or row.home_id is None or row.away_id is None:
            continue
        if row.pk in course.annulled:
            continue
        home, away = course.holder(row.home_id).pk, course.holder(row.away_id).pk
        met[home, away].append(row)
        met[away, home].append(row)
    return [
        (by_id[one], [None if one == other else met[one, other] for other in order])
        for one in order
    ]


def rungs_of(course: Course[Any], by_id: Mapping[int, Contestant]) -> list[tuple[Contestant, str]]:
    """The rungs of an order from the top: who stands there, and how they came there."""
    names = {pk: each.name for pk, each in by_id.items()}
    seeds = {player.id: player.seed for player in course.players}
    return [(by_id[rung.player], rung.why(seeds[rung.player], names)) for rung in course.rungs]
