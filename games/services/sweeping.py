"""Going through the matches whose time has come, for all matches at once: as a worker does, and as
a web process does in a worker's place.

Whoever does it does it one match at a time, each in a transaction of its own, so that none delays
the others; and whatever was done already is not done again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

import structlog
from django.conf import settings
from django.db import DatabaseError, connection

from core.clock import now_ms
from core.jobs import guard
from games.jobs import wake_enqueue
from games.models import Match
from games.reading.processes import WEB_SWEEP, Sweeps, sweeps
from games.services.outage import outages_give_back
from games.services.waking import match_wake, sweeps_postpone

log = structlog.get_logger("gauntlet.sweeping")

#: The name under which a match that cannot be woken is set aside.
WOKEN: Final = "matches.wake"
# Any pair of numbers that nothing else takes as an advisory lock's.
_LOCK: Final = (20_061, 14)
# Who has the lock and has not let go of it after so long stands still, or has very much to do: the
# database takes it away. Two that go through the matches at once do no harm.
_LEASE_MS: Final = 5000


def match_wake_now(match_id: int, by: str = "task") -> bool:
    """`match_wake` at this instant."""
    return match_wake(match_id=match_id, at=now_ms(), by=by)


def matches_hand_out() -> None:
    """Enqueue the matches that are due within seconds, and look at once at those that are overdue.

    Deadlines live in the database, so a broker that lost its queue or a worker that was killed
    with tasks in hand costs at most the time between two sweeps.
    """
    outages_give_back()
    now = now_ms()
    near = now + settings.GAUNTLET_WAKE_AHEAD_MS
    sweeps_postpone(until=near)
    overdue = []
    for match_id, wake_at in _due(near, settings.GAUNTLET_SWEEP_AT_MOST):
        if wake_at < now - settings.GAUNTLET_OVERDUE_MS:
            overdue.append(match_id)
        else:
            wake_enqueue(match_id=match_id, wake_at=wake_at)
    guard.each(WOKEN, overdue, partial(match_wake_now, by="sweep"), target="games.match")


def matches_wake_instead(*, least_s: float, pause_s: float) -> bool:
    """Look at each match whose time has come, in the place of workers that have not swept for
    ``least_s`` seconds; False, and nothing was done, where they have. Of many processes that ask at
    a time one does it, and no more often than every ``pause_s`` seconds."""
    with _alone() as is_alone:
        done = sweeps()
        if not is_left_alone(done, least_s=least_s):
            return False
        if is_alone and (done.by_web is None or done.by_web >= pause_s):
            _wake_due()
    return True


def is_left_alone(done: Sweeps, *, least_s: float) -> bool:
    """Whether no worker has swept for ``least_s`` seconds."""
    return done.by_workers is None or done.by_workers >= least_s


@guard.completed(WEB_SWEEP)
def _wake_due() -> None:
    """At once, for no worker would take them: however soon it is due, nothing is enqueued."""
    outages_give_back()
    now = now_ms()
    sweeps_postpone(until=now)
    due = [match_id for match_id, _ in _due(now, settings.GAUNTLET_WATCH_AT_MOST)]
    guard.each(WOKEN, due, partial(match_wake_now, by="web"), target="games.match")


def _due(until: int, at_most: int) -> list[tuple[int, int]]:
    """The matches that must be looked at by an instant, the most urgent first, and when."""
    rows = (
        # The second says it all; there is an index for the first.
        Match.objects.filter(sweep_at__lte=until, wake_at__lte=until)
        .filter(guard.may_try(WOKEN))
        .order_by("wake_at")
        .values_list("pk", "wake_at")[:at_most]
    )
    return [(match_id, wake_at or 0) for match_id, wake_at in rows]


@contextmanager
def _alone() -> Iterator[bool]:
    """Whether of all processes this one alone is here. The lock is that of a transaction (one of a
    session would be lost behind a pool that gives each transaction another), on a connection beside
    the thread's own: what is done meanwhile has transactions of its own. It ends with this process,
    or after `_LEASE_MS`."""
    holder = connection.copy()
    try:
        holder.set_autocommit(False)
        with holder.cursor() as cursor:
            cursor.execute(
                "SELECT pg_try_advisory_xact_lock(%s, %s),"
                " set_config('idle_in_transaction_session_timeout', %s, true)",
                (*_LOCK, str(_LEASE_MS)),
            )
            is_alone = bool(cursor.fetchone()[0])
        yield is_alone
        try:
            holder.rollback()
        except DatabaseError as error:  # the lease is over: all is done that was to be
            log.warning("sweep.took-long", error=type(error).__name__)
    finally:
        holder.close()
