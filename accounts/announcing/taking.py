"""Taking what is to be sent in hand: one worker at a time, and few of its threads.

Whoever takes an announcement is not kept by a transaction while somebody outside is waited for; a
worker that is killed meanwhile leaves a time after which another one goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q

from accounts.announcing.kinds import Way
from accounts.models import AnnouncementDelivery
from core.clock import now_utc
from core.jobs import guard
from core.queueing import enqueue
from core.senders import Senders

# Written this long ago, and nobody has it in hand any more.
SWEPT_EVERY_S: Final = 10
LEFT_ALONE: Final = timedelta(seconds=15)
# Whoever has it in hand for longer was killed.
LOST: Final = timedelta(minutes=3)
# While as many are on their way as may be.
BUSY_PAUSE_S: Final = 2

Outcome = AnnouncementDelivery.Outcome


class PutOff(OSError):
    """Somebody would not take an announcement just now."""


def delivery_attempt(
    send: Callable[[int], object], *, delivery_id: int, senders: Senders, job: str, task: str
) -> None:
    """Send one announcement, and set aside under ``job`` what is not taken. While all senders are
    busy, a new one is asked for again soon (``task``), and an old one left to the sweep."""
    with senders.one() as free:
        if free:
            guard.attempt(
                job,
                delivery_id,
                lambda: send(delivery_id),
                target="accounts.announcementdelivery",
                limited=False,
            )
        elif _is_young(delivery_id):
            enqueue(task, delivery_id, countdown=BUSY_PAUSE_S, expires=SWEPT_EVERY_S)


def _is_young(delivery_id: int) -> bool:
    waiting = AnnouncementDelivery.objects.filter(pk=delivery_id, outcome=Outcome.WAITING)
    return waiting.filter(at__gte=now_utc() - LEFT_ALONE).exists()


@transaction.atomic
def delivery_take(*, delivery_id: int, way: Way) -> AnnouncementDelivery | None:
    """Take one in hand; None where that is done, or somebody is at it."""
    own = AnnouncementDelivery.objects
    locked = own.select_for_update(skip_locked=True, no_key=True, of=("self",))
    waiting = locked.filter(in_nobodys_hands(), outcome=Outcome.WAITING, way=way)
    row = waiting.select_related("announcement__user").filter(pk=delivery_id).first()
    if row is not None:
        row.taken_at = now_utc()
        row.save(update_fields=["taken_at"])
    return row


def in_nobodys_hands() -> Q:
    """Those that no worker is at."""
    return Q(taken_at=None) | Q(taken_at__lt=now_utc() - LOST)
