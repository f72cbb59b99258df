"""What spectators of a match that they see late may know of it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from games.models.matches import Match


class LateView(models.Model):
    """A running match as it stood at one moment, for spectators who see it late. The latest that is
    shown is what they may know; those that are not shown yet are nobody's to read. They go once
    they are overtaken, and all of them with the end of the match."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="late_views")
    version = models.PositiveIntegerField(help_text="The room's version then.")
    seq = models.PositiveIntegerField(help_text="The number of the latest entry then.")
    snapshot = models.TextField()
    due_at = models.BigIntegerField(help_text="From when it may be shown, in ms since 1970.")
    shown = models.BooleanField(default=False)

    class Meta:
        ordering = ["match", "version"]
        indexes = [
            models.Index(fields=["due_at"], name="late_view_due", condition=Q(shown=False)),
        ]
        constraints = [
            models.UniqueConstraint(fields=["match", "version"], name="late_view_one_a_version"),
            models.CheckConstraint(condition=Q(due_at__gt=0), name="late_view_due_sometime"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.version}"
