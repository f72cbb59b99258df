"""What the organisers of a season have written to contestants."""

from __future__ import annotations

from typing import Final

from django.db.models import Prefetch, QuerySet

from accounts.models import User
from tournaments.models import Contestant, Season, SeasonMessage

MESSAGES_SHOWN: Final = 20


def messages_of(season: Season) -> QuerySet[SeasonMessage]:
    """All of a season, the latest first, with whom they went to, for whoever runs it."""
    to = Contestant.objects.select_related("user").order_by("pk")
    rows = season.messages.select_related("by", "round").prefetch_related(Prefetch("to", to))
    return rows.order_by("-at", "-pk")


def messages_to(season: Season, user: User) -> QuerySet[SeasonMessage]:
    """Those that went to somebody, the latest first."""
    rows = SeasonMessage.objects.visible_to(user).filter(season=season)
    return rows.select_related("by").order_by("-at", "-pk")
