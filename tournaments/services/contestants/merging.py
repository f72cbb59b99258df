"""Accounts that turn out to be one, as far as they are somebody in a season."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from accounts.models import User
from accounts.roles import Role as SiteRole
from accounts.roles import holds_role
from accounts.services import audit_record
from core.clock import now_utc
from core.refusals import Refusal
from tournaments.lifecycle import STILL_IN, ApplicationStatus
from tournaments.models import (
    Contestant,
    OrganiserInvitation,
    Picture,
    Season,
    SeasonApplication,
    SeasonInvitation,
    SeasonMessage,
    SeasonOrganiser,
)
from tournaments.rights import Right, Role
from tournaments.services.follows import follows_merge
from tournaments.services.free_hours import free_hours_merge
from tournaments.services.predictions import predictions_merge


def organises_seasons(user: User) -> bool:
    """Whether somebody runs a season, or would as soon as they are an organiser again: a merge is
    then not for moderators to make."""
    return SeasonOrganiser.objects.filter(user=user).exists()


def _join(kept: SeasonOrganiser, other: SeasonOrganiser) -> None:
    """Of two places of one person in the same season one stays, with what both give. An owner
    without the site's role runs nothing: whoever had another place that counts would lose it."""
    other.delete()
    roles = list(Role.values)
    kept.role = min((kept.role, other.role), key=roles.index)
    if kept.is_owner and not other.is_helper and not holds_role(kept.user, SiteRole.ORGANISER):
        kept.role = Role.ORGANISER
    kept.rights = sorted({*kept.rights, *other.rights}) if kept.is_helper else []
    kept.save(update_fields=["role", "rights"])


def _places_merge(keep: User, duplicate: User) -> int:
    """Have the kept account run what the duplicate did, and how many places that were in seasons
    that it had none in. Only an organiser of this site takes over as an owner; others are
    co-organisers then, and the season is the first co-organiser's who may own it, if there is
    one."""
    organised = SeasonOrganiser.objects.filter(user=duplicate)
    owned = list(Season.objects.filter(organisers__user__in=[keep, duplicate],
                                       organisers__role=Role.OWNER))  # fmt: skip
    for twice_in in organised.filter(season__organisers__user=keep):
        _join(SeasonOrganiser.objects.get(season=twice_in.season_id, user=keep), twice_in)
    if not holds_role(keep, SiteRole.ORGANISER):
        organised.filter(role=Role.OWNER).update(role=Role.ORGANISER)
    moved = organised.update(user=keep)
    for season in owned:
        _own_anew(season)
    return moved


def _own_anew(season: Season) -> None:
    if season.organisers.filter(role=Role.OWNER).exists():
        return
    crew = season.organisers.holding(Right.RUN).select_related("user").order_by("pk")
    heir = next((each for each in crew if holds_role(each.user, SiteRole.ORGANISER)), None)
    if heir is None:
        return  # an administrator hands it over
    heir.role = Role.OWNER
    heir.save(update_fields=["role"])
    audit_record(
        acting_user=None,
        action="season.hand_over",
        target=season,
        data={"user": heir.user_id, "role": heir.role, "rights": heir.rights},
    )


def contestancies_merge(keep: User, duplicate: User) -> Mapping[str, int]:
    """The tournaments' part of merging two accounts (see `accounts.moderation.merging`): whatever
    names the duplicate as somebody in a season names the kept account from then on."""
    both = Contestant.objects.filter(user=keep).values("season")
    twice = Contestant.objects.filter(user=duplicate, season__in=both).select_related("season")
    first = twice.first()
    if first is not None:
        raise Refusal("merge.same-season", f"Both take part in {first.season.name}.")
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
        "seasons run": _places_merge(keep, duplicate),
        "free hours": free_hours_merge(keep, duplicate),
        "seasons followed": follows_merge(keep, duplicate),
    }
    # Whoever is in a season by either account waits for no place in it.
    inside = Contestant.objects.filter(user=keep, status__in=STILL_IN)
    SeasonApplication.objects.filter(user=keep, season__in=inside.values("season")).update(
        status=ApplicationStatus.ADMITTED, turn=None, why=""
    )
    return moved
