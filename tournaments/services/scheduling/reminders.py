"""Reminders before a death match.

Whoever was told of its time when the moment of a reminder had passed already has nothing new from
that one: it is not sent, those still ahead are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery

from accounts.announcing.services import Told, announce
from accounts.models import User
from core.jobs import guard
from core.text import spoken
from games.options import pace
from tournaments.lifecycle import PLAYABLE, LegStatus, SeasonStatus
from tournaments.models import DeathMatch, Leg, ReminderSent, Season, SeasonEvent
from tournaments.services.deathmatches import ready_window, sides_of
from tournaments.services.events import season_event
from tournaments.services.guards import death_match_fresh, instant, season_lock
from tournaments.services.scheduling.appointments import which_leg
from tournaments.services.scheduling.readiness import legs_waiting


class ReminderLead(NamedTuple):
    """One of the reminders before a death match: its key, and how long before."""

    kind: str
    before: timedelta


# The one nearest to the start first: of several that are due, only that one is sent.
REMINDERS: Final = (
    ReminderLead("10min", timedelta(minutes=10)),
    ReminderLead("1h", timedelta(hours=1)),
    ReminderLead("24h", timedelta(hours=24)),
)


def legs_to_remind(at: datetime, at_most: int) -> Iterator[Leg]:
    """Legs, so many at most, of which a reminder is due that somebody has not had."""
    soon = legs_waiting().filter(scheduled_at__gt=at, scheduled_at__lte=at + REMINDERS[-1].before)
    sent = set(
        ReminderSent.objects.filter(leg__in=soon).values_list("leg", "kind", "scheduled_at", "user")
    )
    legs = guard.readable("legs.remind", soon.order_by("scheduled_at", "pk"), at_most=at_most)
    told = _told_at(soon) if legs else {}

    def misses_one(leg: Leg) -> bool:
        due = _due(leg, at, told.get(leg.pk))
        if due is None:
            return False
        # Somebody may have taken a side over since.
        players = {side.user_id for side in sides_of(leg.death_match)} - {None}
        return any((leg.pk, due.kind, leg.scheduled_at, user) not in sent for user in players)

    yield from guard.those(
        "legs.remind", legs, misses_one, target="tournaments.leg", key=lambda leg: leg.pk
    )


def _told_at(legs: QuerySet[Leg]) -> Mapping[int, datetime | None]:
    """When both players were last told of the times of these legs: as they were set, or as the two
    were paired who play it now."""
    telling = Q(kind="death-match.scheduled", leg=OuterRef("pk")) | Q(
        kind="death-match.paired", death_match=OuterRef("death_match")
    )
    last = SeasonEvent.objects.filter(telling).order_by("-at").values("at")[:1]
    return dict(legs.order_by().annotate(told=Subquery(last)).values_list("pk", "told"))


def _due(leg: Leg, at: datetime, told: datetime | None) -> ReminderLead | None:
    """The reminder nearest to the start whose moment has come; None where that had come when both
    were told of the time."""
    begins = leg.scheduled_at
    if begins is None or at >= begins:
        return None
    due = next((each for each in REMINDERS if begins - at <= each.before), None)
    if due is None or (told is not None and begins - told <= due.before):
        return None
    return due


@transaction.atomic
def reminders_send(*, leg: Leg, at: datetime | None = None) -> bool:
    """Remind both players of a leg, in their own time zones, if one of the reminders is due
    and was not sent; whether it was. Nobody is reminded twice, and of several that are due (nobody
    has looked for long) only the nearest to the start goes out."""
    at = instant(at)
    season = season_lock(leg.death_match.round.season_id)
    death_match = death_match_fresh(leg.death_match_id)
    fresh = death_match.legs.get(pk=leg.pk)
    fresh.death_match = death_match
    due = _due(fresh, at, _told_at(Leg.objects.filter(pk=fresh.pk)).get(fresh.pk))
    begins = fresh.scheduled_at
    if (
        begins is None
        or due is None
        or fresh.status != LegStatus.PLANNED
        or death_match.status not in PLAYABLE
    ):
        return False
    if season.status != SeasonStatus.RUNNING:
        return False
    players = [side.user for side in sides_of(death_match) if side.user is not None]
    sent = ReminderSent.objects.filter(leg=fresh, scheduled_at=begins)
    already = set(sent.filter(kind=due.kind).values_list("user", flat=True))
    to = [user for user in players if user.pk not in already]
    if not to:
        return False
    ReminderSent.objects.bulk_create(
        ReminderSent(
            leg=fresh,
            user=user,
            kind=due.kind,
            scheduled_at=begins,
            sent_at=at,
        )
        for user in to
    )
    announce(_reminder_to(user, season, fresh, due) for user in to)
    if not already:
        season_event(
            season=season,
            kind="death-match.reminder",
            words=f"{death_match}{which_leg(fresh)} begins in {_lead_text(due)}."
            if begins - at > due.before - timedelta(minutes=1)
            else f"{death_match}{which_leg(fresh)} begins soon.",
            data={
                "leg": fresh.number,
                "kind": due.kind,
                "at": begins.isoformat(),
            },
            leg=fresh,
            at=at,
        )
    return True


def _lead_text(reminder: ReminderLead) -> str:
    return pace.spoken(reminder.before.total_seconds())


def _reminder_to(user: User, season: Season, leg: Leg, due: ReminderLead) -> Told:
    death_match: DeathMatch = leg.death_match
    moment = spoken(leg.scheduled_at, user.zone) if leg.scheduled_at else ""
    words = (
        f"Your death match in {season.name}, {death_match}{which_leg(leg)} begins on {moment}. "
        f"Please say on its page that you are ready, from "
        f"{pace.spoken(ready_window().total_seconds())} before the start. "
        f"Whoever is not there {season.no_show_minutes} min after the start may lose the match."
    )
    return Told(
        user=user,
        kind="death-match.reminder",
        key=f"leg:{leg.pk}:{due.kind}:{leg.scheduled_at:%Y%m%dT%H%M%S}",
        subject=f"{death_match}: {moment}",
        words=words,
        path=death_match.get_absolute_url(),
    )
