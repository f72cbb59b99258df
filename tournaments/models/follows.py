"""Who wants to hear what happens in a season without playing in it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from core.clock import now_utc
from tournaments.models.seasons import Season


class SeasonFollowQuerySet(models.QuerySet["SeasonFollow"]):
    """Who follows what, and who may see that."""

    def visible_to(self, user: Any) -> SeasonFollowQuerySet:
        """One's own, of seasons that one may see: of a draft there is nothing to be heard."""
        if not getattr(user, "is_authenticated", False):
            return self.none()
        return self.filter(user=user, season__in=Season.objects.visible_to(user))


class SeasonFollow(models.Model):
    """Somebody follows a season. That they do is theirs alone: others see how many do."""

    season = models.ForeignKey(
        # The constraint below begins with it.
        Season, on_delete=models.CASCADE, related_name="follows", db_index=False
    )  # fmt: skip
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="seasons_followed"
    )
    at = models.DateTimeField(default=now_utc)

    objects = SeasonFollowQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["season", "user"], name="season_follow_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user} follows {self.season}"
