"""What players plan on the boards of their matches, for themselves."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Cast, Length
from django.db.models.lookups import LessThanOrEqual

from core.clock import now_utc
from games.models.matches import Match

# Of the column as text, which has a blank behind every comma and colon: twice what may be kept.
TEXT_MAX = 2 * 64 * 1024


class PlanQuerySet(models.QuerySet["Plan"]):
    """What is planned, and who may see it."""

    def visible_to(self, user: Any) -> PlanQuerySet:
        """Those of ``user`` alone, of matches in which they sit now."""
        if not user.is_authenticated:
            return self.none()
        return self.filter(user=user, match__players__user=user)


class Plan(models.Model):
    """What somebody plans in a match: theirs alone to see, and no part of the match, which knows
    nothing of it. Whoever takes over a seat has a plan of their own.

    No relation leads here, so that no list or search can be asked about plans by way of matches or
    people.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    content = models.JSONField(help_text="As `games.services.plans` checks it.")
    revision = models.PositiveIntegerField(help_text="How often it has been changed.")
    updated_at = models.DateTimeField(default=now_utc)

    objects = PlanQuerySet.as_manager()

    class Meta:
        ordering = ["match", "user"]
        constraints = [
            models.UniqueConstraint(fields=["match", "user"], name="plan_one_each"),
            models.CheckConstraint(condition=Q(revision__gte=1), name="plan_revision_counts"),
            models.CheckConstraint(
                condition=LessThanOrEqual(Length(Cast(F("content"), models.TextField())), TEXT_MAX),
                name="plan_bounded",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.user_id}"
