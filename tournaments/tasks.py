"""What workers do for seasons."""

from __future__ import annotations

import structlog
from celery import shared_task

from config.jobs import guard
from tournaments.services.scheduling import legs_sweep

log = structlog.get_logger("gauntlet.seasons")


@shared_task(name="tournaments.tasks.sweep")
@guard.completed("tournaments.tasks.sweep")
def sweep() -> None:
    """Do what time asks of seasons; see `legs_sweep`."""
    done = legs_sweep()
    if any(done):
        log.info("seasons.swept", **done._asdict())
