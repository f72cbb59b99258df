"""How a season begins."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Refusal
from tournaments import lifecycle
from tournaments.formats.registry import format_of
from tournaments.lifecycle import ContestantStatus, SeasonStatus
from tournaments.models import Contestant, Season
from tournaments.services.contestants.applications import applications_end
from tournaments.services.events import season_event
from tournaments.services.guards import instant, must_not_be_draft, season_lock_managed
from tournaments.services.ledger.passing import purses_open
from tournaments.services.preflight import must_pass
from tournaments.services.results import decisions
from tournaments.services.seasons import season_move


@transaction.atomic
def season_start(*, acting_user: User, season: Season, at: datetime | None = None) -> Season:
    """Begin: seeds are fixed, everybody enrolled is in, the first round opens. Who has applied and
    is not decided about, or waits for a place, is told that it begins without them.

    Raises Refusal as `guards.season_lock_managed` does, ``season.begun``, ``lifecycle.step``, and
    what stops it by `preflight` (``season.draft``, ``pairing.too-few``).
    """
    locked = season_lock_managed(season, acting_user)
    must_be_startable(locked)
    must_pass(locked, "start")
    at = instant(at)
    applications_end(locked, acting_user, at)
    _fix_seeds(locked)
    locked.contestants.filter(status=ContestantStatus.ENROLLED).update(
        status=ContestantStatus.ACTIVE
    )
    season_move(locked, SeasonStatus.RUNNING, started_at=at, check_in_until=None)
    begins = locked.contestants.filter(status=ContestantStatus.ACTIVE)
    purses_open(season=locked, contestants=begins, at=at)
    count = begins.count()
    season_event(
        season=locked,
        kind="season.started",
        words=f"{locked.name} begins with {count} contestants.",
        data={"contestants": count},
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="season.start",
        target=locked,
        data={"contestants": count},
    )
    started = format_of(locked.format).on_started(season=locked, acting_user=acting_user, at=at)
    decisions.follow(started, season=locked, at=at)
    return locked


def must_be_startable(season: Season) -> None:
    """Whether a season can begin, but for who is in it. Raises Refusal ``season.begun``,
    ``lifecycle.step`` and ``season.draft``."""
    if season.status in (SeasonStatus.RUNNING, SeasonStatus.FINISHED):
        raise Refusal("season.begun", "This season has begun already.")
    lifecycle.step(lifecycle.SEASON, season.status, SeasonStatus.RUNNING, "The season")
    must_not_be_draft(season)


def _fix_seeds(season: Season) -> None:
    """Seeds 1, 2, 3, … without gaps: by what was set, then in the order of enrolment."""
    # Somebody who has left keeps no seed that the others are numbered past.
    season.contestants.exclude(status=ContestantStatus.ENROLLED).update(seed=None)
    enrolled = sorted(
        season.contestants.filter(status=ContestantStatus.ENROLLED),
        key=lambda each: (each.seed is None, each.seed or 0, each.pk),
    )
    # The constraint is checked row by row: first out of the way, then in place.
    season.contestants.filter(status=ContestantStatus.ENROLLED).update(seed=None)
    for number, contestant in enumerate(enrolled, start=1):
        contestant.seed = number
    Contestant.objects.bulk_update(enrolled, ["seed"])
