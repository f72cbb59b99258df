"""Applications: people ask to take part in a season, and its organisers decide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from django.db import transaction

from accounts.announcing.services import announcements_withdraw
from accounts.models import User
from accounts.services import audit_record, audit_records
from core.refusals import NotFound, Refusal, Together
from tournaments.announcements import APPLICATION
from tournaments.lifecycle import ApplicationStatus, SeasonStatus
from tournaments.models import Contestant, Season, SeasonApplication, WayIn
from tournaments.models.applications import WHY_MAX, WORDS_MAX
from tournaments.rights import Right
from tournaments.services.contestants.enrolment import (
    Enrolment,
    Entered,
    able_to_enter,
    entries_admit,
    is_taking_people,
    must_be_able_to_enter,
    must_not_be_declined,
    must_not_be_in,
    must_not_be_over,
    waits_already,
)
from tournaments.services.contestants.places import standing_of, tell
from tournaments.services.contestants.presence import please_check_in
from tournaments.services.guards import (
    instant,
    line,
    must_manage,
    must_not_be_archived,
    must_not_be_draft,
    season_lock,
)
from tournaments.services.mail import application_announce

#: What the organisers have still to decide, or may decide otherwise.
OPEN: Final = (ApplicationStatus.ASKED, ApplicationStatus.WAITING)
#: Why those were declined about whom nothing was decided before the beginning.
BEGUN: Final = "The season has begun."


@transaction.atomic
def application_make(
    *, acting_user: User, season: Season, words: str = "", at: datetime | None = None
) -> SeasonApplication:
    """Ask to take part; ``words`` are for the organisers alone.

    Raises Refusal ``season.none``, and as `must_be_appliable` does, and
    ``application.words.too-long``.
    """
    at = instant(at)
    locked = _season_lock_quietly(season.pk)
    user = able_to_enter(acting_user)
    row = locked.applications.filter(user=user).first()
    contestant = locked.contestants.filter(user=user).first()
    must_be_appliable(locked, user, contestant, row)
    tidy = words_of(words)
    row = row or SeasonApplication(season=locked, user=user)
    row.season = locked
    row.status, row.words, row.asked_at = ApplicationStatus.ASKED, tidy, at
    row.turn, row.why, row.may_ask_again = None, "", False
    row.decided_at = row.decided_by = row.invitation = None
    row.name = ""
    row.save()
    audit_record(
        acting_user=user, action="application.make", target=row, data={"season": locked.pk}
    )
    # Of however many times somebody asks, there is the last one to be read.
    _untell(row)
    application_announce(season=locked, applicant=user, key=_key_of(row))
    return row


def _key_of(row: SeasonApplication) -> str:
    """What organisers are told of an application by."""
    return f"applied:{row.pk}"


def _untell(row: SeasonApplication) -> None:
    """Take back that organisers were told of it: what has not gone out never does."""
    announcements_withdraw(of=[APPLICATION], keys=[_key_of(row)])


@transaction.atomic
def application_withdraw(
    *, acting_user: User, application: SeasonApplication, at: datetime | None = None
) -> SeasonApplication:
    """Take one's application back, or leave the waiting list; what was said is forgotten. Raises
    Refusal ``season.none``, ``season.archived``, ``applicant.none`` (it is another's) and
    ``application.decided``."""
    locked = _season_lock_quietly(application.season_id)
    must_not_be_archived(locked)
    row = _fresh(application, locked)
    if row.user_id != acting_user.pk:
        raise NotFound("applicant.none", "There is no such application.")
    must_be_undecided(row)
    row.status, row.words, row.turn = ApplicationStatus.WITHDRAWN, "", None
    row.decided_at = instant(at)
    row.save(update_fields=["status", "words", "turn", "decided_at"])
    _untell(row)
    audit_record(
        acting_user=acting_user,
        action="application.withdraw",
        target=row,
        data={"season": locked.pk},
    )
    return row


@transaction.atomic
def applications_approve(
    *,
    acting_user: User,
    season: Season,
    applications: Sequence[SeasonApplication],
    at: datetime | None = None,
) -> Entered:
    """Let those in who have applied, all of them or nobody, in the order in which they asked; for
    whom no place is left, they wait for one. Each is told.

    Raises Refusal as `must_be_deciding` does, ``applicant.none``, ``application.nobody``,
    ``application.decided``, and as `enrolment.contestants_enrol` does.
    """
    at = instant(at)
    locked = season_lock(season.pk)
    must_be_deciding(locked, acting_user)
    rows = _fresh_rows(locked, applications)
    faults = Together()
    for number, row in enumerate(rows):
        with faults.of(number):
            must_be_asked(row)
    faults.settle()
    entered = entries_admit(locked, acting_user, [Enrolment(row.user) for row in rows], at)
    locked.applications.filter(pk__in=[row.pk for row in rows]).update(
        decided_at=at, decided_by=acting_user
    )
    queued = {row.user_id: row for row in entered.waiting}
    made = {each.user_id: each for each in entered.contestants}
    for row in rows:
        if row.user_id in queued:
            which = standing_of(queued[row.user_id])
            words = f"You are approved. All places are taken: you are number {which} of those "
            tell(row, at, "You are on the waiting list", f"{words}who wait for one.")
        else:
            asked = please_check_in(locked, made[row.user_id])
            tell(row, at, "You are in", f"You are approved, and take part. {asked}".rstrip())
        audit_record(
            acting_user=acting_user,
            action="application.approve",
            target=row,
            data={"season": locked.pk, "user": row.user_id},
        )
    return entered


@transaction.atomic
def application_decline(
    *,
    acting_user: User,
    application: SeasonApplication,
    why: str = "",
    at: datetime | None = None,
) -> SeasonApplication:
    """Decline an application, or take somebody off the waiting list; they are told, with the reason
    where one is given. They apply again only where they are let (`application_allow`).

    Raises Refusal as `must_be_deciding` does, ``application.decided`` and ``why.too-long``.
    """
    at = instant(at)
    locked = _season_lock_quietly(application.season_id)
    must_be_deciding(locked, acting_user)
    row = _fresh(application, locked)
    must_be_undecided(row)
    tidy = line(why, code="why", what="A reason", most=WHY_MAX, empty=True)
    row.status, row.turn, row.why = ApplicationStatus.DECLINED, None, tidy
    row.may_ask_again, row.decided_at, row.decided_by = False, at, acting_user
    row.save(update_fields=["status", "turn", "why", "may_ask_again", "decided_at", "decided_by"])
    audit_record(
        acting_user=acting_user,
        action="application.decline",
        target=row,
        data={"season": locked.pk, "user": row.user_id, "why": tidy},
    )
    words = "The organisers have not taken you in"
    tell(row, at, "You are not taken in", f"{words}: {tidy}" if tidy else f"{words}.")
    return row


@transaction.atomic
def application_allow(
    *, acting_user: User, application: SeasonApplication, at: datetime | None = None
) -> SeasonApplication:
    """Let somebody apply again who was declined; they are told. Raises Refusal as
    `must_be_deciding` does, and ``application.allowed``."""
    locked = _season_lock_quietly(application.season_id)
    must_be_deciding(locked, acting_user)
    row = _fresh(application, locked)
    must_be_allowable(row)
    row.may_ask_again = True
    row.save(update_fields=["may_ask_again"])
    audit_record(
        acting_user=acting_user,
        action="application.allow",
        target=row,
        data={"season": locked.pk, "user": row.user_id},
    )
    tell(row, instant(at), "You may apply again", "The organisers let you apply again.")
    return row


def applications_end(season: Season, acting_user: User, at: datetime) -> None:
    """Nobody is decided about any more, and nobody waits: part of the season's beginning, under its
    lock. Each is told; were the beginning undone, they could ask again."""
    rows = list(season.applications.select_related("user").filter(status__in=OPEN).order_by("pk"))
    if not rows:
        return
    season.applications.filter(pk__in=[row.pk for row in rows]).update(
        status=ApplicationStatus.DECLINED,
        turn=None,
        why=BEGUN,
        may_ask_again=True,
        decided_at=at,
        decided_by=acting_user,
    )
    audit_records(
        acting_user=acting_user,
        action="application.decline",
        targets=[(row, {"season": season.pk, "user": row.user_id, "why": BEGUN}) for row in rows],
    )
    for row in rows:
        row.season = season
        words = "The season has begun without you"
        if row.status == ApplicationStatus.WAITING:
            words += ": no place has become free"
        tell(row, at, "It has begun without you", f"{words}.")


# -- what is asked first -------------------------------------------------------------------------


def must_take_applications(season: Season) -> None:
    """Whether people apply to a season now. Raises Refusal ``season.archived`` and
    ``application.closed``."""
    must_not_be_archived(season)
    if season.way_in is not WayIn.APPLICATION or not is_taking_people(season):
        raise Refusal("application.closed", "This season takes no applications just now.")


def must_be_appliable(
    season: Season,
    user: User,
    contestant: Contestant | None,
    row: SeasonApplication | None,
) -> None:
    """Whether somebody can apply now; ``contestant`` and ``row``: what they are in the season, if
    they ever were. Raises Refusal as `must_take_applications` does, ``contestant.account-closed``,
    ``contestant.suspended``, ``contestant.twice``, ``application.twice``, ``application.waiting``
    and ``application.declined``."""
    must_take_applications(season)
    must_be_able_to_enter(user)
    must_not_be_in(contestant, user.shown_name, late=False)
    if row is None:
        return
    if row.status == ApplicationStatus.ASKED:
        raise Refusal("application.twice", "You have applied already: the organisers decide.")
    if row.status == ApplicationStatus.WAITING:
        raise waits_already(user.shown_name)
    must_not_be_declined(row)


def must_be_deciding(season: Season, acting_user: User) -> None:
    """Whether somebody can decide about applications now. Raises Refusal
    ``season.not-organiser``, and as `must_be_decided_now` does."""
    must_manage(season, acting_user, Right.PEOPLE)
    must_be_decided_now(season)


def must_be_decided_now(season: Season) -> None:
    """Whether anything is decided about applications now. Raises Refusal ``season.archived``,
    ``season.draft``, ``season.over`` and ``enrolment.begun``."""
    must_not_be_archived(season)
    must_not_be_draft(season)
    must_not_be_over(season)
    if season.status != SeasonStatus.ENROLLING:
        raise Refusal("enrolment.begun", "The season has begun: who enters now is enrolled late.")


def must_be_asked(row: SeasonApplication) -> None:
    """Whether it is still to be decided. Raises Refusal ``application.decided``."""
    if row.status != ApplicationStatus.ASKED:
        raise _decided(row)


def must_be_undecided(row: SeasonApplication) -> None:
    """Whether somebody has applied, or waits. Raises Refusal ``application.decided``."""
    if row.status not in OPEN:
        raise _decided(row)


def must_be_allowable(row: SeasonApplication) -> None:
    """Whether somebody is to be let apply again. Raises Refusal ``application.allowed``."""
    if row.status != ApplicationStatus.DECLINED or row.may_ask_again:
        raise Refusal("application.allowed", "They can apply as it is.")


def words_of(text: str) -> str:
    """What somebody says of themselves, as it is kept. Raises Refusal
    ``application.words.too-long``."""
    tidy = str(text).replace("\r\n", "\n").replace("\x00", "").strip()
    if len(tidy) > WORDS_MAX:
        raise Refusal(
            "application.words.too-long", f"Please say it in {WORDS_MAX} characters at most."
        )
    return tidy


def _decided(row: SeasonApplication) -> Refusal:
    state = row.get_status_display().lower()
    return Refusal("application.decided", f"This application is “{state}” by now.")


def _season_lock_quietly(season_id: int) -> Season:
    # Who would take part is no part of what everybody sees.
    return season_lock(season_id, changes=False)


def _fresh_rows(
    season: Season, applications: Iterable[SeasonApplication]
) -> list[SeasonApplication]:
    asked = {each.pk for each in applications}
    rows = list(
        season.applications.select_related("user").filter(pk__in=asked).order_by("asked_at", "pk")
    )
    if not asked:
        raise Refusal("application.nobody", "Tick somebody first.")
    if len(rows) < len(asked):
        raise NotFound("applicant.none", "There is no such application.")
    for row in rows:
        row.season = season
    return rows


def _fresh(application: SeasonApplication, season: Season) -> SeasonApplication:
    (row,) = _fresh_rows(season, [application])
    return row
