"""Death matches, their legs, and who was reminded of one."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Max, Q
from django.urls import reverse
from django.utils.functional import cached_property

from core.clock import now_utc
from games.models import Match
from tournaments.lifecycle import DeathMatchStatus, How, LegStatus
from tournaments.models.contestants import Contestant
from tournaments.models.rounds import Round
from tournaments.models.seasons import Season


class DeathMatchQuerySet(models.QuerySet["DeathMatch"]):
    """Death matches, and who may see them."""

    def visible_to(self, user: Any) -> DeathMatchQuerySet:
        """Those of the seasons that ``user`` may see."""
        return self.filter(round__season__in=Season.objects.visible_to(user))


class DeathMatch(models.Model):
    """Two contestants meet. `home` sits on seat 0 (in an episode the EC), `away` on seat 1 (the
    DMO). In a bracket the sides may not be known yet; a bye has a home side only."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="death_matches")
    number = models.PositiveSmallIntegerField(help_text="Its place in the round, from 1.")
    key = models.CharField(
        max_length=20, blank=True, help_text="What the bracket calls it; empty outside a bracket."
    )
    home = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, null=True, blank=True, related_name="home_matches"
    )
    away = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, null=True, blank=True, related_name="away_matches"
    )
    best_of = models.PositiveSmallIntegerField(default=1)
    status = models.CharField(
        max_length=12, choices=DeathMatchStatus.choices, default=DeathMatchStatus.WAITING
    )
    winner = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, null=True, blank=True, related_name="matches_won"
    )
    how = models.CharField(max_length=10, choices=How.choices, blank=True)
    # Legs won where there are several, else what the ruleset counts; whole numbers, for standings.
    home_score = models.IntegerField(default=0)
    away_score = models.IntegerField(default=0)
    why = models.CharField(max_length=500, blank=True, help_text="Of a ruling or walkover; public.")
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = DeathMatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "death matches"
        ordering = ["round", "number"]
        constraints = [
            models.UniqueConstraint(fields=["round", "number"], name="death_match_number_once"),
            models.CheckConstraint(
                condition=Q(status__in=DeathMatchStatus.values), name="death_match_status_known"
            ),
            models.CheckConstraint(
                condition=Q(how__in=["", *How.values]), name="death_match_how_known"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="death_match_number_from_1"),
            # So that somebody wins most of them.
            models.CheckConstraint(
                condition=Q(best_of__in=[1, 3, 5, 7, 9, 11, 13, 15]),
                name="death_match_best_of_odd",
            ),
            models.CheckConstraint(
                condition=Q(home__isnull=True) | Q(away__isnull=True) | ~Q(home=F("away")),
                name="death_match_two_people",
            ),
            models.CheckConstraint(
                condition=Q(winner__isnull=True) | Q(winner=F("home")) | Q(winner=F("away")),
                name="death_match_winner_played",
            ),
            # There are no draws: decided means that somebody won.
            models.CheckConstraint(
                condition=Q(status="decided", winner__isnull=False, decided_at__isnull=False)
                & ~Q(how="")
                | (~Q(status="decided") & Q(winner__isnull=True, decided_at__isnull=True, how="")),
                name="death_match_decided",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "void"])
                | Q(home__isnull=False, away__isnull=False)
                | Q(status="decided", how__in=["bye", "walkover"]),
                name="death_match_sides_known",
            ),
            models.CheckConstraint(
                condition=~Q(how="bye") | Q(away__isnull=True), name="death_match_bye_alone"
            ),
            # No contestant is paired twice in one round as the same side. That nobody is paired on
            # one side and the other, the services see to, under the season's lock.
            models.UniqueConstraint(
                fields=["round", "home"],
                condition=~Q(status="void") & Q(key="") & Q(home__isnull=False),
                name="death_match_home_once",
            ),
            models.UniqueConstraint(
                fields=["round", "away"],
                condition=~Q(status="void") & Q(key="") & Q(away__isnull=False),
                name="death_match_away_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.home or '?'} vs {self.away or '?'}"

    def get_absolute_url(self) -> str:
        return reverse("tournaments:death_match", args=[self.round.season.slug, self.pk])

    @cached_property
    def known_at(self) -> datetime | None:
        """Since when it is known who meets: when the two who do now, or the last who took a side
        over, were told of each other. None while nobody was."""
        paired = self.events.filter(kind="death-match.paired")
        last: datetime | None = paired.aggregate(last=Max("at"))["last"]
        return last

    @property
    def waits(self) -> bool:
        """Whether a match of it waits for its players; asks its legs, and their matches."""
        return any(leg.waits for leg in self.legs.all())


class Leg(models.Model):
    """One match of a death match: when it is played and what in, who is ready, which items are
    brought, and the running match once it has begun. A void leg stays, and is played again as the
    next attempt."""

    death_match = models.ForeignKey(DeathMatch, on_delete=models.PROTECT, related_name="legs")
    number = models.PositiveSmallIntegerField(default=1)
    attempt = models.PositiveSmallIntegerField(default=1)
    status = models.CharField(max_length=12, choices=LegStatus.choices, default=LegStatus.PLANNED)
    ruleset = models.CharField(max_length=40, blank=True, help_text="Empty: not decided yet.")
    variant = models.CharField(max_length=40, blank=True)
    options = models.JSONField(default=dict, blank=True)
    prepared = models.JSONField(
        default=dict, blank=True, help_text="Pallets, pools and the like that organisers supply."
    )
    prepared_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who supplied it; records name them.",
    )
    advantage = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The seat. Empty: by the number of items, or by lot."
    )
    scheduled_at = models.DateTimeField(null=True, blank=True)
    times_reminded_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When an organiser last reminded whoever is to propose times or to answer.",
    )
    home_ready_at = models.DateTimeField(null=True, blank=True)
    away_ready_at = models.DateTimeField(null=True, blank=True)
    ready_cleared_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When others last made players say anew that they are ready: the grace of who is "
        "not there counts from it at the earliest.",
    )
    no_show_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When organisers were told that somebody was not there in time.",
    )
    items = models.JSONField(
        null=True, blank=True, help_text="What each seat brings; fixed when the leg starts."
    )
    match = models.OneToOneField(
        Match, on_delete=models.PROTECT, null=True, blank=True, related_name="leg"
    )
    winner_seat = models.PositiveSmallIntegerField(null=True, blank=True)
    how = models.CharField(max_length=10, choices=How.choices, blank=True)
    started_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When play began: null while its match waits for both players.",
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["death_match", "number", "attempt"]
        indexes = [
            # The sweep asks for what is due every few seconds.
            models.Index(
                fields=["scheduled_at"], name="leg_scheduled", condition=Q(status="planned")
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["death_match", "number", "attempt"], name="leg_attempt_once"
            ),
            models.UniqueConstraint(
                fields=["death_match", "number"],
                condition=~Q(status="void"),
                name="leg_one_that_counts",
            ),
            models.CheckConstraint(
                condition=Q(status__in=LegStatus.values), name="leg_status_known"
            ),
            models.CheckConstraint(condition=Q(how__in=["", *How.values]), name="leg_how_known"),
            models.CheckConstraint(
                condition=Q(number__gte=1, attempt__gte=1), name="leg_numbers_from_1"
            ),
            models.CheckConstraint(
                condition=Q(advantage__isnull=True) | Q(advantage__in=[0, 1]),
                name="leg_advantage_seat",
            ),
            models.CheckConstraint(
                condition=Q(winner_seat__isnull=True) | Q(winner_seat__in=[0, 1]),
                name="leg_winner_seat_number",
            ),
            models.CheckConstraint(
                condition=Q(status="finished", winner_seat__isnull=False, finished_at__isnull=False)
                & ~Q(how="")
                | (~Q(status="finished") & Q(winner_seat__isnull=True, how="")),
                name="leg_finished",
            ),
            models.CheckConstraint(
                condition=~Q(status="running") | (Q(match__isnull=False) & ~Q(ruleset="")),
                name="leg_running_has_match",
            ),
            models.CheckConstraint(
                condition=Q(ruleset="", variant="") | (~Q(ruleset="") & ~Q(variant="")),
                name="leg_ruleset_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.death_match}, match {self.number}"

    @property
    def waits(self) -> bool:
        """Whether its match waits for its players (`games.services.arrivals`)."""
        if self.status != LegStatus.RUNNING or self.match is None:
            return False
        return not self.match.is_over and self.match.waits_until is not None

    @property
    def told_status(self) -> str:
        """How far it is, in a few words for people."""
        return "Waits for its players" if self.waits else self.get_status_display()

    @property
    def is_sealed(self) -> bool:
        """Whether what is brought is a secret: until the match has begun, and where it ended before
        that, until the season has taken that over."""
        if self.status == LegStatus.RUNNING and self.match is not None:
            return self.items is None and (self.waits or self.match.is_over)
        return self.status == LegStatus.PLANNED


class ReminderSent(models.Model):
    """That somebody was reminded of a leg, so that nobody is reminded twice."""

    leg = models.ForeignKey(Leg, on_delete=models.CASCADE, related_name="reminders")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, help_text="How long before: a key of the schedule.")
    scheduled_at = models.DateTimeField(help_text="A leg that is moved is reminded of anew.")
    sent_at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["leg", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["leg", "user", "kind", "scheduled_at"], name="reminder_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.user}"
