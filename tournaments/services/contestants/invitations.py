"""Invitation links: whoever has one enters the season by themselves, until it begins."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q

from accounts.models import User
from accounts.services import audit_record
from core.refusals import NotFound, Refusal
from tournaments.lifecycle import ApplicationStatus, ContestantStatus, SeasonStatus
from tournaments.models import Contestant, Season, SeasonInvitation
from tournaments.models.invitations import LIMIT_MAX, NOTE_MAX
from tournaments.rights import Right
from tournaments.services.contestants.enrolment import (
    Enrolment,
    Entered,
    entries_admit,
    must_be_enrollable,
    must_not_be_in,
    must_not_be_over,
)
from tournaments.services.contestants.held import held_by, must_be_takable, place_take_in
from tournaments.services.guards import (
    instant,
    line,
    must_manage,
    must_not_be_archived,
    must_not_be_draft,
    season_lock,
)

#: How many links of a season are open at a time, at most.
OPEN_MAX: Final = 20
LASTS_MAX: Final = timedelta(days=365)


@transaction.atomic
def invitation_make(
    *,
    acting_user: User,
    season: Season,
    note: str = "",
    limit: int | None = None,
    expires_at: datetime | None = None,
    at: datetime | None = None,
) -> SeasonInvitation:
    """Make a link by which up to ``limit`` people (None: as many as like) enter until it expires
    (None: never) or the season begins.

    Raises Refusal ``season.none``, and as `must_be_inviting` does, ``invitation.note.too-long``,
    ``invitation.limit``, ``invitation.expiry`` and ``invitation.many``.
    """
    at = instant(at)
    locked = _season_lock_quietly(season.pk)
    must_be_inviting(locked, acting_user)
    tidy = line(note, code="invitation.note", what="A note", most=NOTE_MAX, empty=True)
    if limit is not None and not 1 <= limit <= LIMIT_MAX:
        raise Refusal("invitation.limit", f"A link is for 1 to {LIMIT_MAX} people.", field="limit")
    if expires_at is not None and not at < expires_at <= at + LASTS_MAX:
        raise Refusal("invitation.expiry", "A link lasts for up to a year.", field="expires_at")
    lasts = Q(expires_at=None) | Q(expires_at__gt=at)
    is_open = locked.invitations.filter(lasts, revoked_at=None, for_place=False)
    if is_open.count() >= OPEN_MAX:
        raise Refusal(
            "invitation.many", f"{OPEN_MAX} links are open already: withdraw one of them first."
        )
    made = SeasonInvitation.objects.create(
        season=locked,
        token=secrets.token_urlsafe(16),
        note=tidy,
        limit=limit,
        expires_at=expires_at,
        made_by=acting_user,
        made_at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="invitation.make",
        target=made,
        data={
            "season": locked.pk,
            "limit": limit,
            "expires_at": None if expires_at is None else expires_at.isoformat(),
        },
    )
    return made


@transaction.atomic
def invitation_revoke(
    *, acting_user: User, invitation: SeasonInvitation, at: datetime | None = None
) -> SeasonInvitation:
    """Have a link let nobody in any more; who has come by it stays. Raises Refusal as
    `guards.must_manage` does, ``season.archived`` and ``invitation.revoked``."""
    locked = _season_lock_quietly(invitation.season_id)
    must_manage(locked, acting_user, Right.PEOPLE)
    must_not_be_archived(locked)
    fresh = _fresh(invitation, locked)
    must_not_be_revoked(fresh)
    fresh.revoked_at = instant(at)
    fresh.save(update_fields=["revoked_at"])
    audit_record(acting_user=acting_user, action="invitation.revoke", target=fresh)
    return fresh


@transaction.atomic
def invitation_accept(
    *, acting_user: User, invitation: SeasonInvitation, at: datetime | None = None
) -> Entered:
    """Enter a season by a link, or wait for a place where it is full. Raises Refusal
    ``season.none``, ``application.waiting``, as `must_be_good` does, and as
    `enrolment.contestants_enrol` does."""
    at = instant(at)
    locked = season_lock(invitation.season_id)
    fresh = _fresh(invitation, locked)
    must_be_good(fresh, locked, acting_user, at)
    if fresh.for_place:
        return Entered([place_take_in(locked, fresh, acting_user, at)], [])
    entry = Enrolment(acting_user, invitation=fresh)
    return entries_admit(locked, acting_user, [entry], at)


# -- what is asked first -------------------------------------------------------------------------


def must_be_inviting(season: Season, acting_user: User) -> None:
    """Whether somebody can make links. Raises Refusal ``season.not-organiser``,
    ``season.archived``, ``season.over`` and ``enrolment.closed``."""
    must_manage(season, acting_user, Right.PEOPLE)
    must_take_links(season)


def must_take_links(season: Season) -> None:
    """Whether links let anybody into a season. Raises Refusal ``season.archived``,
    ``season.over`` and ``enrolment.closed``."""
    must_not_be_archived(season)
    must_not_be_over(season)
    if season.status != SeasonStatus.ENROLLING:
        raise Refusal("enrolment.closed", "The season has begun: links let nobody in any more.")


def must_not_be_revoked(invitation: SeasonInvitation) -> None:
    """Raises Refusal ``invitation.revoked``."""
    if invitation.revoked_at is not None:
        raise Refusal("invitation.revoked", "The organisers have withdrawn this link.")


def must_be_good(
    invitation: SeasonInvitation, season: Season, user: User | None, at: datetime
) -> None:
    """Whether a link lets somebody in now (None: who is yet to sign in), as far as that depends on
    the link. Raises Refusal as `must_take_links` does, ``season.draft``, ``invitation.revoked``,
    ``invitation.expired`` and ``invitation.full``."""
    must_take_links(season)
    must_not_be_draft(season)
    must_not_be_revoked(invitation)
    if not invitation.is_open(at):
        raise Refusal("invitation.expired", "This link has expired: ask for another one.")
    if invitation.for_place:
        _must_lead_to_a_place(invitation, user)
        return
    if invitation.limit is None:
        return
    # Who was struck off again has left their place to the next.
    others = invitation.contestants.exclude(status=ContestantStatus.WITHDRAWN)
    # Who waits for a place has come by it too.
    waiting = invitation.applications.filter(status=ApplicationStatus.WAITING)
    if sum(rows.exclude(user=user).count() for rows in (others, waiting)) >= invitation.limit:
        raise Refusal(
            "invitation.full", "As many have come by this link as it was for: ask for another one."
        )


def _must_lead_to_a_place(invitation: SeasonInvitation, user: User | None) -> None:
    place = held_by(invitation)
    taken_by = invitation.contestants.first() if place is None else None
    if place is None and (taken_by is None or user is None or taken_by.user_id != user.pk):
        raise Refusal("invitation.taken", "Somebody has taken this place, or it is held no more.")


def must_be_acceptable(
    invitation: SeasonInvitation,
    season: Season,
    user: User,
    contestant: Contestant | None,
    at: datetime,
) -> None:
    """Whether somebody can enter by a link now; ``contestant``: their place in the season, if they
    ever had one. Raises Refusal as `must_be_good` and `enrolment.must_be_enrollable` do."""
    # To whoever is in already the link is no question any more.
    must_not_be_in(contestant, user.shown_name, late=season.status == SeasonStatus.RUNNING)
    must_be_good(invitation, season, user, at)
    must_be_enrollable(season, user, contestant)
    if invitation.for_place:
        must_be_takable(held_by(invitation), user, contestant)


def invitation_of(season: Season, token: str) -> SeasonInvitation:
    """The link of a season with that token. Raises Refusal ``invitation.none``."""
    found = season.invitations.select_related("made_by").filter(token=token).first()
    if found is None:
        raise NotFound("invitation.none", "There is no such invitation.")
    found.season = season
    return found


def _season_lock_quietly(season_id: int) -> Season:
    # Links are no part of what everybody sees.
    return season_lock(season_id, changes=False)


def _fresh(invitation: SeasonInvitation, season: Season) -> SeasonInvitation:
    fresh = SeasonInvitation.objects.get(pk=invitation.pk)
    fresh.season = season
    return fresh
