"""The site's own bots."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q


class HouseBot(models.Model):
    """An account that the site itself plays with, at one strength. Only practice is played with
    it."""

    class Level(models.TextChoices):
        NOVICE = "novice", "Novice"
        CLUB = "club", "Club"
        STRONG = "strong", "Strong"

    level = models.CharField(max_length=10, choices=Level.choices, primary_key=True)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="house_bot"
    )

    class Meta:
        ordering = ["level"]
        constraints = [
            models.CheckConstraint(
                condition=Q(level__in=["novice", "club", "strong"]), name="house_bot_level"
            )
        ]

    def __str__(self) -> str:
        return self.level
