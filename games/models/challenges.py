"""Challenges: offers to play."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from core.clock import now_utc
from games.models.matches import Match


class Challenge(models.Model):
    """An offer to play: open to anybody, to one named player, or to whoever has its link."""

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
        help_text="Empty: anybody may accept, or whoever has the link.",
    )
    token = models.CharField(
        max_length=43,
        null=True,
        blank=True,
        unique=True,
        editable=False,
        help_text="What is secret of its link, where only whoever has that may accept.",
    )
    challenger_seat = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Where the challenger will sit."
    )
    rematch_of = models.ForeignKey(
        Match,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="rematches",
        help_text="The match after which it is offered.",
    )
    ruleset = models.CharField(max_length=40)
    variant = models.CharField(max_length=40)
    options = models.JSONField(default=dict, blank=True)
    advantage = models.CharField(max_length=10, choices=Advantage.choices, default=Advantage.LOT)
    rated = models.BooleanField(
        default=True, db_default=True, help_text="Whether its match is meant to count for ratings."
    )
    late_s = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        help_text="By how many seconds spectators will see the match late.",
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
            models.CheckConstraint(
                condition=Q(challenger_seat__in=[0, 1]), name="challenge_seat_number"
            ),
            models.CheckConstraint(
                condition=Q(token__isnull=True) | Q(opponent__isnull=True),
                name="challenge_link_names_nobody",
            ),
            models.CheckConstraint(
                condition=Q(rematch_of__isnull=True) | Q(opponent__isnull=False),
                name="challenge_rematch_names_opponent",
            ),
            # Of two who offer the same rematch at once, one accepts what the other offers.
            models.UniqueConstraint(
                fields=["rematch_of"],
                condition=Q(status="open") | Q(status="accepted"),
                name="challenge_one_rematch",
            ),
        ]

    def __str__(self) -> str:
        return f"challenge {self.pk} ({self.ruleset})"

    def get_absolute_url(self) -> str:
        return reverse("games:challenge_detail", args=[self.pk])

    @property
    def is_by_link(self) -> bool:
        """Whether only whoever has its link may accept it."""
        return self.token is not None

    def get_invite_url(self) -> str:
        """The path of its link. For nobody but the challenger to see."""
        return reverse("games:invite", args=[self.token])
