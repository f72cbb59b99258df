"""What time asks of seasons: what is due begins, who does not turn up loses or is reported."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple, TypeVar

import structlog
from django.db import transaction
from django.db.models import Case, F, Model, Q, When

from accounts.services import audit_record
from core import chance
from core.jobs import guard
from core.refusals import Refusal
from games.engine.chance import RandomSource
from games.models import Match
from tournaments.formats.registry import FORMATS
from tournaments.lifecycle import PLAYABLE, LegStatus, SeasonStatus
from tournaments.models import Episode, Leg, NoShowRule
from tournaments.rights import Right
from tournaments.services.deathmatches import ready_window, sides_of
from tournaments.services.events import season_event
from tournaments.services.guards import death_match_fresh, instant, season_lock
from tournaments.services.legs import begun_untold, leg_start, leg_unseal
from tournaments.services.mail import organisers_announce
from tournaments.services.results.rulings import leg_forfeit
from tournaments.services.results.settlement import leg_settle
from tournaments.services.scheduling.readiness import (
    is_due,
    legs_waiting,
    ready_until,
)
from tournaments.services.scheduling.reminders import legs_to_remind, reminders_send

log = structlog.get_logger("gauntlet.seasons")
SWEEP_AT_MOST: Final = 500
T = TypeVar("T")


class Swept(NamedTuple):
    """What one sweep did, in numbers."""

    settled: int = 0
    started: int = 0
    no_shows: int = 0
    reminded: int = 0
    by_format: int = 0


def legs_sweep(*, at: datetime | None = None, random: RandomSource = chance.system) -> Swept:
    """Do what time asks of seasons: take over results (and what was brought into what has begun)
    that were missed, begin what both are ready for, deal with those who are not there, remind, tell
    of choices that ran out.

    Idempotent, and one transaction for each leg: what fails for one, or cannot be read, is set
    aside and does not disturb the others (`core.jobs.guard`).
    """
    at = instant(at)
    _lapse_all(at)
    return Swept(
        settled=_each("legs.settle", _matches_missed, lambda match_id: _take_over(match_id, at)),
        started=_each("legs.begin", partial(_both_ready, at), lambda leg: _begin(leg, at, random)),
        no_shows=_each(
            "legs.no-show", partial(_overdue, at), lambda leg: _enforce_no_show(leg, at)
        ),
        reminded=_each(
            "legs.remind",
            partial(legs_to_remind, at, SWEEP_AT_MOST),
            lambda leg: reminders_send(leg=leg, at=at),
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


def _matches_missed() -> list[int]:
    """Those that are over, and those that have begun of which that is not told yet."""
    over = Q(status=LegStatus.RUNNING, match__status=Match.Status.FINISHED)
    found = Leg.objects.filter(over | begun_untold())
    found = found.filter(guard.may_try("legs.settle", "match"))
    return [pk for pk in found.order_by("pk").values_list("match", flat=True)[:SWEEP_AT_MOST] if pk]


def _take_over(match_id: int, at: datetime) -> bool:
    return leg_settle(match_id=match_id) or leg_unseal(match_id=match_id, at=at)


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
    ready = legs_waiting().filter(home_ready_at__isnull=False, away_ready_at__isnull=False)
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
    fresh = legs_waiting().filter(pk=leg.pk).first()
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
    organisers_announce(
        season=season,
        right=Right.MATCHES,
        key=f"leg:{leg.pk}:stuck:{at.isoformat()}",
        subject=f"{season.name}: cannot begin",
        words=words,
    )


def _overdue(at: datetime) -> Iterator[Leg]:
    """Legs whose grace is over and that nobody has been told of. The grace differs by season, so
    the database narrows down and the service looks exactly."""
    waiting = legs_waiting().filter(scheduled_at__lt=at, no_show_at__isnull=True)
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
    is_decided = season.no_show_rule == NoShowRule.FORFEIT and len(absent) == 1
    if is_decided:
        leg_forfeit(
            fresh, winner=0 if ready[0] else 1, why=words, at=at, follows="death-match.no-show"
        )
    then = "It is decided by that." if is_decided else "Please decide what happens."
    organisers_announce(
        season=season,
        right=Right.MATCHES,
        key=f"leg:{fresh.pk}:no-show:{at.isoformat()}",
        subject=f"{season.name}: not there in time",
        words=f"{death_match}: {words} {then}",
    )
    return True
