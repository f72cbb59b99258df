"""What workers do for webhooks: send, find what was missed, tell organisers, clear up."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from core.clock import now_utc
from core.jobs import guard
from core.jobs.pruning import rows_prune
from core.queueing import enqueue
from tournaments.jobs import WEBHOOK_CLOCK, WEBHOOK_DISABLED, WEBHOOK_DRAIN, WEBHOOK_TURN
from tournaments.webhooks import notices
from tournaments.webhooks.following import following_repair
from tournaments.webhooks.models import Delivery
from tournaments.webhooks.outbox import (
    clock_deliveries_write,
    turn_deliveries_write,
    turns_catch_up,
)
from tournaments.webhooks.sending import webhook_drain, webhooks_due

_PRUNED_AT_ONCE = 5000
# The name under which a webhook that cannot be dealt with is set aside.
DRAIN = "webhooks.send"


@shared_task(name=WEBHOOK_DRAIN)
def drain(webhook_id: int) -> None:
    """Send what is due of one webhook. One that cannot be dealt with is set aside, and the sweep
    leaves it alone for a while."""
    guard.attempt(
        DRAIN,
        webhook_id,
        lambda: webhook_drain(webhook_id=webhook_id),
        target="tournaments.webhook",
        limited=False,  # receivers are waited for
    )


@shared_task(name="tournaments.webhooks.tasks.sweep")
@guard.completed("tournaments.webhooks.tasks.sweep")
def sweep() -> None:
    """Hand out every webhook that has something due: what waits for another attempt, and what no
    worker was told of."""
    for webhook_id in webhooks_due(guard.may_try(DRAIN), at=now_utc()):
        enqueue(WEBHOOK_DRAIN, webhook_id, expires=30)


@shared_task(name="tournaments.webhooks.tasks.repair")
@guard.completed("tournaments.webhooks.tasks.repair")
def repair() -> None:
    """Set right which matches are followed, and tell of turns that nobody was told of."""
    following_repair()
    turns_catch_up()


@shared_task(name=WEBHOOK_TURN)
def announce_turn(match_id: int, version: int) -> None:
    """Write the deliveries of a turn."""
    turn_deliveries_write(match_id=match_id, version=version)


@shared_task(name=WEBHOOK_CLOCK)
def announce_clock(match_id: int, seat: int | None, kind: str, left_ms: int, at: int) -> None:
    """Write the deliveries of a clock's reminder, given at the moment ``at`` (ms since 1970)."""
    data = {"seat": seat, "kind": kind, "left_ms": left_ms}
    clock_deliveries_write(match_id=match_id, data=data, at=at)


@shared_task(name=WEBHOOK_DISABLED)
def tell_disabled(webhook_id: int) -> None:
    """Tell the organisers of a season that a webhook was given up."""
    notices.webhook_announce_disabled(webhook_id)


@shared_task(name="tournaments.webhooks.tasks.prune")
@guard.completed("tournaments.webhooks.tasks.prune")
def prune() -> None:
    """Forget deliveries that were done with long ago."""
    old = now_utc() - settings.GAUNTLET_WEBHOOK_LOG_KEPT
    done = Delivery.objects.exclude(status=Delivery.Status.PENDING).filter(created_at__lt=old)
    rows_prune(done, at_once=_PRUNED_AT_ONCE)
