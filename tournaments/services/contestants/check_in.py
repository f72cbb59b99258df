"""Check-in: before a season begins its contestants say that they are there, and whoever has not by
the hour can be struck off, so that those who wait move up."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from accounts.announcing.services import Told, announce
from accounts.models import User
from accounts.services import audit_record
from core.refusals import Forbidden, Refusal
from core.text import spoken
from tournaments import audience
from tournaments.lifecycle import ContestantStatus, SeasonStatus
from tournaments.models import Contestant, Season
from tournaments.rights import Right
from tournaments.services.contestants.departures import leave_before_start
from tournaments.services.contestants.places import places_fill
from tournaments.services.guards import (
    instant,
    must_manage,
    must_not_be_archived,
    must_not_be_draft,
    season_lock,
)

LASTS_MAX: Final = timedelta(days=30)
NOT_THERE: Final = "Not checked in by the hour."


@transaction.atomic
def check_in_open(
    *, acting_user: User, season: Season, until: datetime, at: datetime | None = None
) -> Season:
    """Have everybody who is in say by ``until`` that they are there, and tell them so; or set
    another hour, while who has checked in stays so.

    Raises Refusal as `must_be_openable` does, and ``check-in.until``.
    """
    at = instant(at)
    locked = _season_lock_quietly(season.pk)
    must_be_openable(locked, acting_user)
    if not at < until <= at + LASTS_MAX:
        raise Refusal("check-in.until", "It is open until an hour within the next 30 days.")
    if locked.check_in_until is None:
        locked.contestants.filter(checked_in_at__isnull=False).update(checked_in_at=None)
    locked.check_in_until = until
    locked.save(update_fields=["check_in_until"])
    audit_record(
        acting_user=acting_user,
        action="check-in.open",
        target=locked,
        data={"until": until.isoformat()},
    )
    absent = _absent(locked)
    announce(
        Told(
            user=each.user,
            kind="season.check-in",
            key=f"check-in:{locked.pk}:{at.isoformat()}",
            subject=f"{locked.name}: please check in",
            words=f"{locked.name}: Please check in on the season's page by "
            f"{spoken(until, each.user.zone)}. Who has not can lose their place.",
            path=locked.get_absolute_url(),
        )
        for each in absent
        if each.user is not None
    )
    return locked


@transaction.atomic
def check_in_close(*, acting_user: User, season: Season, at: datetime | None = None) -> Season:
    """Call check-in off: nobody has checked in any more. Raises Refusal as `must_be_closable`
    does."""
    locked = _season_lock_quietly(season.pk)
    must_be_closable(locked, acting_user)
    _end(locked)
    audit_record(
        acting_user=acting_user,
        action="check-in.close",
        target=locked,
        data={"at": instant(at).isoformat()},
    )
    return locked


@transaction.atomic
def contestant_check_in(
    *, acting_user: User, contestant: Contestant, at: datetime | None = None
) -> Contestant:
    """Somebody is there: they say so themselves, or an organiser does, who may do so later as well.

    Raises Refusal ``season.none``, and as `must_be_able_to_check_in` does.
    """
    at = instant(at)
    locked = _season_lock_quietly(contestant.season_id)
    found = locked.contestants.select_related("user").get(pk=contestant.pk)
    found.season = locked
    must_be_able_to_check_in(found, acting_user, at)
    found.checked_in_at = at
    found.save(update_fields=["checked_in_at"])
    audit_record(
        acting_user=acting_user,
        action="contestant.check-in",
        target=found,
        data={"season": locked.pk},
    )
    return found


@transaction.atomic
def absent_strike_off(
    *, acting_user: User, season: Season, at: datetime | None = None
) -> list[Contestant]:
    """Strike everybody off who has not checked in by the hour, let those who wait move up, and end
    check-in. Raises Refusal as `must_be_over` does."""
    at = instant(at)
    locked = season_lock(season.pk)
    must_be_over(locked, acting_user, at)
    gone = _absent(locked)
    for each in gone:
        each.season = locked
        leave_before_start(locked, each, acting_user, NOT_THERE, at)
    # Who moves up now was never asked to check in.
    _end(locked)
    places_fill(locked, at)
    audit_record(
        acting_user=acting_user,
        action="check-in.strike-off",
        target=locked,
        data={"contestants": [each.pk for each in gone]},
    )
    return gone


# -- what is asked first -------------------------------------------------------------------------


def must_be_openable(season: Season, acting_user: User) -> None:
    """Whether somebody can open check-in. Raises Refusal ``season.not-organiser``,
    ``season.archived``, ``season.draft`` and ``check-in.begun``."""
    must_manage(season, acting_user, Right.PEOPLE)
    must_not_be_archived(season)
    must_not_be_draft(season)
    if season.status != SeasonStatus.ENROLLING:
        raise Refusal("check-in.begun", "Only before a season begins is there a check-in.")


def must_be_closable(season: Season, acting_user: User) -> None:
    """Whether there is a check-in for somebody to end. Raises Refusal ``season.not-organiser``,
    ``season.archived`` and ``check-in.closed``."""
    must_manage(season, acting_user, Right.PEOPLE)
    must_not_be_archived(season)
    _must_be_on(season)


def must_be_over(season: Season, acting_user: User, at: datetime) -> None:
    """Whether somebody can strike off who has not checked in. Raises Refusal as `must_be_closable`
    does, and ``check-in.early``."""
    must_be_closable(season, acting_user)
    if season.check_in_until is not None and at < season.check_in_until:
        raise Refusal("check-in.early", "They may still check in: the hour is not over.")


def must_be_able_to_check_in(contestant: Contestant, acting_user: User, at: datetime) -> None:
    """Whether somebody can be checked in now. Raises Refusal ``season.not-organiser``,
    ``season.archived``, ``check-in.closed``, ``check-in.over``, ``check-in.not-in`` and
    ``check-in.twice``."""
    season = contestant.season
    own = contestant.user_id == acting_user.pk
    if not own:
        must_manage(season, acting_user, Right.PEOPLE)
    must_not_be_archived(season)
    _must_be_on(season)
    if contestant.status != ContestantStatus.ENROLLED:
        raise Forbidden("check-in.not-in", "Only who is in the season checks in.")
    if contestant.checked_in_at is not None:
        raise Refusal("check-in.twice", f"{contestant.shown_name} has checked in.")
    is_over = season.check_in_until is not None and at >= season.check_in_until
    if is_over and not audience.may(season, acting_user, Right.PEOPLE):
        raise Refusal("check-in.over", "The hour is over: ask an organiser to check you in.")


def _must_be_on(season: Season) -> None:
    if season.check_in_until is None or season.status != SeasonStatus.ENROLLING:
        raise Refusal("check-in.closed", "There is no check-in just now.")


def _absent(season: Season) -> list[Contestant]:
    rows = season.contestants.filter(status=ContestantStatus.ENROLLED, checked_in_at=None)
    return list(rows.select_related("user").order_by("pk"))


def _end(season: Season) -> None:
    season.check_in_until = None
    season.save(update_fields=["check_in_until"])
    season.contestants.filter(checked_in_at__isnull=False).update(checked_in_at=None)


def _season_lock_quietly(season_id: int) -> Season:
    # Who has checked in stands on the desk alone.
    return season_lock(season_id, changes=False)
