"""When legs are to be played: times set by organisers, what follows from any time, and times as
people say them."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.text import spoken
from tournaments.models import Leg, TimeProposal
from tournaments.rights import Right
from tournaments.services.events import season_event
from tournaments.services.guards import (
    instant,
    leg_lock_managed,
    must_be_ahead,
    must_be_running,
)
from tournaments.services.legs import must_be_planned


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
    _season, fresh = leg_lock_managed(leg, acting_user, Right.EPISODES)
    must_be_schedulable(fresh)
    at = instant(at)
    if fresh.scheduled_at == scheduled_at:
        return fresh
    must_be_ahead(scheduled_at, at)
    leg_time_set(fresh, scheduled_at, at=at)
    audit_record(
        acting_user=acting_user,
        action="leg.schedule",
        target=fresh,
        data={"at": None if scheduled_at is None else scheduled_at.isoformat()},
    )
    return fresh


def leg_time_set(leg: Leg, scheduled_at: datetime | None, *, at: datetime) -> None:
    """Have a leg, read under its season's lock, be played then (None: no longer fixed), whoever has
    decided so. Both players are told, and confirm anew; what they still had proposed lapses."""
    leg.proposals.filter(status=TimeProposal.Status.OPEN).update(
        status=TimeProposal.Status.LAPSED, ended_at=at
    )
    leg.scheduled_at = scheduled_at
    leg.home_ready_at = leg.away_ready_at = leg.no_show_at = None
    leg.save(update_fields=["scheduled_at", "home_ready_at", "away_ready_at", "no_show_at"])
    sentence = (
        f"{leg.death_match} has no fixed time any more."
        if scheduled_at is None
        else f"{leg.death_match}{which_leg(leg)} is on {spoken(scheduled_at, ZoneInfo('UTC'))}."
    )
    season_event(
        season=leg.death_match.round.season,
        kind="death-match.scheduled",
        words=sentence,
        data={
            "leg": leg.number,
            "at": None if scheduled_at is None else scheduled_at.isoformat(),
        },
        leg=leg,
        at=at,
    )


def must_be_schedulable(leg: Leg) -> None:
    """Whether a time can be set. Raises Refusal ``season.not-running`` and
    ``leg.not-planned``."""
    must_be_running(leg.death_match.round.season)
    must_be_planned(leg)


def which_leg(leg: Leg) -> str:
    """Which match of its death match a leg is, in a sentence; nothing where it is the only one."""
    return f", match {leg.number}," if leg.death_match.best_of > 1 else ""
