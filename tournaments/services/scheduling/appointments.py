"""When legs are to be played: times set by organisers, and as people say them."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Refusal
from tournaments.models import Leg
from tournaments.services.events import season_event
from tournaments.services.guards import instant, leg_lock_managed, must_be_running
from tournaments.services.legs import must_be_planned
from tournaments.services.mail import spoken


@transaction.atomic
def leg_schedule(
    *,
    acting_user: User,
    leg: Leg,
    scheduled_at: datetime | None,
    at: datetime | None = None,
) -> Leg:
    """Say when a leg is to be played (None: no longer fixed). Both players confirm anew.

    Raises Refusal as `guards.leg_lock_managed` does, ``season.not-running``, ``death-match.own``,
    ``leg.not-planned``, ``schedule.past``, ``schedule.far``.
    """
    season, fresh = leg_lock_managed(leg, acting_user)
    must_be_schedulable(fresh)
    at = instant(at)
    if fresh.scheduled_at == scheduled_at:
        return fresh
    must_be_ahead(scheduled_at, at)
    fresh.scheduled_at = scheduled_at
    fresh.home_ready_at = fresh.away_ready_at = fresh.no_show_at = None
    fresh.save(update_fields=["scheduled_at", "home_ready_at", "away_ready_at", "no_show_at"])
    sentence = (
        f"{fresh.death_match} has no fixed time any more."
        if scheduled_at is None
        else f"{fresh.death_match}{which_leg(fresh)} is on {spoken(scheduled_at, ZoneInfo('UTC'))}."
    )
    season_event(
        season=season,
        kind="death-match.scheduled",
        words=sentence,
        data={
            "leg": fresh.number,
            "at": None if scheduled_at is None else scheduled_at.isoformat(),
        },
        leg=fresh,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="leg.schedule",
        target=fresh,
        data={"at": None if scheduled_at is None else scheduled_at.isoformat()},
    )
    return fresh


def must_be_schedulable(leg: Leg) -> None:
    """Whether a time can be set. Raises Refusal ``season.not-running`` and
    ``leg.not-planned``."""
    must_be_running(leg.death_match.round.season)
    must_be_planned(leg)


def must_be_ahead(scheduled_at: datetime | None, at: datetime | None = None) -> None:
    """Raises Refusal ``schedule.past`` and ``schedule.far``."""
    at = instant(at)
    if scheduled_at is not None and scheduled_at < at - timedelta(minutes=1):
        raise Refusal("schedule.past", "This time is over.")
    if scheduled_at is not None and scheduled_at > at + timedelta(days=3660):
        raise Refusal("schedule.far", "This time is too far away.")


def which_leg(leg: Leg) -> str:
    """Which match of its death match a leg is, in a sentence; nothing where it is the only one."""
    return f", match {leg.number}," if leg.death_match.best_of > 1 else ""
