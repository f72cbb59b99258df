"""Links by which those who were invited enter a season by themselves."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse

from core.clock import now_utc
from tournaments.models.seasons import Season

NOTE_MAX = 80
LIMIT_MAX = 500


class SeasonInvitation(models.Model):
    """A link that lets whoever has it enter a season before it begins. Its token is as good as a
    ticket: only the season's organisers are shown it."""

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="invitations")
    token = models.CharField(max_length=22, unique=True)
    note = models.CharField(
        max_length=NOTE_MAX, blank=True, help_text="What it is for, to its organisers alone."
    )
    limit = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(LIMIT_MAX)],
        help_text="How many may come by it; empty: as many as like.",
    )
    for_place = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether it is for one place, which is held for whoever has it.",
    )
    mailed_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was sent by mail; to where is not kept."
    )
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="season_invitations"
    )
    made_at = models.DateTimeField(default=now_utc)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["season", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(("token__regex", r"^[A-Za-z0-9_-]{22}$")), name="invitation_token_form"
            ),
            models.CheckConstraint(
                condition=Q(limit__isnull=True) | Q(limit__gte=1, limit__lte=LIMIT_MAX),
                name="invitation_limit_range",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.note or 'invitation'} to {self.season}"

    def get_absolute_url(self) -> str:
        return reverse("tournaments:invited", args=[self.season.slug, self.token])

    def is_open(self, at: datetime) -> bool:
        """Whether it has neither been revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > at)
