"""When death matches are played: times, readiness, who does not turn up, reminders."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, Max, Model, Q, QuerySet, When

from accounts.models import User
from accounts.services import audit_record
from core import chance
from core.jobs import guard
from core.refusals import Forbidden, Refusal
from games import pace
from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.models import Match
from tournaments import audience
from tournaments.formats.registry import FORMATS
from tournaments.lifecycle import (
    PLAYABLE,
    LegStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import DeathMatch, Episode, Leg, NoShowRule, ReminderSent, Season
from tournaments.services.deathmatches import sides_of
from tournaments.services.events import season_event
from tournaments.services.guards import (
    death_match_fresh,
    instant,
    leg_lock_managed,
    must_be_running,
    must_not_be_archived,
    season_lock,
)
from tournaments.services.legs import leg_start, must_be_planned
from tournaments.services.mail import (
    absolute,
    addresses_of,
    organisers_mail,
    send_after_commit,
)
from tournaments.services.results.rulings import leg_forfeit
from tournaments.services.results.settlement import leg_settle

log = structlog.get_logger("gauntlet.seasons")

SWEEP_AT_MOST: Final = 500
T = TypeVar("T")


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


# -- times ---------------------------------------------------------------------------------------


@transaction.atomic
def leg_schedule(
    *,
    acting_user: User,
    leg: Leg,
    scheduled_at: datetime | None,
    at: datetime | None = None,
) -> Leg:
    """Say when a leg is to be played (None: no longer fixed). Both players confirm anew.

    Refusals: those of `guards.managed`, ``season.not-running``, ``death-match.own``,
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
    told = (
        f"{fresh.death_match} has no fixed time any more."
        if scheduled_at is None
        else f"{fresh.death_match}{_which(fresh)} is on {spoken(scheduled_at, ZoneInfo('UTC'))}."
    )
    season_event(
        season=season,
        kind="death-match.scheduled",
        words=told,
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


def _which(leg: Leg) -> str:
    return f", match {leg.number}," if leg.death_match.best_of > 1 else ""


def spoken(moment: datetime, zone: ZoneInfo) -> str:
    """An instant in somebody's own zone, for mail."""
    local = moment.astimezone(zone)
    return f"{local:%A} {local.day} {local:%B %Y} at {local:%H:%M} ({local.tzname()})"


# -- readiness -----------------------------------------------------------------------------------


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

    Refusals: ``season.none``, ``season.archived``, ``season.not-running``, ``ready.not-yours``,
    ``leg.not-planned``, ``leg.sides``, ``leg.order``, ``leg.rules-missing``, ``ready.too-early``,
    and, when it begins at once, those of `deathmatches.leg_start`.
    """
    fresh, seat = _own(leg, acting_user)
    at = instant(at)
    if fresh.death_match.status not in PLAYABLE:
        raise Refusal("leg.sides", "It is not known yet who meets here.")
    earlier = fresh.death_match.legs.filter(
        number__lt=fresh.number, status__in=[LegStatus.PLANNED, LegStatus.RUNNING]
    )
    if earlier.exists():
        raise Refusal("leg.order", "The matches of a death match are played one after another.")
    if not fresh.ruleset:
        raise Refusal("leg.rules-missing", "It is not decided yet what is played.")
    opens = ready_from(fresh)
    if opens is not None and at < opens:
        raise Refusal(
            "ready.too-early",
            f"You can say that you are ready from {pace.spoken(ready_window().total_seconds())} "
            "before the start.",
        )
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
    """A player is not ready after all. Refusals: ``season.*``, ``ready.not-yours``,
    ``leg.not-planned``."""
    fresh, seat = _own(leg, acting_user)
    field = ("home_ready_at", "away_ready_at")[seat]
    if getattr(fresh, field) is not None:
        setattr(fresh, field, None)
        fresh.save(update_fields=[field])
        audit_record(acting_user=acting_user, action="leg.unconfirm", target=fresh)
    return fresh


def _own(leg: Leg, acting_user: User) -> tuple[Leg, Seat]:
    season = season_lock(leg.death_match.round.season_id)
    must_not_be_archived(season)
    must_be_running(season)
    death_match = death_match_fresh(leg.death_match_id)
    fresh = death_match.legs.get(pk=leg.pk)
    fresh.death_match = death_match
    seat = audience.seat_of(death_match, acting_user)
    if seat is None:
        raise Forbidden("ready.not-yours", "Only the two players say whether they are ready.")
    must_be_planned(fresh)
    return fresh, seat


def ready_window() -> timedelta:
    """How long before the start players can say that they are ready; where no start is fixed, how
    long their word holds."""
    return timedelta(minutes=settings.GAUNTLET_READY_MINUTES)


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


# -- what time does ------------------------------------------------------------------------------


class Swept(NamedTuple):
    """What one sweep did, in numbers."""

    settled: int = 0
    started: int = 0
    no_shows: int = 0
    reminded: int = 0
    by_format: int = 0


def legs_sweep(*, at: datetime | None = None, random: RandomSource = chance.system) -> Swept:
    """Do what time asks of seasons: take over results that were missed, begin what both are ready
    for, deal with those who are not there, remind, tell of choices that ran out.

    Idempotent, and one transaction for each leg: what fails for one, or cannot be read, is set
    aside and does not disturb the others (`core.jobs.guard`).
    """
    at = instant(at)
    _lapse_all(at)
    return Swept(
        settled=_each("legs.settle", _matches_over, lambda match_id: leg_settle(match_id=match_id)),
        started=_each("legs.begin", partial(_both_ready, at), lambda leg: _begin(leg, at, random)),
        no_shows=_each(
            "legs.no-show", partial(_overdue, at), lambda leg: _enforce_no_show(leg, at)
        ),
        reminded=_each(
            "legs.remind", partial(_to_remind, at), lambda leg: reminders_send(leg=leg, at=at)
        ),
        by_format=sum(
            _each(each.job, partial(each.find, at, SWEEP_AT_MOST), partial(each.act, at))
            for own in FORMATS.values()
            for each in own.sweeps
        ),
    )


def _each(job: str, found: Callable[[], Iterable[T]], action: Callable[[T], bool]) -> int:
    """For how many of what is found the action did anything. A search that fails finds nothing, and
    is logged."""
    try:
        rows = list(found())
    except Exception:  # No season's data may end the sweep for all of them.
        log.exception("sweep.search-failed", job=job)
        return 0
    return guard.each(job, rows, action, target=_target_of(rows), key=_key_of, hangs_on=_season_of)


def _target_of(rows: Sequence[object]) -> str:
    return rows[0]._meta.label_lower if rows and isinstance(rows[0], Model) else "games.match"


def _key_of(row: object) -> Hashable:
    return row.pk if isinstance(row, Model) else row


def _season_of(row: object) -> int | None:
    """The season whose lock the action needs, where the row says so."""
    if isinstance(row, Leg):
        return row.death_match.round.season_id
    return row.round.season_id if isinstance(row, Episode) else None


def _matches_over() -> list[int]:
    over = Leg.objects.filter(status=LegStatus.RUNNING, match__status=Match.Status.FINISHED)
    over = over.filter(guard.may_try("legs.settle", "match"))
    return [pk for pk in over.order_by("pk").values_list("match", flat=True)[:SWEEP_AT_MOST] if pk]


def _waiting() -> QuerySet[Leg]:
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


def _lapse_all(at: datetime) -> None:
    try:
        _lapse(at)
    except Exception:  # As a search that fails.
        log.exception("sweep.lapse-failed")


def _lapse(at: datetime) -> bool:
    """Take back who said to be ready for a leg without a time, and has waited in vain."""
    since = at - ready_window()
    home, away = Q(home_ready_at__lt=since), Q(away_ready_at__lt=since)
    lapsed = Leg.objects.filter(home | away, status=LegStatus.PLANNED, scheduled_at=None).update(
        home_ready_at=Case(When(home, then=None), default=F("home_ready_at")),
        away_ready_at=Case(When(away, then=None), default=F("away_ready_at")),
    )
    return lapsed > 0


def _both_ready(at: datetime) -> list[Leg]:
    ready = _waiting().filter(home_ready_at__isnull=False, away_ready_at__isnull=False)
    due = ready.filter(scheduled_at__lte=at).order_by("scheduled_at", "pk")
    return guard.readable("legs.begin", due, at_most=SWEEP_AT_MOST)


def _begin(leg: Leg, at: datetime, random: RandomSource) -> bool:
    try:
        return _begin_if_due(leg, at, random)
    except Refusal as refusal:
        if refusal.code != "leg.order":
            _report_stuck(leg, refusal, at)
        return False


@transaction.atomic
def _begin_if_due(leg: Leg, at: datetime, random: RandomSource) -> bool:
    season_lock(leg.death_match.round.season_id)
    # Since the sweep looked, somebody may have said that they are not ready after all.
    fresh = _waiting().filter(pk=leg.pk).first()
    if fresh is None or not is_due(fresh, at):
        return False
    leg_start(acting_user=None, leg=fresh, at=at, random=random)
    return True


@transaction.atomic
def _report_stuck(leg: Leg, refusal: Refusal, at: datetime) -> None:
    """A leg cannot begin though both are ready: the organisers are told once, and both would have
    to say again that they are ready."""
    season = season_lock(leg.death_match.round.season_id)
    fresh = Leg.objects.select_related("death_match__round").get(pk=leg.pk)
    if fresh.status != LegStatus.PLANNED or fresh.home_ready_at is None:
        return
    fresh.home_ready_at = fresh.away_ready_at = None
    fresh.ready_cleared_at = at
    fresh.save(update_fields=["home_ready_at", "away_ready_at", "ready_cleared_at"])
    words = f"{leg.death_match} could not begin. {refusal.sentence}"
    log.warning("leg.stuck", leg=leg.pk, code=refusal.code)
    season_event(
        season=season, kind="ruling", words=words, data={"code": refusal.code}, leg=fresh, at=at
    )
    audit_record(acting_user=None, action="leg.stuck", target=fresh, data={"code": refusal.code})
    organisers_mail(season=season, subject=f"{season.name}: cannot begin", words=words)


def _overdue(at: datetime) -> Iterator[Leg]:
    """Legs whose grace is over and that nobody has been told of. The grace differs by season, so
    the database narrows down and the service looks exactly."""
    waiting = _waiting().filter(scheduled_at__lt=at, no_show_at__isnull=True)
    legs = guard.readable(
        "legs.no-show", waiting.order_by("scheduled_at", "pk"), at_most=SWEEP_AT_MOST
    )
    yield from guard.those(
        "legs.no-show",
        legs,
        lambda leg: _grace_over(leg, at),
        target="tournaments.leg",
        key=_key_of,
    )


def _grace_over(leg: Leg, at: datetime) -> bool:
    """Whether both players have had their time to say that they are ready for a fixed start."""
    if leg.scheduled_at is None or at <= leg.scheduled_at:
        return False
    until = ready_until(leg)
    return until is not None and at > until


@transaction.atomic
def _enforce_no_show(leg: Leg, at: datetime) -> bool:
    """Deal with somebody who is not there: the season's rule, or the organisers are told. What is
    forfeited is this match, not the others of a death match."""
    season = season_lock(leg.death_match.round.season_id)
    death_match = death_match_fresh(leg.death_match_id)
    fresh = death_match.legs.get(pk=leg.pk)
    fresh.death_match = death_match
    ready = (fresh.home_ready_at is not None, fresh.away_ready_at is not None)
    is_open = fresh.status == LegStatus.PLANNED and death_match.status in PLAYABLE
    earlier = death_match.legs.filter(
        number__lt=fresh.number, status__in=[LegStatus.PLANNED, LegStatus.RUNNING]
    )
    if not is_open or all(ready) or fresh.no_show_at is not None or earlier.exists():
        return False
    if season.status != SeasonStatus.RUNNING or not _grace_over(fresh, at):
        return False
    sides = sides_of(death_match)
    absent = [side for side, there in zip(sides, ready, strict=True) if not there]
    names = " and ".join(side.name for side in absent)
    fresh.no_show_at = at
    fresh.save(update_fields=["no_show_at"])
    words = f"{names} {'was' if len(absent) == 1 else 'were'} not there in time."
    season_event(
        season=season,
        kind="death-match.no-show",
        words=words,
        data={"absent": [side.pk for side in absent], "leg": fresh.number},
        leg=fresh,
        at=at,
    )
    audit_record(
        acting_user=None,
        action="leg.no_show",
        target=fresh,
        data={"absent": [side.pk for side in absent]},
    )
    if season.no_show_rule == NoShowRule.FORFEIT and len(absent) == 1:
        leg_forfeit(
            fresh, winner=0 if ready[0] else 1, why=words, at=at, follows="death-match.no-show"
        )
    else:
        organisers_mail(
            season=season,
            subject=f"{season.name}: not there in time",
            words=f"{death_match}: {words} Please decide what happens.",
        )
    return True


# -- reminders -----------------------------------------------------------------------------------


def _to_remind(at: datetime) -> Iterator[Leg]:
    soon = _waiting().filter(scheduled_at__gt=at, scheduled_at__lte=at + REMINDERS[-1].before)
    told = set(
        ReminderSent.objects.filter(leg__in=soon).values_list("leg", "kind", "scheduled_at", "user")
    )
    legs = guard.readable("legs.remind", soon.order_by("scheduled_at", "pk"), at_most=SWEEP_AT_MOST)

    def is_to_be_told(leg: Leg) -> bool:
        due = _due(leg, at)
        if due is None:
            return False
        # Somebody may have taken a side over since.
        players = {side.user_id for side in sides_of(leg.death_match)} - {None}
        return any((leg.pk, due.kind, leg.scheduled_at, user) not in told for user in players)

    yield from guard.those(
        "legs.remind", legs, is_to_be_told, target="tournaments.leg", key=_key_of
    )


def _due(leg: Leg, at: datetime) -> ReminderLead | None:
    """The reminder nearest to the start whose moment has come."""
    if leg.scheduled_at is None or at >= leg.scheduled_at:
        return None
    return next((each for each in REMINDERS if leg.scheduled_at - at <= each.before), None)


@transaction.atomic
def reminders_send(*, leg: Leg, at: datetime | None = None) -> bool:
    """Remind both players of a leg, by mail in their own time zones, if one of the reminders is due
    and was not sent; whether it was. Nobody is reminded twice, and of several that are due (the
    time was fixed late) only the nearest to the start goes out."""
    at = instant(at)
    season = season_lock(leg.death_match.round.season_id)
    death_match = death_match_fresh(leg.death_match_id)
    fresh = death_match.legs.get(pk=leg.pk)
    fresh.death_match = death_match
    due = _due(fresh, at)
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
    addresses = addresses_of(to)
    for user in to:
        if user.pk in addresses:
            subject, body = _reminder_to(user, season, fresh)
            send_after_commit(addresses[user.pk], subject, body)
    if not already:
        season_event(
            season=season,
            kind="death-match.reminder",
            words=f"{death_match}{_which(fresh)} begins in {_lead_text(due)}."
            if begins - at > due.before - timedelta(minutes=1)
            else f"{death_match}{_which(fresh)} begins soon.",
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


def _reminder_to(user: User, season: Season, leg: Leg) -> tuple[str, str]:
    zone = ZoneInfo(user.time_zone or "UTC")
    death_match: DeathMatch = leg.death_match
    moment = spoken(leg.scheduled_at, zone) if leg.scheduled_at else ""
    subject = f"{death_match}: {moment}"
    body = (
        f"Hello {user.shown_name},\n\n"
        f"your death match in {season.name}, {death_match}{_which(leg)} begins on {moment}.\n\n"
        f"Please say on its page that you are ready, from "
        f"{pace.spoken(ready_window().total_seconds())} before the start:\n"
        f"{absolute(death_match.get_absolute_url())}\n\n"
        f"Whoever is not there {season.no_show_minutes} min after the start may lose the match.\n"
    )
    return subject, body
