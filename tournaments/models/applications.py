"""Those who would enter a season: they have applied, or wait for a place."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from core.clock import now_utc
from tournaments.lifecycle import ApplicationStatus
from tournaments.models.invitations import SeasonInvitation
from tournaments.models.seasons import Season

WORDS_MAX = 500
WHY_MAX = 500


class SeasonApplication(models.Model):
    """Somebody who would enter a season and is not in it, or was not when they asked: one for each
    person. What they say, its organisers alone read."""

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="applications")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="season_applications"
    )
    status = models.CharField(max_length=10, choices=ApplicationStatus.choices)
    words = models.TextField(max_length=WORDS_MAX, blank=True)
    turn = models.PositiveIntegerField(
        null=True, blank=True, help_text="On the waiting list: the lower moves up first."
    )
    name = models.CharField(
        max_length=200, blank=True, help_text="What the season is to call them; empty: their name."
    )
    invitation = models.ForeignKey(
        SeasonInvitation,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="applications",
        help_text="The link by which they came onto the waiting list, if by one.",
    )
    why = models.CharField(
        max_length=WHY_MAX, blank=True, help_text="Why it was declined, told to them alone."
    )
    may_ask_again = models.BooleanField(
        default=False, help_text="Whether they may apply again after a decline."
    )
    asked_at = models.DateTimeField(default=now_utc)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="season_applications_decided",
    )

    class Meta:
        ordering = ["season", "asked_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["season", "user"], name="application_once"),
            models.UniqueConstraint(fields=["season", "turn"], name="application_turn_once"),
            models.CheckConstraint(
                condition=Q(status__in=ApplicationStatus.values), name="application_status_known"
            ),
            models.CheckConstraint(
                condition=Q(status="waiting", turn__isnull=False)
                | (~Q(status="waiting") & Q(turn__isnull=True)),
                name="application_turn_while_waiting",
            ),
            models.CheckConstraint(
                condition=Q(why="") | Q(status="declined"), name="application_why_when_declined"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user.shown_name} for {self.season}"
