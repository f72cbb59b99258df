"""Which results count, and for whom: decided here and nowhere else.

A result counts when the match was played here, is over, has a winner, and both seats belong to
accounts. A ruling takes a result out, or gives it to the other seat.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import F, FilteredRelation, Q, QuerySet
from django.db.models.functions import Coalesce

from games.models import Match
from games.ratings.models import OVERALL
from games.ratings.rating import RatedResult


class ResultPosition(NamedTuple):
    """Where a result stands in the order of all: by when its match ended, then by its number."""

    at: datetime
    match_id: int


def counted(matches: QuerySet[Match]) -> Any:
    """Those of ``matches`` whose results count: a query set, whose rows also have `seat_won`,
    `user_0` and `user_1`."""
    seated: Any = matches.annotate(
        seat_won=Coalesce("rating_ruling__winner", "winner"),
        first=FilteredRelation("players", condition=Q(players__seat=0)),
        second=FilteredRelation("players", condition=Q(players__seat=1)),
    )
    seated = seated.annotate(user_0=F("first__user"), user_1=F("second__user"))
    return seated.filter(
        Q(rating_ruling__isnull=True) | Q(rating_ruling__winner__isnull=False),
        Q(seat_won__isnull=False, user_0__isnull=False, user_1__isnull=False),
        status=Match.Status.FINISHED,
        source=Match.Source.PLAYED,
        unrated="",
    )


def results_of(matches: QuerySet[Match]) -> Iterator[RatedResult]:
    """The results of ``matches`` that count, in order."""
    rows = (
        counted(matches)
        .order_by("finished_at", "pk")
        .values_list("pk", "finished_at", "seat_won", "user_0", "user_1")
    )
    for pk, at, won, first, second in rows:
        yield RatedResult(pk, at, *((first, second) if won == 0 else (second, first)))


def results_since(ladder: str, since: ResultPosition | None) -> Iterator[RatedResult]:
    """The results of one ladder from ``since`` on (None: all), in order."""
    matches = Match.objects.order_by()
    if ladder != OVERALL:
        matches = matches.filter(ruleset=ladder)
    if since is not None:
        # Also in the simple form, which an index can be used for.
        matches = matches.filter(finished_at__gte=since.at).filter(
            Q(finished_at__gt=since.at) | Q(pk__gte=since.match_id)
        )
    return results_of(matches)


_EXPECTED = """
    SELECT ladder.id AS ladder_id, match.finished_at AS at, match.id AS match_id,
           player.user_id, player.seat = COALESCE(ruling.winner, match.winner) AS won
    FROM games_match match
    LEFT JOIN games_ratingruling ruling ON ruling.match_id = match.id
    JOIN games_matchplayer player ON player.match_id = match.id
    CROSS JOIN LATERAL (VALUES (match.ruleset), ('overall')) AS ladder (id)
    WHERE match.status = 'finished' AND match.source = 'played' AND match.unrated = ''
      AND {which_matches}
      AND (ruling.id IS NULL OR ruling.winner IS NOT NULL)
      AND COALESCE(ruling.winner, match.winner) IS NOT NULL
      AND NOT EXISTS (
          SELECT FROM games_matchplayer empty
          WHERE empty.match_id = match.id AND empty.user_id IS NULL)
"""
_RATED = """
    SELECT ladder_id, at, match_id, user_id, won FROM games_ratingpoint WHERE {which_points}
"""
_DIFFERENCES = f"""
    SELECT DISTINCT ON (ladder_id) ladder_id, at, match_id FROM (
        (({_EXPECTED}) EXCEPT ({_RATED})) UNION ALL (({_RATED}) EXCEPT ({_EXPECTED}))
    ) AS difference
    WHERE {{which_ladders}}
    ORDER BY ladder_id, at, match_id
"""  # noqa: S608  (constants only)
_SINCE = _DIFFERENCES.format(
    which_matches="match.finished_at >= %(since)s", which_points="at >= %(since)s",
    which_ladders="true",
)  # fmt: skip
_OF_MATCHES = _DIFFERENCES.format(
    which_matches="match.id = ANY(%(matches)s)", which_points="match_id = ANY(%(matches)s)",
    which_ladders="ladder_id = %(ladder)s",
)  # fmt: skip


def first_differences(since: datetime) -> dict[str, ResultPosition]:
    """For each ladder whose points do not agree with the results since ``since``: where the first
    disagreement is."""
    with connection.cursor() as cursor:
        cursor.execute(_SINCE, {"since": since})
        return {ladder: ResultPosition(at, match_id) for ladder, at, match_id in cursor.fetchall()}


def first_difference(ladder: str, matches: Collection[int]) -> ResultPosition | None:
    """Where the points of a ladder disagree first with the results of ``matches``, as they count
    now; None where they agree."""
    with connection.cursor() as cursor:
        cursor.execute(_OF_MATCHES, {"ladder": ladder, "matches": list(matches)})
        found = cursor.fetchone()
    return None if found is None else ResultPosition(*found[1:])
