"""The web service's sign of life, and what matches get back after it was away.

Each web process writes the one row of `ServiceBeat` as long as it answers: any that does is a sign
of life. No decision runs out before there was one after its deadline (`turns.match_wake`), so that
not even the first moments of an outage cost anybody a decision. A gap that is too long is kept as
a `ServiceOutage`; each match is given back what its clocks ran meanwhile, once, before anything
else happens to it: by the sweep, or by whoever comes first.
"""

from __future__ import annotations

from typing import NamedTuple

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max

from core.clock import now_ms
from core.jobs import guard
from games.models import Match, ServiceOutage
from games.services import turns

log = structlog.get_logger("gauntlet.outage")


def beat_record(*, at: int) -> bool:
    """Note that the web service answers at instant ``at``; whether that ends an outage.

    The outage is on record before the new sign of life is: with that, decisions may run out again.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT at FROM games_servicebeat WHERE id = 1 FOR NO KEY UPDATE")
        row = cursor.fetchone()
        is_over = row is not None and at - row[0] > settings.GAUNTLET_OUTAGE_AFTER_MS
        if is_over:
            cursor.execute(
                "INSERT INTO games_serviceoutage (down_since, back_at) VALUES (%s, %s)"
                " ON CONFLICT (back_at) DO NOTHING",
                (row[0], at),
            )
            log.warning("outage.over", seconds=round((at - row[0]) / 1000, 1))
        cursor.execute(
            "INSERT INTO games_servicebeat (id, at) VALUES (1, %s)"
            " ON CONFLICT (id) DO UPDATE SET at = greatest(games_servicebeat.at, excluded.at)",
            (at,),
        )
        cursor.execute("SELECT max(back_at) FROM games_serviceoutage")
        turns.known.end = cursor.fetchone()[0] or 0
    turns.known.beat = at
    return is_over


class GivenBack(NamedTuple):
    """What one look came to, in numbers."""

    matches: int = 0


def outages_give_back() -> GivenBack:
    """Give every running match back what outages took that it has not been given back yet: each on
    its own, the nearest deadline first."""
    latest = ServiceOutage.objects.aggregate(latest=Max("back_at"))["latest"]
    if latest is None:
        return GivenBack()
    behind = (
        Match.objects.running()
        .filter(guard.may_try("matches.give-back"), made_good_until__lt=latest)
        .order_by("deadline_at", "pk")
        .values_list("pk", flat=True)[: settings.GAUNTLET_SWEEP_AT_MOST]
    )
    given = guard.each(
        "matches.give-back",
        behind,
        lambda pk: turns.match_give_back(match_id=pk, at=now_ms()),
        target="games.match",
    )
    if given:
        log.info("outage.given-back", matches=given)
    return GivenBack(given)
