"""What each web process looks after besides its requests, in a thread of its own: that deadlines
are enforced when no worker does it, and that one process that hangs is told of by the others.

Deadlines are the workers' business, since nothing else keeps those busy. When none has completed a
sweep for three seconds (they were killed, or beat was, or the broker is away), the web processes do
it until one does again: one at a time, under a lock of the database. They do only what a clock asks
of a match: what runs out, an arrival's time too, and reminders. What follows an end, what the times
of a season ask, mail and webhooks wait for a worker: nobody's time runs out meanwhile.
"""

from __future__ import annotations

import threading
import time
from typing import Final
from uuid import UUID

import structlog
from django.conf import settings
from django.db import DatabaseError, connection

from core.clock import now_ms
from games.reading.processes import Running, Sweeps, processes, sweeps
from games.services.outage import is_awaited
from games.services.processes import processes_forget
from games.services.sweeping import is_left_alone, matches_wake_instead

log = structlog.get_logger("gauntlet.watch")

# How often all is looked at while all is well; and how often matches are while workers are away.
EVERY_S: Final = 1.0
INSTEAD_EVERY_S: Final = 0.25
# Of several processes one does, and then the others need not for so long.
PAUSE_S: Final = 0.2
# How often it is looked at which processes are silent.
ROLL_CALL_S: Final = 2.0


def start() -> None:
    """Begin, in a thread."""
    threading.Thread(target=_Watch().go_on, name="gauntlet-watch", daemon=True).start()


class _Watch:
    def __init__(self) -> None:
        self.since = time.monotonic()
        self.stands_in = False
        self.silent: set[UUID] | None = None
        self.calls_next = self.since

    def go_on(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(INSTEAD_EVERY_S if self.stands_in else EVERY_S)
            self.look()

    def look(self) -> None:
        """Do what is to be done at the moment; nothing before this process knows what time it is.
        Raises nothing: the next look must come."""
        if is_awaited():
            return
        try:
            self._stand_in()
            if time.monotonic() >= self.calls_next:
                self.calls_next = time.monotonic() + ROLL_CALL_S
                self._call_the_roll()
        except DatabaseError as error:
            log.warning("watch.failed", error=type(error).__name__)
            connection.close()
        except Exception:
            log.exception("watch.failed")

    def _stand_in(self) -> None:
        least_s = settings.GAUNTLET_STAND_IN_AFTER_MS / 1000
        # Workers that are started together with this process come a little later.
        if not self.stands_in and time.monotonic() - self.since < least_s:
            return
        done = sweeps()
        # Told before it is done, which may take long or fail.
        self._tell(is_left_alone(done, least_s=least_s), done)
        if self.stands_in:
            self._tell(matches_wake_instead(least_s=least_s, pause_s=PAUSE_S), done)

    def _tell(self, stands_in: bool, done: Sweeps) -> None:
        if stands_in == self.stands_in:
            return
        self.stands_in = stands_in
        if stands_in:
            log.error("deadlines.no-worker", last_sweep_s=done.by_workers)
        else:
            log.warning("deadlines.worker-again")

    def _call_the_roll(self) -> None:
        running = processes()
        # Those that were killed before this one began are no news.
        before, self.silent = self.silent, {each.id for each in running if each.is_silent}
        if before is None:
            before = self.silent
        for each in running:
            if each.is_silent and each.id not in before:
                _tell_of("process.silent", each)
            elif each.id in before and not each.is_silent:
                _tell_of("process.answers-again", each)
        processes_forget(at=now_ms())


def _tell_of(what: str, each: Running) -> None:
    log.warning(
        what, kind=each.kind, host=each.host, pid=each.pid, silent_s=round(each.silent_ms / 1000, 1)
    )
