"""Taking what is to be sent in hand: one worker at a time, and few of its threads.

Whoever takes an announcement is not kept by a transaction while somebody outside is waited for; a
worker that is killed meanwhile leaves a time after which another one goes on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from accounts.announcing.kinds import Way
from accounts.models import AnnouncementDelivery
from core.clock import now_utc
from core.jobs import guard
from core.queueing import enqueue

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


class Places:
    """How many of a worker's threads may wait for somebody at a time, as a setting says: who says
    nothing keeps no other task from them."""

    def __init__(self, setting: str) -> None:
        self.setting = setting
        self.taken = 0
        self._one_at_a_time = threading.Lock()

    @contextmanager
    def one(self) -> Iterator[bool]:
        """Whether there is a place; it is taken meanwhile."""
        with self._one_at_a_time:
            free = self.taken < getattr(settings, self.setting)
            self.taken += free
        try:
            yield free
        finally:
            with self._one_at_a_time:
                self.taken -= free


def delivery_attempt(
    send: Callable[[int], object], *, delivery_id: int, places: Places, job: str, task: str
) -> None:
    """Send one announcement, and set aside under ``job`` what is not taken. While all places are
    taken, a new one is asked for again soon (``task``), and an old one left to the sweep."""
    with places.one() as free:
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
