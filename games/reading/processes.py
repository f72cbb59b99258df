"""The site's processes, and who enforces its deadlines: for operators, programs and the log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple
from uuid import UUID

from django.conf import settings

from core.clock import now_ms
from core.jobs import guard
from games.models import ServiceProcess

#: The sweep of deadlines by a worker, and by a web process in a worker's place, as they are noted
#: when they are done (`core.jobs.guard`).
WORKERS_SWEEP: Final = "games.tasks.sweep"
WEB_SWEEP: Final = "games.watch.sweep"


class Running(NamedTuple):
    """A process of the site. ``silent_ms``: since when it has given no sign of life. ``skew_ms``:
    by how much its host's clock is ahead of the database's, give or take ``skew_out_by_ms``; None
    where that is not known."""

    id: UUID
    kind: str
    host: str
    pid: int
    started_at: int
    silent_ms: int
    skew_ms: int | None
    skew_out_by_ms: int

    @property
    def is_silent(self) -> bool:
        """Whether it should have given a sign of life by now: it hangs, or was killed."""
        return self.silent_ms > settings.GAUNTLET_PROCESS_SILENT_MS


def processes() -> list[Running]:
    """All that run or did until lately, one statement. What ended as it was told to is not among
    them."""
    now = now_ms()
    return [
        Running(
            id=row.pk,
            kind=row.kind,
            host=row.host,
            pid=row.pid,
            started_at=row.started_at,
            silent_ms=max(0, now - row.at),
            skew_ms=row.skew_ms,
            skew_out_by_ms=row.skew_out_by_ms,
        )
        for row in ServiceProcess.objects.all()
    ]


def worst_skew_ms(running: Iterable[Running]) -> int | None:
    """The skew that is farthest from none, of those that are not silent; None where none is
    known."""
    known = [each.skew_ms for each in running if each.skew_ms is not None and not each.is_silent]
    return max(known, key=abs, default=None)


class Sweeps(NamedTuple):
    """How long ago the sweep of deadlines was last done, in seconds: by a worker, and by a web
    process in a worker's place. None: never."""

    by_workers: float | None
    by_web: float | None

    @property
    def last(self) -> float | None:
        """By whomever."""
        return min((each for each in self if each is not None), default=None)

    @property
    def last_by(self) -> str | None:
        """By whom: ``worker`` or ``web``."""
        last = self.last
        if last is None:
            return None
        return "worker" if last == self.by_workers else "web"


def sweeps() -> Sweeps:
    """Who swept, and when."""
    ages = guard.ages()
    return Sweeps(ages.get(WORKERS_SWEEP), ages.get(WEB_SWEEP))
