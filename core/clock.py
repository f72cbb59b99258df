"""The server's clock, in one place so that tests can set it.

What a running process shows is the database's time, which is one for all hosts, as it reckons
that by a clock of its own that nobody sets: a host whose clock is wrong, or is put right while a
match is on, moves no deadline. The database is asked again and again (`compare`). Where it says
something else, which is when its own host's clock was set, a process follows slowly, by a hundredth
of the time that passes, and never turns back: so that costs nobody a decision. Processes that begin
meanwhile take over how far the others still have to go, so that all show the same. One that alone
is behind all others, since its machine was paused, shows what they do at once (`catch_up`).

A process that never began to (`begin`: commands, tests) shows its host's own time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final, NamedTuple

# Of the time that passes, by how much a clock is put right meanwhile: one part in so many.
SLEW: Final = 100
# How long the best answer about the host's clock is kept before a worse one will do.
KEPT_NS: Final = 60 * 1_000_000_000

_EPOCH: Final = datetime.fromtimestamp(0, UTC)

# Goes on while the machine sleeps, where there is such a clock.
_STEADY: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
steady_ns: Callable[[], int] = partial(time.clock_gettime_ns, _STEADY)


class Asked(NamedTuple):
    """What the database answered when it was asked for the time: ``told``. By the steady clock the
    question was sent at ``sent``, and the answer was there at ``came``, so it was made between
    these; the host's own clock showed ``host`` then. All in ns."""

    sent: int
    came: int
    told: int
    host: int

    @property
    def took(self) -> int:
        """How long the answer took to come."""
        return self.came - self.sent


class Skew(NamedTuple):
    """By how much a host's clock is ahead of the database's, and how much that may be out, in
    ms."""

    ms: int
    out_by_ms: int


class _Line(NamedTuple):
    """What a clock shows from an instant ``since`` of the steady one on: ``shown`` then, and as
    much more as time has passed; and ``rest`` besides, as fast as it may."""

    since: int
    shown: int
    rest: int

    def at(self, steady: int) -> int:
        passed = steady - self.since
        most = passed // SLEW
        return self.shown + passed + max(-most, min(self.rest, most))

    def left_at(self, steady: int) -> int:
        """What it still has to go, forward or, below zero, back."""
        return self.shown + steady - self.since + self.rest - self.at(steady)


class Clock:
    """The clock of one process. ``steady`` never goes back and is never set; ``host`` is what the
    host's own clock shows. Both in ns."""

    def __init__(self, *, steady: Callable[[], int], host: Callable[[], int]) -> None:
        self._steady = steady
        self._host = host
        self._lock = threading.Lock()
        self._best: Asked | None = None
        # What it shows; none until it has begun.
        self.line: _Line | None = None
        # Whether the database has ever been asked.
        self.is_settled = False

    def now_ns(self) -> int:
        """What it shows, in ns since 1970."""
        line = self.line
        return self._host() if line is None else line.at(self._steady())

    def begin(self) -> None:
        """Go on from what the host's clock shows, by the steady one alone."""
        with self._lock:
            if self.line is None:
                self.line = _Line(self._steady(), self._host(), 0)

    def ask(self, told: Callable[[], int]) -> Asked:
        """Ask the database by ``told``, which returns its time in ns."""
        sent = self._steady()
        answer = told()
        return Asked(sent, self._steady(), answer, self._host())

    def settle(self, asked: Sequence[Asked], *, ahead_ms: int = 0) -> None:
        """Show the database's time, and ``ahead_ms`` more: by the answer that came soonest. Only
        the first time: what has been shown to anybody is not taken back."""
        best = min(asked, key=lambda each: each.took)
        with self._lock:
            if self.line is None or self.is_settled:
                return
            self._note(best)
            now = self._steady()
            told = best.told + best.took // 2 + now - best.came
            self.line = _Line(now, told + ahead_ms * 1_000_000, -ahead_ms * 1_000_000)
            self.is_settled = True

    def compare(self, asked: Asked) -> None:
        """Compare with what the database has just answered. What lies within the time that the
        answer took is no difference."""
        with self._lock:
            if self.line is None or not self.is_settled:
                return
            self._note(asked)
            now = self._steady()
            shown, since = self.line.at(now), now - asked.came
            least, most = asked.told + since, asked.told + since + asked.took
            self.line = _Line(now, shown, max(least, min(shown, most)) - shown)

    def catch_up(self, *, ahead_ms: int) -> None:
        """Show what the database does, and ``ahead_ms`` more, at once, if that is forward."""
        with self._lock:
            if self.line is None or not self.is_settled:
                return
            now, ahead = self._steady(), ahead_ms * 1_000_000
            forward = self.line.left_at(now) + ahead
            if forward > 0:
                self.line = _Line(now, self.line.at(now) + forward, -ahead)

    @property
    def ahead_ms(self) -> int:
        """By how much it shows more than the database, in ms, which it is about to make up for. Not
        0 only after the database's clock was set."""
        line = self.line
        return 0 if line is None else -round(line.left_at(self._steady()) / 1_000_000)

    @property
    def host_ahead_ns(self) -> int:
        """By how much the host's clock shows more than this one, at the moment, in ns."""
        line = self.line
        return 0 if line is None else self._host() - line.at(self._steady())

    @property
    def skew(self) -> Skew | None:
        """How the host's own clock stands; None until the database has been asked."""
        best = self._best
        if best is None:
            return None
        told = best.told + best.took // 2
        return Skew(round((best.host - told) / 1_000_000), best.took // 2_000_000 + 1)

    def _note(self, asked: Asked) -> None:
        """Keep what says most about the host's clock: that may be set at any time, so not for
        long."""
        best = self._best
        if (
            best is None
            or asked.took <= best.took
            or asked.came - best.came > KEPT_NS
            # It has been set.
            or abs(self._ahead(asked) - self._ahead(best)) > asked.took + best.took
        ):
            self._best = asked

    @staticmethod
    def _ahead(asked: Asked) -> int:
        return asked.host - asked.told - asked.took // 2


#: The one of this process.
clock: Final = Clock(steady=steady_ns, host=lambda: time.time_ns())  # noqa: PLW0108, TID251


def now_ms() -> int:
    """Milliseconds since 1970."""
    return clock.now_ns() // 1_000_000


def now_utc() -> datetime:
    """This instant, as `now_ms` has it: what is to be taken wherever Django's `timezone.now`, which
    is the host's, would do."""
    return _EPOCH + timedelta(microseconds=clock.now_ns() // 1000)


def instant_of(at: int) -> datetime:
    """The instant that many milliseconds after 1970 began."""
    return datetime.fromtimestamp(at / 1000, UTC)
