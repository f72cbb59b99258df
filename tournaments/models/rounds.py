"""Rounds of seasons, and what an episode has besides."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from core.clock import now_utc
from tournaments.lifecycle import EpisodeStatus, RoundStatus
from tournaments.models.contestants import Contestant
from tournaments.models.seasons import Season


class Round(models.Model):
    """A stage of a season: an episode, a round of pairings, the final.

    Once the next round has begun, a round is frozen: its results change only after an organiser has
    reopened it.
    """

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=80)
    is_final = models.BooleanField(default=False)
    status = models.CharField(max_length=12, choices=RoundStatus.choices, default=RoundStatus.OPEN)
    ruleset = models.CharField(
        max_length=40, blank=True, help_text="Empty: decided match by match, or not yet."
    )
    variant = models.CharField(max_length=40, blank=True)
    options = models.JSONField(default=dict, blank=True)
    opened_at = models.DateTimeField(default=now_utc)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["season", "number"]
        constraints = [
            models.UniqueConstraint(fields=["season", "number"], name="round_number_once"),
            models.UniqueConstraint(
                fields=["season"], condition=Q(is_final=True), name="round_one_final"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="round_number_from_1"),
            models.CheckConstraint(
                condition=Q(status__in=RoundStatus.values), name="round_status_known"
            ),
            models.CheckConstraint(
                condition=Q(status="closed", closed_at__isnull=False)
                | (~Q(status="closed") & Q(closed_at__isnull=True)),
                name="round_closed_at",
            ),
            models.CheckConstraint(
                condition=Q(ruleset="", variant="") | (~Q(ruleset="") & ~Q(variant="")),
                name="round_ruleset_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.season}: {self.name}"

    @property
    def verb(self) -> str:
        """What follows its name in a sentence about it: a round is, the semi-finals are."""
        return "are" if self.name.endswith("finals") else "is"


class Episode(models.Model):
    """What an elimination season's round is about: a main match that was played elsewhere, the
    elimination candidate (EC) it leaves, and the death-match opponent (DMO) the EC picks."""

    round = models.OneToOneField(Round, on_delete=models.PROTECT, related_name="episode")
    status = models.CharField(
        max_length=12, choices=EpisodeStatus.choices, default=EpisodeStatus.MAIN_MATCH
    )
    main_match = models.CharField(max_length=120, blank=True, help_text="What was played.")
    notes = models.TextField(max_length=4000, blank=True)
    ec = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, null=True, blank=True, related_name="episodes_as_ec"
    )
    dmo = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, null=True, blank=True, related_name="episodes_as_dmo"
    )
    choose_by = models.DateTimeField(
        null=True, blank=True, help_text="After this an organiser names the DMO."
    )
    expiry_told_for = models.DateTimeField(
        null=True, blank=True, help_text="Which of these the organisers have been told of."
    )
    death_match_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the death match is to be played, until there is one.",
    )
    chosen_at = models.DateTimeField(null=True, blank=True)
    chosen_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="dmo_choices",
    )

    class Meta:
        ordering = ["round"]
        indexes = [
            models.Index(
                fields=["choose_by"], name="episode_choose_by", condition=Q(status="choosing")
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=EpisodeStatus.values), name="episode_status_known"
            ),
            models.CheckConstraint(
                condition=Q(dmo__isnull=True) | Q(ec__isnull=False), name="episode_dmo_needs_ec"
            ),
            models.CheckConstraint(
                condition=Q(dmo__isnull=True) | ~Q(dmo=F("ec")), name="episode_two_people"
            ),
            models.CheckConstraint(
                condition=Q(status="main-match", ec__isnull=True)
                | Q(status="choosing", ec__isnull=False, dmo__isnull=True)
                | Q(status__in=["death-match", "done"], dmo__isnull=False)
                | Q(status="skipped"),
                name="episode_people_fit_status",
            ),
            # Once there is a death match its legs have the time.
            models.CheckConstraint(
                condition=Q(death_match_at__isnull=True) | Q(status="choosing"),
                name="episode_time_until_chosen",
            ),
        ]

    def __str__(self) -> str:
        return str(self.round)


class Placement(models.Model):
    """How a contestant came off in an episode's main match."""

    episode = models.ForeignKey(Episode, on_delete=models.CASCADE, related_name="placements")
    contestant = models.ForeignKey(Contestant, on_delete=models.PROTECT, related_name="placements")
    place = models.PositiveSmallIntegerField(help_text="1 is the best; equal places are possible.")
    immune = models.BooleanField(default=False, help_text="May not be picked as DMO.")

    class Meta:
        ordering = ["episode", "place", "id"]
        constraints = [
            models.UniqueConstraint(fields=["episode", "contestant"], name="placement_once"),
            models.CheckConstraint(condition=Q(place__gte=1), name="placement_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.contestant}: {self.place}"
