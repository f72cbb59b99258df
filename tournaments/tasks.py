"""What workers do for seasons."""

from __future__ import annotations

import structlog
from celery import shared_task
from django.db import OperationalError

from core.clock import instant_of
from core.jobs import guard
from tournaments import notices
from tournaments.jobs import ANNOUNCE_EVENT, SETTLE, UNSEAL
from tournaments.services.legs import leg_unseal
from tournaments.services.results.settlement import leg_settle
from tournaments.services.scheduling.sweep import legs_sweep

log = structlog.get_logger("gauntlet.seasons")


@shared_task(name="tournaments.tasks.sweep")
@guard.completed("tournaments.tasks.sweep")
def sweep() -> None:
    """Do what time asks of seasons, and tell people of what no worker has told them; see
    `legs_sweep` and `events_announce`."""
    done = legs_sweep()
    if any(done):
        log.info("seasons.swept", **done._asdict())
    notices.events_announce()


@shared_task(name=SETTLE)
def settle(match_id: int) -> None:
    """Take over the result of a match that has ended, if it is one of a season's."""
    try:
        leg_settle(match_id=match_id)
    except OperationalError as error:
        # Somebody is at work on the season for long. The sweep takes the result over.
        log.warning("season.busy", match=match_id, error=str(error).strip())


@shared_task(name=UNSEAL)
def unseal(match_id: int, at: int) -> None:
    """Write down that a match that waited has begun at ``at`` (ms), and tell what was brought into
    it, if it is one of a season's."""
    try:
        leg_unseal(match_id=match_id, at=instant_of(at))
    except OperationalError as error:
        # As above: the sweep tells it.
        log.warning("season.busy", match=match_id, error=str(error).strip())


@shared_task(name=ANNOUNCE_EVENT)
def announce_event(event_id: int) -> None:
    """Tell those whom an event of a season concerns. What fails is left to the sweep."""
    guard.attempt(
        notices.ANNOUNCED,
        event_id,
        lambda: notices.event_announce(event_id),
        target="tournaments.seasonevent",
    )
