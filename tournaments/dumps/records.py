"""The records of a season's finished matches, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from games.models import Match
from games.reading.records import record_bytes
from tournaments.models import Leg, Season

# So many are read at once: what a stream holds in memory, however long the season.
BATCH = 10


def season_records(season: Season) -> Iterator[bytes]:
    """Every finished match of a season, the oldest first, as lines of JSON (NDJSON).

    Running matches are left out: a record tells everything. See `season_records_after`.
    """
    after = 0
    while True:
        lines, after = season_records_after(season, after)
        yield from lines
        if not lines:
            return


def season_records_after(season: Season, after: int) -> tuple[list[bytes], int]:
    """The next lines after the match with that number, and the number to go on with; no lines
    when there are no more. Each batch stands on its own, so that a slow reader holds no
    transaction open."""
    legs = (
        Leg.objects.filter(
            death_match__round__season=season,
            match__status=Match.Status.FINISHED,
            match__gt=after,
        )
        .select_related("match", "death_match__round")
        .order_by("match_id")[:BATCH]
    )
    lines = [_line(leg) for leg in legs]
    return lines, max((leg.match_id or 0 for leg in legs), default=after)


def _line(leg: Leg) -> bytes:
    match = leg.match
    assert match is not None, "the query asks for legs with a match"  # noqa: S101
    line: dict[str, Any] = {
        "match": match.pk,
        "round": leg.death_match.round.number,
        "death_match": leg.death_match_id,
        "leg": leg.number,
        "attempt": leg.attempt,
        "void": match.winner is None,
        "finished_at": match.finished_at,
        "record": msgspec.Raw(record_bytes(match)),
    }
    return msgspec.json.encode(line) + b"\n"
