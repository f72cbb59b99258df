"""What workers do for ratings: take in a result, and look for those that were missed."""

from __future__ import annotations

from datetime import timedelta

import structlog
from celery import shared_task
from django.db import OperationalError
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

from config.jobs import guard
from games.ratings.services import match_rate, ratings_repair

log = structlog.get_logger("gauntlet.ratings")

# How far back the frequent look reaches; the rare one looks at everything.
RECENT = timedelta(days=2)


@shared_task(name="games.ratings.rate")
def rate(match_id: int) -> None:
    """Take in the result of one match, or what has become of it."""
    try:
        match_rate(match_id=match_id)
    except OperationalError as error:
        # Another change of the ladder takes long. The next look finds what is missing.
        log.warning("ratings.busy", match=match_id, error=str(error).strip())


@shared_task(name="games.ratings.repair")
@guard.completed("games.ratings.repair")
def repair(everything: bool = False) -> None:
    """Take in results that were missed: a broker that was away has lost their tasks."""
    ratings_repair(since=None if everything else timezone.now() - RECENT)


def rate_enqueue(*, match_id: int) -> None:
    """Have a worker take in a result soon. A broker that is away is no error here: `repair` finds
    what is missing."""
    try:
        rate.delay(match_id)
    except (RedisError, BrokerError, OSError) as error:
        log.warning("ratings.not-enqueued", match=match_id, error=type(error).__name__)


def repair_enqueue() -> None:
    """Have a worker look through all results soon: who sat where has changed."""
    try:
        repair.delay(everything=True)
    except (RedisError, BrokerError, OSError) as error:
        log.warning("ratings.not-enqueued", match=None, error=type(error).__name__)


def on_match_ended(*, match_id: int, **_more: object) -> None:
    """A match has a result."""
    rate_enqueue(match_id=match_id)
