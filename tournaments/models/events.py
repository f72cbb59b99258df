"""What the world may know of a season."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.clock import now_utc
from tournaments.models.contestants import Contestant
from tournaments.models.death_matches import DeathMatch, Leg
from tournaments.models.rounds import Round
from tournaments.models.seasons import Season


class SeasonEvent(models.Model):
    """Something the world may know of a season, append-only: what the timeline, the feeds and the
    webhooks tell. Written by `tournaments.services.events.season_event`, in the transaction of the
    action; `data` holds ids and public facts only."""

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="events")
    kind = models.CharField(max_length=40, help_text="For example death-match.decided.")
    words = models.CharField(max_length=500, help_text="A sentence for people.")
    data = models.JSONField(default=dict, blank=True)
    round = models.ForeignKey(
        Round, on_delete=models.PROTECT, null=True, blank=True, related_name="events"
    )
    death_match = models.ForeignKey(
        DeathMatch, on_delete=models.PROTECT, null=True, blank=True, related_name="events"
    )
    leg = models.ForeignKey(
        Leg, on_delete=models.PROTECT, null=True, blank=True, related_name="events"
    )
    contestant = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, null=True, blank=True, related_name="events"
    )
    at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["at", "id"]
        indexes = [models.Index(fields=["season", "id"], name="season_event_order")]
        constraints = [
            models.CheckConstraint(condition=~Q(kind="") & ~Q(words=""), name="season_event_whole"),
        ]

    def __str__(self) -> str:
        return self.words


class EventNotice(models.Model):
    """An event of which those whom it concerns have not been told yet; written with it, and gone
    once they are."""

    event = models.OneToOneField(
        SeasonEvent, on_delete=models.CASCADE, primary_key=True, related_name="notice"
    )
    at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["event"]

    def __str__(self) -> str:
        return f"notice {self.pk}"
