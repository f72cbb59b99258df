"""What workers do: look at a match when its time has come, and sweep up what was missed."""

from __future__ import annotations

from smtplib import SMTPException

import structlog
from celery import shared_task
from django.conf import settings
from django.core.cache import cache
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

from config.jobs import guard
from games import notices, presence
from games.clock import now_ms
from games.models import Match
from games.services.challenges import challenges_abandon, challenges_expire
from games.services.outage import outages_give_back
from games.services.turns import is_serving, match_wake

log = structlog.get_logger("gauntlet.tasks")


# The name under which a match that cannot be woken is set aside.
WAKE = "matches.wake"
# A match whose row somebody holds is asked again this soon, and this often; then the sweep has it.
AGAIN_S = 0.25
AGAIN_AT_MOST = 8


@shared_task(name="games.tasks.wake")
def wake(match_id: int, tries: int = 0) -> None:
    """Look at one match now, or as soon as its row is free."""
    looked = guard.attempt(WAKE, match_id, lambda: _woken(match_id), target="games.match")
    if looked is False and tries < AGAIN_AT_MOST:
        wake.apply_async((match_id, tries + 1), countdown=AGAIN_S)


def _woken(match_id: int) -> bool:
    return match_wake(match_id=match_id, at=now_ms())


@shared_task(name="games.tasks.sweep")
@guard.completed("games.tasks.sweep")
def sweep() -> None:
    """Enqueue the matches that are due within seconds, and look at once at those that are overdue:
    each on its own, so that none delays the others.

    Deadlines live in the database, so a broker that lost its queue or a worker that was killed
    with tasks in hand costs at most the time between two sweeps.
    """
    outages_give_back()
    now = now_ms()
    due = (
        Match.objects.filter(wake_at__lte=now + settings.GAUNTLET_WAKE_AHEAD_MS)
        .filter(guard.may_try(WAKE))
        .order_by("wake_at")
        .values_list("pk", "wake_at")[: settings.GAUNTLET_SWEEP_AT_MOST]
    )
    overdue = []
    for match_id, wake_at in due:
        if (wake_at or 0) < now - settings.GAUNTLET_OVERDUE_MS:
            overdue.append(match_id)
        else:
            wake_enqueue(match_id=match_id, wake_at=wake_at or 0)
    guard.each(WAKE, overdue, _woken, target="games.match")


@shared_task(name="games.tasks.sweep_challenges")
@guard.completed("games.tasks.sweep_challenges")
def sweep_challenges() -> None:
    """Close the challenges that nobody took in time, and those whose owner has left."""
    challenges_expire(now=timezone.now())
    if is_serving(now_ms()):
        challenges_abandon(now=timezone.now())
    else:
        # Nobody can be seen while there is nothing to see them.
        presence.forget_since()


@shared_task(
    name="games.tasks.mail_ruling",
    autoretry_for=(SMTPException, OSError),
    retry_backoff=30,
    max_retries=6,
)
def mail_ruling(match_id: int, seq: int) -> None:
    """Write to those who may rule on a match."""
    notices.mail_ruling(match_id, seq)


def mail_ruling_enqueue(*, match_id: int, seq: int) -> None:
    """Have a worker write to those who may rule on a match. A broker that is away costs the mail,
    not the ruling: the match stands in the organisers' queue all the same."""
    try:
        mail_ruling.delay(match_id, seq)
    except (RedisError, BrokerError, OSError) as error:
        log.warning("ruling-mail.not-enqueued", match=match_id, error=type(error).__name__)


@shared_task(
    name="games.tasks.mail_missed",
    autoretry_for=(SMTPException, OSError),
    retry_backoff=30,
    max_retries=6,
)
def mail_missed(match_id: int) -> None:
    """Write to those for whom a match ended while they were away."""
    notices.tell_missed(match_id)


def mail_missed_enqueue(*, match_id: int) -> None:
    """Have a worker write to them. A broker that is away costs the mail, not the front page."""
    try:
        mail_missed.delay(match_id)
    except (RedisError, BrokerError, OSError) as error:
        log.warning("missed-mail.not-enqueued", match=match_id, error=type(error).__name__)


def wake_enqueue(*, match_id: int, wake_at: int) -> None:
    """Have a worker look at a match at instant ``wake_at`` (ms), which must be near: a far one
    would wait in the broker. Enqueues once for the same instant.

    A broker that is away is no error here: the sweep finds the match in the database.
    """
    # A task that came a moment too early would find nothing to do and not be sent again.
    countdown = max(0, wake_at - now_ms() + 2) / 1000
    try:
        if cache.add(f"wake:{match_id}:{wake_at}", 1, timeout=30):
            wake.apply_async((match_id,), countdown=countdown)
    except (RedisError, BrokerError, OSError) as error:
        log.warning("wake.not-enqueued", match=match_id, error=type(error).__name__)
