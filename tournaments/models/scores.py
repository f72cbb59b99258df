"""Main matches as tables of scores."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from tournaments.lifecycle import EpisodeStatus
from tournaments.models.contestants import Contestant
from tournaments.models.rounds import Episode


def scores_seen_by_all() -> Q:
    """Of tables of scores, those that everybody sees who sees the season: by which a placement was
    recorded, and drafts that are shown, as long as the main match is on."""
    on = Q(episode__status=EpisodeStatus.MAIN_MATCH)
    return Q(recorded_at__isnull=False) | Q(on, shown=True)


class ScoreTable(models.Model):
    """The scores of an episode's main match. A draft until the placement is recorded by it; from
    then on it changes only by a correction. What its columns and cells are is said in
    `tournaments.scoring`."""

    episode = models.OneToOneField(Episode, on_delete=models.CASCADE, related_name="scores")
    name = models.CharField(
        max_length=120, blank=True, help_text="What was played, until the placement is recorded."
    )
    about = models.CharField(max_length=500, blank=True, help_text="How the game goes.")
    notes = models.TextField(
        max_length=4000, blank=True, help_text="How it went, until the placement is recorded."
    )
    columns = models.JSONField(help_text="Each with its name, and what it is for.")
    low = models.BooleanField(default=False, help_text="The lowest total is the best.")
    share = models.BooleanField(default=False, help_text="All who are equal share their place.")
    winner_immune = models.BooleanField(default=True, help_text="Whoever comes first is immune.")
    shown = models.BooleanField(
        default=False, help_text="Everybody sees it before the placement is recorded."
    )
    version = models.PositiveIntegerField(default=1, help_text="Counts how often it was saved.")
    recorded_at = models.DateTimeField(
        null=True, blank=True, help_text="When the placement was recorded by it. Empty: a draft."
    )

    class Meta:
        ordering = ["episode"]
        constraints = [
            models.CheckConstraint(condition=Q(version__gte=1), name="scores_version_from_1"),
        ]

    def __str__(self) -> str:
        return f"scores of {self.episode}"


class ScoreRow(models.Model):
    """What a contestant has in each column, as texts of decimals; empty where there is nothing."""

    table = models.ForeignKey(ScoreTable, on_delete=models.CASCADE, related_name="rows")
    contestant = models.ForeignKey(Contestant, on_delete=models.PROTECT, related_name="scores")
    cells = models.JSONField(default=list)
    note = models.CharField(max_length=200, blank=True)
    among = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Where they come among those with equal scores."
    )

    class Meta:
        ordering = ["table", "id"]
        constraints = [
            models.UniqueConstraint(fields=["table", "contestant"], name="score_row_once"),
            models.CheckConstraint(
                condition=Q(among__isnull=True) | Q(among__gte=1), name="score_among_from_1"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.contestant}: {self.table}"
