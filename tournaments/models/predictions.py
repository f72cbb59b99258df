"""Who those that only watch a season think will win."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from tournaments.models.contestants import Contestant
from tournaments.models.death_matches import DeathMatch
from tournaments.models.seasons import Season


class SeasonPrediction(models.Model):
    """Who somebody thinks will win a season, or a death match of it that has not begun. Once a
    death match that is one match has begun, its match's `games.models.Prediction` says it: these
    rows go there then (`services.predictions.predictions_hand_over`), so that it stands in one
    place.

    Nobody is told whose it is before the end: no relation leads here, so that no list can be asked
    about it by way of seasons or people."""

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="+")
    death_match = models.ForeignKey(
        DeathMatch,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        # The constraint has an index that begins with it.
        db_index=False,
        related_name="+",
        help_text="Empty: the season itself.",
    )
    contestant = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, db_index=False, related_name="+"
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.BigIntegerField(help_text="When it was made or last changed, in ms since 1970.")

    class Meta:
        ordering = ["season", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["death_match", "user"], name="season_prediction_match_once"
            ),
            models.UniqueConstraint(
                fields=["season", "user"],
                condition=Q(death_match__isnull=True),
                name="season_prediction_winner_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.season_id}/{self.death_match_id or 'winner'}/{self.user_id}"
