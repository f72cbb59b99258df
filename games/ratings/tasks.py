"""What workers do for ratings: take in a result, and look for those that were missed."""

from __future__ import annotations

from datetime import timedelta

import structlog
from celery import shared_task
from django.db import OperationalError
from django.utils import timezone

from core.jobs import guard
from core.queueing import enqueue
from games.jobs import RATE, REPAIR_RATINGS
from games.ratings.services import match_rate, ratings_repair

log = structlog.get_logger("gauntlet.ratings")

# How far back the frequent look reaches; the rare one looks at everything.
RECENT = timedelta(days=2)


@shared_task(name=RATE)
def rate(match_id: int) -> None:
    """Take in the result of one match, or what has become of it."""
    try:
        match_rate(match_id=match_id)
    except OperationalError as error:
        # Another change of the ladder takes long. The next look finds what is missing.
        log.warning("ratings.busy", match=match_id, error=str(error).strip())


@shared_task(name=REPAIR_RATINGS)
@guard.completed("games.ratings.repair")
def repair(everything: bool = False) -> None:
    """Take in results that were missed: a broker that was away has lost their tasks."""
    ratings_repair(since=None if everything else timezone.now() - RECENT)


def on_match_ended(*, match_id: int, **_more: object) -> None:
    """A match has a result."""
    enqueue(RATE, match_id)
