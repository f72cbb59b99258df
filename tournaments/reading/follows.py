"""Who follows a season, and what somebody follows."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db.models import Count, Q

from accounts.models import User
from tournaments.models import Season, SeasonFollow


class Following(NamedTuple):
    """How many follow a season, and whether somebody is among them."""

    followers: int
    own: bool


def following_of(season: Season, user: User) -> Following:
    """Who follows a season, as ``user`` may know of it; one query."""
    rows = SeasonFollow.objects.filter(season=season)
    found = rows.aggregate(all=Count("pk"), own=Count("pk", filter=Q(user=user)))
    return Following(found["all"], own=bool(found["own"]))


def seasons_followed(user: Any) -> list[SeasonFollow]:
    """What somebody follows of the seasons that they may see, the latest first."""
    rows = SeasonFollow.objects.visible_to(user).select_related("season__winner")
    return list(rows.order_by("-at", "-pk"))
