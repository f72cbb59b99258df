"""What workers do of announcements."""

from __future__ import annotations

from celery import shared_task

from accounts.announcing.delivering import (
    DELIVERED,
    announcements_prune,
    deliveries_sweep,
    delivery_send,
    digests_send,
    push_attempt,
    push_test_send,
)
from accounts.announcing.discord import direct_attempt
from accounts.jobs import DELIVER, DIGESTS, DISCORD, PRUNE, PUSH, PUSH_TEST, SWEEP
from core.jobs import guard


@shared_task(name=DELIVER)
def deliver(delivery_id: int) -> None:
    """Send one announcement. One that cannot be sent is left to the sweep."""
    guard.attempt(
        DELIVERED,
        delivery_id,
        lambda: delivery_send(delivery_id=delivery_id),
        target="accounts.announcementdelivery",
    )


@shared_task(name=PUSH)
def push(delivery_id: int) -> None:
    """Send one announcement to its reader's devices. What a push service does not take is left to
    the sweep."""
    push_attempt(delivery_id=delivery_id)


@shared_task(name=DISCORD)
def discord(delivery_id: int) -> None:
    """Write one announcement to its reader in Discord. What Discord does not take just now is left
    to the sweep."""
    direct_attempt(delivery_id=delivery_id)


@shared_task(name=PUSH_TEST)
def push_test(device_id: int) -> None:
    """Send a test to one device, once."""
    push_test_send(device_id=device_id)


@shared_task(name=SWEEP)
@guard.completed(SWEEP)
def sweep() -> None:
    """Send the announcements that no worker was told of."""
    deliveries_sweep()


@shared_task(name=DIGESTS)
@guard.completed(DIGESTS)
def digests() -> None:
    """Send the digests whose hour it is."""
    digests_send()


@shared_task(name=PRUNE)
@guard.completed(PRUNE)
def prune() -> None:
    """Forget what was announced long ago."""
    announcements_prune()
