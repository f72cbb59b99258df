"""When people are free, and the times that players propose to each other."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.names.validators import validate_time_zone
from core.clock import now_utc
from tournaments.models.contestants import Contestant
from tournaments.models.death_matches import Leg

HOURS_A_WEEK: Final = 7 * 24
PROPOSED_MAX: Final = 3


class FreeHours(models.Model):
    """When somebody is free in an ordinary week: a rule in the local time of one zone, which so
    stays the same hours of their day when the clocks change. It is theirs alone: others only ever
    learn when both of them are free (`services.free_hours`)."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="free_hours"
    )
    zone = models.CharField(
        max_length=64, validators=[validate_time_zone], help_text="In which the hours were said."
    )
    week = models.CharField(
        max_length=HOURS_A_WEEK,
        help_text="A 1 for each hour that is free, else a 0; from Monday 0:00.",
    )
    changed_at = models.DateTimeField(default=now_utc)

    class Meta:
        verbose_name_plural = "free hours"
        constraints = [
            models.CheckConstraint(
                condition=Q(week__regex=rf"^[01]{{{HOURS_A_WEEK}}}$"), name="free_hours_whole_week"
            ),
            models.CheckConstraint(condition=~Q(zone=""), name="free_hours_zone_named"),
        ]

    def __str__(self) -> str:
        return f"when {self.user} is free"


class FreeDate(models.Model):
    """A single date on which it is otherwise than in an ordinary week: not at all, or some hours
    besides."""

    class Kind(models.TextChoices):
        """What is otherwise."""

        NOT = "not", "Not on this day"
        ALSO = "also", "Also then"

    free_hours = models.ForeignKey(FreeHours, on_delete=models.CASCADE, related_name="dates")
    date = models.DateField()
    kind = models.CharField(max_length=4, choices=Kind.choices)
    # From and to full hours of that day; the whole of it where it is not free.
    first = models.PositiveSmallIntegerField(default=0)
    until = models.PositiveSmallIntegerField(default=24)

    class Meta:
        ordering = ["free_hours", "date", "first", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="not", first=0, until=24)
                | Q(kind="also", first__lt=models.F("until"), until__lte=24),
                name="free_date_hours",
            ),
            models.UniqueConstraint(
                fields=["free_hours", "date", "kind", "first"], name="free_date_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.date}: {self.kind}"


class TimeProposal(models.Model):
    """Start times of a leg that one of its players proposes to the other.

    It is open until one of them ends it, or an organiser sets a time. One that is open still counts
    for nothing once none of its times can be chosen any more, its leg has begun, or another plays
    for its proposer (`services.scheduling.agreeing.is_open`)."""

    class Status(models.TextChoices):
        """What became of it."""

        OPEN = "open", "Open"
        ACCEPTED = "accepted", "Accepted"
        DECLINED = "declined", "Declined"
        COUNTERED = "countered", "Answered with other times"
        WITHDRAWN = "withdrawn", "Withdrawn"
        LAPSED = "lapsed", "Lapsed"

    leg = models.ForeignKey(Leg, on_delete=models.CASCADE, related_name="proposals")
    proposer = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, related_name="times_proposed"
    )
    times = ArrayField(models.DateTimeField(), size=PROPOSED_MAX)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    chosen = models.DateTimeField(
        null=True, blank=True, help_text="The time that was accepted, if one was."
    )
    made_at = models.DateTimeField(default=now_utc)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["leg", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    status__in=[
                        "open", "accepted", "declined", "countered", "withdrawn", "lapsed",
                    ]
                ),
                name="time_proposal_status_known",
            ),
            models.CheckConstraint(
                condition=Q(times__len__gte=1, times__len__lte=PROPOSED_MAX),
                name="time_proposal_few_times",
            ),
            models.CheckConstraint(
                condition=Q(status="accepted", chosen__isnull=False)
                | (~Q(status="accepted") & Q(chosen__isnull=True)),
                name="time_proposal_chosen",
            ),
            models.CheckConstraint(
                condition=Q(chosen__isnull=True) | Q(times__contains=[models.F("chosen")]),
                name="time_proposal_chosen_of_them",
            ),
            models.CheckConstraint(
                condition=Q(status="open", ended_at__isnull=True)
                | (~Q(status="open") & Q(ended_at__isnull=False)),
                name="time_proposal_ended",
            ),
            # Whose turn it is to answer is never in doubt.
            models.UniqueConstraint(
                fields=["leg"], condition=Q(status="open"), name="time_proposal_one_open"
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.proposer} for {self.leg}"
