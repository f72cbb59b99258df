"""What people keep to play with: an organiser's preparations, anybody's favourite moves."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from core.clock import now_utc


class PreparationQuerySet(models.QuerySet["Preparation"]):
    """What organisers prepared, and who may see it."""

    def visible_to(self, user: Any) -> PreparationQuerySet:
        """Those of ``user`` alone: what others will play with is a secret until it is played."""
        return self.filter(owner=user) if user.is_authenticated else self.none()


class Preparation(models.Model):
    """Something that an organiser keeps to supply to matches instead of having it drawn. It is
    checked before it is kept, and never changes."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="preparations"
    )
    ruleset = models.CharField(max_length=40)
    key = models.CharField(max_length=40, help_text="Which of the ruleset's supplies it is.")
    name = models.CharField(max_length=60)
    value = models.TextField(help_text="In the ruleset's canonical form.")
    created_at = models.DateTimeField(default=now_utc)

    objects = PreparationQuerySet.as_manager()

    class Meta:
        ordering = ["ruleset", "key", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "ruleset", "key", "name"], name="preparation_name_unique"
            ),
            models.CheckConstraint(condition=~Q(name="") & ~Q(value=""), name="preparation_whole"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def prepared(self) -> dict[str, str]:
        """What starting a match takes as ``prepared``."""
        return {self.key: self.value}


class SavedMove(models.Model):
    """A move that somebody keeps to play again, such as a favourite deck: theirs alone to see."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_moves"
    )
    ruleset = models.CharField(max_length=40)
    name = models.CharField(max_length=40)
    text = models.CharField(max_length=2000, help_text="In the ruleset's canonical notation.")
    saved_at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["user", "ruleset", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "ruleset", "name"], name="saved_move_name_unique"
            ),
            models.CheckConstraint(condition=~Q(name="") & ~Q(text=""), name="saved_move_whole"),
        ]

    def __str__(self) -> str:
        return f"{self.ruleset}/{self.name}"
