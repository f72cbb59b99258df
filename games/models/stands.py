"""Those who watch a match: who tells the others what happens, and who they think will win."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from core.clock import now_utc
from games.models.matches import Match


class MatchCommentator(models.Model):
    """Who comments on a match, for all others who watch it."""

    # The constraint has an index that begins with the match.
    match = models.ForeignKey(
        Match, on_delete=models.PROTECT, db_index=False, related_name="commentators"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="matches_commented"
    )
    named_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["match", "id"]
        constraints = [
            models.UniqueConstraint(fields=["match", "user"], name="commentator_once"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.user_id}"


class Prediction(models.Model):
    """Who somebody who watches thinks will win. Nobody is told whose it is before the end: no
    relation leads here, so that no list can be asked about it by way of matches or people."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, db_index=False, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    seat = models.PositiveSmallIntegerField()
    at = models.BigIntegerField(help_text="When it was made or last changed, in ms since 1970.")

    class Meta:
        ordering = ["match", "id"]
        constraints = [
            models.UniqueConstraint(fields=["match", "user"], name="prediction_one_each"),
            models.CheckConstraint(condition=Q(seat__in=[0, 1]), name="prediction_seat_number"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.user_id}"
