"""Makes the dump of a day, in the night."""

from __future__ import annotations

import structlog
from celery import shared_task

from core.clock import now_utc
from core.jobs import guard
from tournaments.dumps import archive

log = structlog.get_logger("gauntlet.dumps")

NIGHT = 3  # the hour, UTC, from which on the day's dump is made


@shared_task(name="tournaments.dumps.tasks.nightly")
@guard.completed("tournaments.dumps.tasks.nightly")
def nightly() -> None:
    """Make today's dump, unless it is there or the night is young. Called every hour: one that was
    missed is made up for. A long one may be handed out twice; the second finds it being made."""
    now = now_utc()
    if now.hour < NIGHT or archive.dump_of(archive.dump_name(now.date())) is not None:
        return
    try:
        archive.dump_write(now=now)
    except archive.Busy:
        log.info("dump.busy")
