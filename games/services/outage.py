"""The web service's sign of life, and what players get back after it was away."""

from __future__ import annotations

import structlog
from django.conf import settings
from django.db import connection, transaction

from config.jobs import guard
from games.models import Match
from games.services.turns import match_grace

log = structlog.get_logger("gauntlet.outage")


def beat_record(*, at: int) -> int:
    """Note that the web service answers at instant ``at``; returns how many matches got grace.

    If the last sign of life is too long ago there was an outage: before the new one is written
    (and with that, before any worker lets decisions run out again) every match whose deadline fell
    into the gap gets its grace.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT at FROM games_servicebeat WHERE id = 1 FOR UPDATE")
        row = cursor.fetchone()
        graced = 0
        if row is not None and at - row[0] > settings.GAUNTLET_OUTAGE_AFTER_MS:
            graced = _give_grace(down_since=row[0], at=at)
        cursor.execute(
            "INSERT INTO games_servicebeat (id, at) VALUES (1, %s)"
            " ON CONFLICT (id) DO UPDATE SET at = greatest(games_servicebeat.at, excluded.at)",
            (at,),
        )
    return graced


def _give_grace(*, down_since: int, at: int) -> int:
    ids = list(
        Match.objects.running()
        .filter(deadline_at__gte=down_since, deadline_at__lt=at)
        .values_list("pk", flat=True)
    )
    graced = guard.each(
        "matches.grace",
        ids,
        lambda pk: match_grace(match_id=pk, down_since=down_since, at=at),
        target="games.match",
    )
    log.warning("outage.over", seconds=round((at - down_since) / 1000), matches=graced)
    return graced
