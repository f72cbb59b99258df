"""What a season's organisers have written to its contestants."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from core.clock import now_utc
from tournaments.models.contestants import Contestant
from tournaments.models.rounds import Round
from tournaments.models.seasons import Season

TITLE_MAX = 100
WORDS_MAX = 1000


class MessageTo(models.TextChoices):
    """To whom a message goes."""

    EVERYBODY = "everybody", "All contestants, also those who are out"
    STILL_IN = "still-in", "Those who are still in"
    ROUND = "round", "Those whose death match of a round is still open"


class SeasonMessageQuerySet(models.QuerySet["SeasonMessage"]):
    """Messages, and who may read them."""

    def visible_to(self, user: Any) -> SeasonMessageQuerySet:
        """Those that went to ``user``. All of a season's are for who runs it
        (`audience.may_manage`)."""
        if not getattr(user, "is_authenticated", False):
            return self.none()
        return self.filter(to__user=user)


class SeasonMessage(models.Model):
    """A message of an organiser to contestants. It is no part of what is public of the season."""

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="messages")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="season_messages"
    )
    at = models.DateTimeField(default=now_utc)
    title = models.CharField(max_length=TITLE_MAX)
    words = models.TextField(max_length=WORDS_MAX)
    whom = models.CharField(max_length=10, choices=MessageTo.choices)
    round = models.ForeignKey(
        Round,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Whose open death matches it was about.",
    )
    to = models.ManyToManyField(Contestant, related_name="messages")

    objects = SeasonMessageQuerySet.as_manager()

    class Meta:
        ordering = ["season", "-at", "-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(title="") & ~Q(words=""), name="message_written"),
            models.CheckConstraint(
                condition=Q(whom__in=MessageTo.values), name="message_whom_known"
            ),
            models.CheckConstraint(
                condition=Q(whom="round", round__isnull=False)
                | (~Q(whom="round") & Q(round__isnull=True)),
                name="message_round_where_about_one",
            ),
        ]

    def __str__(self) -> str:
        return self.title
