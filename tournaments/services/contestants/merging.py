"""Accounts that turn out to be one, as far as they are somebody in a season."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from accounts.models import User
from core.clock import now_utc
from core.refusals import Refusal
from tournaments.lifecycle import STILL_IN, ApplicationStatus
from tournaments.models import (
    Contestant,
    OrganiserInvitation,
    Picture,
    SeasonApplication,
    SeasonInvitation,
    SeasonMessage,
    SeasonOrganiser,
)
from tournaments.rights import Role
from tournaments.services.follows import follows_merge
from tournaments.services.free_hours import free_hours_merge
from tournaments.services.predictions import predictions_merge


def organises_seasons(user: User) -> bool:
    """Whether somebody runs a season, or would as soon as they are an organiser again: a merge is
    then not for moderators to make."""
    return SeasonOrganiser.objects.filter(user=user).exists()


def _join(kept: SeasonOrganiser, other: SeasonOrganiser) -> None:
    """Of two places of one person in the same season one stays, with what both give."""
    other.delete()
    roles = list(Role.values)
    kept.role = min((kept.role, other.role), key=roles.index)
    kept.rights = sorted({*kept.rights, *other.rights}) if kept.is_helper else []
    kept.save(update_fields=["role", "rights"])


def contestancies_merge(keep: User, duplicate: User) -> Mapping[str, int]:
    """The tournaments' part of merging two accounts (see `accounts.moderation.merging`): whatever
    names the duplicate as somebody in a season names the kept account from then on."""
    both = Contestant.objects.filter(user=keep).values("season")
    twice = Contestant.objects.filter(user=duplicate, season__in=both).select_related("season")
    first = twice.first()
    if first is not None:
        raise Refusal("merge.same-season", f"Both take part in {first.season.name}.")
    organised = SeasonOrganiser.objects.filter(user=duplicate)
    for twice_in in organised.filter(season__organisers__user=keep):
        _join(SeasonOrganiser.objects.get(season=twice_in.season_id, user=keep), twice_in)
    SeasonOrganiser.objects.filter(admitted_by=duplicate).update(admitted_by=keep)
    asked = OrganiserInvitation.objects.filter(user=duplicate)
    # Of two of one person the kept account's stays, and none where they are in already.
    waiting = Q(season__organiser_invitations__user=keep, season__organiser_invitations__answer="")
    known = Q(season__organisers__user__in=[keep, duplicate])
    asked.filter(waiting | known, answer="").update(answer="withdrawn", answered_at=now_utc())
    asked.update(user=keep)
    OrganiserInvitation.objects.filter(made_by=duplicate).update(made_by=keep)
    SeasonInvitation.objects.filter(made_by=duplicate).update(made_by=keep)
    applied = SeasonApplication.objects.filter(user=duplicate)
    # Of two of one person the kept account's stays, and none where they are in the season.
    applied.filter(season__applications__user=keep).delete()
    SeasonApplication.objects.filter(decided_by=duplicate).update(decided_by=keep)
    applied.update(user=keep)
    SeasonMessage.objects.filter(by=duplicate).update(by=keep)
    # Not counted: moderators are told the numbers, and nobody is to know who predicts.
    predictions_merge(keep, duplicate)
    Picture.objects.filter(by=duplicate).update(by=keep)
    moved: dict[str, Any] = {
        "contestants": Contestant.objects.filter(user=duplicate).update(user=keep),
        "seasons run": organised.update(user=keep),
        "free hours": free_hours_merge(keep, duplicate),
        "seasons followed": follows_merge(keep, duplicate),
    }
    # Whoever is in a season by either account waits for no place in it.
    inside = Contestant.objects.filter(user=keep, status__in=STILL_IN)
    SeasonApplication.objects.filter(user=keep, season__in=inside.values("season")).update(
        status=ApplicationStatus.ADMITTED, turn=None, why=""
    )
    return moved
