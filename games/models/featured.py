"""The match in the best place."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.clock import now_utc
from games.models.matches import Match


class FeaturedMatch(models.Model):
    """The match that organisers show in the best place. There is one row at most; it stays when its
    match is over, and then says nothing."""

    place = models.PositiveSmallIntegerField(
        default=1, unique=True, editable=False, help_text="The best one: there is no other."
    )
    match = models.OneToOneField(Match, on_delete=models.PROTECT, related_name="featured")
    since = models.DateTimeField(default=now_utc)

    class Meta:
        verbose_name_plural = "featured matches"
        ordering = ["place"]
        constraints = [models.CheckConstraint(condition=Q(place=1), name="featured_one_place")]

    def __str__(self) -> str:
        return f"match {self.match_id}, featured"
