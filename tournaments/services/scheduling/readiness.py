"""Players who say that they are ready: from when, until when, and what begins then."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max, QuerySet

from accounts.models import User
from accounts.services import audit_record
from core import chance
from core.refusals import Forbidden, Refusal
from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.options import pace
from tournaments import audience
from tournaments.lifecycle import PLAYABLE, LegStatus, SeasonStatus, Visibility
from tournaments.models import DeathMatch, Leg
from tournaments.services.deathmatches import ready_window
from tournaments.services.guards import (
    death_match_fresh,
    instant,
    must_be_running,
    must_not_be_archived,
    season_lock,
)
from tournaments.services.legs import leg_start, must_be_planned


@transaction.atomic
def leg_confirm(
    *,
    acting_user: User,
    leg: Leg,
    at: datetime | None = None,
    random: RandomSource = chance.system,
) -> Leg:
    """A player is ready. The leg begins when both are and its time has come; one without a time, as
    soon as both are, within `ready_window` of each other. Saying so again changes nothing, unless
    that has passed.

    Raises Refusal ``season.none``, ``season.archived``, ``season.not-running``,
    ``ready.not-yours``, ``leg.not-planned``, ``leg.sides``, ``leg.order``, ``leg.rules-missing``,
    ``ready.too-early``, and, when it begins at once, as `legs.leg_start` does.
    """
    fresh = _lock(leg)
    at = instant(at)
    seat = must_be_confirmable(fresh, acting_user, at=at)
    field = ("home_ready_at", "away_ready_at")[seat]
    said = getattr(fresh, field)
    if said is None or (fresh.scheduled_at is None and said < at - ready_window()):
        setattr(fresh, field, at)
        fresh.save(update_fields=[field])
        audit_record(acting_user=acting_user, action="leg.confirm", target=fresh)
    if is_due(fresh, at):
        return leg_start(acting_user=None, leg=fresh, at=at, random=random)
    return fresh


@transaction.atomic
def leg_unconfirm(*, acting_user: User, leg: Leg) -> Leg:
    """A player is not ready after all. Raises Refusal ``season.*``, ``ready.not-yours``,
    ``leg.not-planned``."""
    fresh = _lock(leg)
    seat = confirming_seat(fresh, acting_user)
    field = ("home_ready_at", "away_ready_at")[seat]
    if getattr(fresh, field) is not None:
        setattr(fresh, field, None)
        fresh.save(update_fields=[field])
        audit_record(acting_user=acting_user, action="leg.unconfirm", target=fresh)
    return fresh


def must_be_confirmable(
    leg: Leg,
    acting_user: User,
    *,
    at: datetime | None = None,
    legs: Iterable[Leg] | None = None,
) -> Seat:
    """The seat of whoever can say now that they are ready. ``legs``: those of the death match,
    where they are known. Raises Refusal as `confirming_seat` and `must_be_next` do,
    ``leg.rules-missing`` and ``ready.too-early``."""
    seat = confirming_seat(leg, acting_user)
    must_be_next(leg, legs=legs)
    if not leg.ruleset:
        raise Refusal("leg.rules-missing", "It is not decided yet what is played.")
    opens = ready_from(leg)
    if opens is not None and instant(at) < opens:
        raise Refusal(
            "ready.too-early",
            f"You can say that you are ready from {pace.spoken(ready_window().total_seconds())} "
            "before the start.",
        )
    return seat


def must_be_next(leg: Leg, *, legs: Iterable[Leg] | None = None) -> None:
    """Whether a leg waits for its players, or will soon. ``legs``: those of the death match, where
    they are known. Raises Refusal ``season.not-running``, ``leg.not-planned``, ``leg.sides`` and
    ``leg.order``."""
    must_be_running(leg.death_match.round.season)
    must_be_planned(leg)
    if leg.death_match.status not in PLAYABLE:
        raise Refusal("leg.sides", "It is not known yet who meets here.")
    to_play = {LegStatus.PLANNED, LegStatus.RUNNING}
    every = leg.death_match.legs.all() if legs is None else legs
    if any(each.number < leg.number and each.status in to_play for each in every):
        raise Refusal("leg.order", "The matches of a death match are played one after another.")


def confirming_seat(leg: Leg, acting_user: User) -> Seat:
    """The seat of whoever says whether they are ready. Raises Refusal ``season.archived``,
    ``season.not-running``, ``ready.not-yours`` and ``leg.not-planned``."""
    season = leg.death_match.round.season
    must_not_be_archived(season)
    must_be_running(season)
    seat = must_be_player(leg.death_match, acting_user)
    must_be_planned(leg)
    return seat


def _lock(leg: Leg) -> Leg:
    """The leg as it is now, under its season's lock."""
    season_lock(leg.death_match.round.season_id)
    death_match = death_match_fresh(leg.death_match_id)
    fresh = death_match.legs.get(pk=leg.pk)
    fresh.death_match = death_match
    return fresh


def must_be_player(death_match: DeathMatch, acting_user: User) -> Seat:
    """The seat of whoever says that they are ready. Raises Refusal ``ready.not-yours``."""
    seat = audience.seat_of(death_match, acting_user)
    if seat is None:
        raise Forbidden("ready.not-yours", "Only the two players say whether they are ready.")
    return seat


def ready_from(leg: Leg) -> datetime | None:
    """When players can say that they are ready; None: at any time."""
    return None if leg.scheduled_at is None else leg.scheduled_at - ready_window()


def ready_until(leg: Leg) -> datetime | None:
    """Until when a leg that has not begun waits for its players; None: nothing runs out.

    Where a start is fixed, both have the season's minutes: since then, since the end of the match
    before, and since others made them say anew that they are ready. Where none is, this is when the
    word of whoever is ready lapses.
    """
    if leg.scheduled_at is None:
        said = [each for each in (leg.home_ready_at, leg.away_ready_at) if each is not None]
        return min(said) + ready_window() if said else None
    since = max(leg.scheduled_at, leg.ready_cleared_at or leg.scheduled_at)
    if leg.number > 1:
        before = leg.death_match.legs.filter(number__lt=leg.number, status=LegStatus.FINISHED)
        ended: datetime | None = before.aggregate(last=Max("finished_at"))["last"]
        since = max(since, ended or since)
    return since + timedelta(minutes=leg.death_match.round.season.no_show_minutes)


def is_due(leg: Leg, at: datetime) -> bool:
    """Whether both are ready and the time has come."""
    if leg.home_ready_at is None or leg.away_ready_at is None:
        return False
    if leg.scheduled_at is not None:
        return at >= leg.scheduled_at
    # Whoever said so long ago is not at the board any more.
    return min(leg.home_ready_at, leg.away_ready_at) >= at - ready_window()


def legs_waiting() -> QuerySet[Leg]:
    """Legs that can still be played, of running seasons that are not in the archive."""
    return (
        Leg.objects.filter(
            status=LegStatus.PLANNED,
            death_match__status__in=PLAYABLE,
            death_match__round__season__status=SeasonStatus.RUNNING,
        )
        .exclude(death_match__round__season__visibility=Visibility.ARCHIVED)
        .select_related(
            "death_match__round__season", "death_match__home__user", "death_match__away__user"
        )
    )
