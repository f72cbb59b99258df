"""Those who wait to be paired."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from games.models.matches import Match


class Seek(models.Model):
    """Somebody wants to play whoever wants the same, at once. There is one of each person; its row
    stays a while once it has led to a match, for pages that ask where to go."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="seek"
    )
    ruleset = models.CharField(max_length=40, blank=True, help_text="Empty: any game.")
    variant = models.CharField(max_length=40, blank=True)
    pace = models.CharField(max_length=20, help_text="A ready-made pace, by its id.")
    rated = models.BooleanField(default=True)
    rating = models.FloatField(help_text="On the ladder of that game, when they came.")
    since = models.BigIntegerField(help_text="When they came, in ms since 1970.")
    until = models.BigIntegerField(
        help_text="Until when it stands unless their page asks again, in ms since 1970."
    )
    match = models.ForeignKey(
        Match,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="seeks",
        help_text="What it has led to. Empty: they wait.",
    )

    class Meta:
        ordering = ["since", "id"]
        indexes = [
            models.Index(fields=["since"], name="seek_waiting", condition=Q(match__isnull=True)),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(pace=""), name="seek_pace_given"),
            models.CheckConstraint(
                condition=Q(ruleset="", variant="") | (~Q(ruleset="") & ~Q(variant="")),
                name="seek_game_whole",
            ),
            models.CheckConstraint(condition=Q(until__gt=F("since")), name="seek_until_later"),
        ]

    def __str__(self) -> str:
        return f"seek {self.pk}"
