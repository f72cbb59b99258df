"""Challenges: offers to play."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from core.clock import now_utc
from games.models.matches import Match


class Challenge(models.Model):
    """An offer to play: open to anybody, or to one named player."""

    class Status(models.TextChoices):
        OPEN = "open"
        ACCEPTED = "accepted"
        DECLINED = "declined"
        CANCELLED = "cancelled"
        EXPIRED = "expired"

    class Advantage(models.TextChoices):
        LOT = "lot", "Drawn by lot"
        CHALLENGER = "challenger", "The challenger"
        OPPONENT = "opponent", "The opponent"

    challenger = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="challenges_made"
    )
    opponent = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="challenges_received",
        help_text="Empty: anybody may accept.",
    )
    ruleset = models.CharField(max_length=40)
    variant = models.CharField(max_length=40)
    options = models.JSONField(default=dict, blank=True)
    advantage = models.CharField(max_length=10, choices=Advantage.choices, default=Advantage.LOT)
    rated = models.BooleanField(
        default=True, db_default=True, help_text="Whether its match is meant to count for ratings."
    )
    message = models.CharField(max_length=200, blank=True)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    created_at = models.DateTimeField(default=now_utc)
    expires_at = models.DateTimeField()
    preparation = models.ForeignKey(
        "Preparation",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="challenges",
        help_text="What the challenger, an organiser, supplies instead of having it drawn.",
    )
    match = models.OneToOneField(
        Match, on_delete=models.PROTECT, null=True, blank=True, related_name="challenge"
    )

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["expires_at"], name="challenge_open", condition=Q(status="open")),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["open", "accepted", "declined", "cancelled", "expired"]),
                name="challenge_status_known",
            ),
            models.CheckConstraint(
                condition=Q(advantage__in=["lot", "challenger", "opponent"]),
                name="challenge_advantage_known",
            ),
            models.CheckConstraint(
                condition=Q(status="accepted", match__isnull=False)
                | (~Q(status="accepted") & Q(match__isnull=True)),
                name="challenge_match_when_accepted",
            ),
            models.CheckConstraint(
                condition=Q(opponent__isnull=True) | ~Q(opponent=F("challenger")),
                name="challenge_not_oneself",
            ),
        ]

    def __str__(self) -> str:
        return f"challenge {self.pk} ({self.ruleset})"

    def get_absolute_url(self) -> str:
        return reverse("games:challenge_detail", args=[self.pk])
