"""Hosted matches: an organiser invites two others to play each other."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.urls import reverse

from accounts.models import Block
from core.clock import now_utc
from games.engine.decisions import Seat
from games.engine.ruleset import HeldItem
from games.models.matches import Match


class HostedMatchQuerySet(models.QuerySet["HostedMatch"]):
    """Hosted matches, and who may see them."""

    def visible_to(self, user: Any) -> HostedMatchQuerySet:
        """Those that ``user`` hosts or is invited to: they are between the three. Whoever has
        blocked the host is shown none that they have not answered."""
        if not user.is_authenticated:
            return self.none()
        blocked = Exists(Block.objects.filter(blocker=user, blocked=OuterRef("host")))
        unanswered = Q(first=user, first_accepted_at__isnull=True)
        unanswered |= Q(second=user, second_accepted_at__isnull=True)
        theirs = self.filter(Q(host=user) | Q(first=user) | Q(second=user))
        return theirs.exclude(unanswered & ~Q(ended_by=user) & Q(blocked))


class HostedMatch(models.Model):
    """An invitation of two players by an organiser who does not play: it becomes a match once both
    have accepted, or at the time that it names. `first` has seat 0."""

    class Status(models.TextChoices):
        OPEN = "open"
        AGREED = "agreed"
        BEGUN = "begun"
        DECLINED = "declined"
        CANCELLED = "cancelled"
        EXPIRED = "expired"

    host = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="matches_hosted"
    )
    first = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="invitations_to_seat_0"
    )
    second = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="invitations_to_seat_1"
    )
    first_accepted_at = models.DateTimeField(null=True, blank=True)
    second_accepted_at = models.DateTimeField(null=True, blank=True)
    ruleset = models.CharField(max_length=40)
    variant = models.CharField(max_length=40)
    options = models.JSONField(default=dict, blank=True)
    items = models.JSONField(
        default=list, blank=True, help_text="What each seat brings, as records have it."
    )
    advantage = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The seat that has it. Empty: drawn by lot."
    )
    rated = models.BooleanField(default=False)
    late_s = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        help_text="By how many seconds spectators will see the match late.",
    )
    message = models.CharField(max_length=200, blank=True)
    preparation = models.ForeignKey(
        "Preparation",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="hosted_matches",
        help_text="What the host supplies instead of having it drawn.",
    )
    starts_at = models.DateTimeField(
        null=True, blank=True, help_text="Empty: as soon as both have accepted."
    )
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="hosted_matches_ended",
        help_text="Who declined or cancelled it. Empty: nobody, or the site.",
    )
    why = models.CharField(
        max_length=400, blank=True, help_text="Why the site could not begin it, in a sentence."
    )
    created_at = models.DateTimeField(default=now_utc)
    expires_at = models.DateTimeField()
    match = models.OneToOneField(
        Match, on_delete=models.PROTECT, null=True, blank=True, related_name="hosting"
    )

    objects = HostedMatchQuerySet.as_manager()

    class Meta:
        verbose_name = "hosted match"
        verbose_name_plural = "hosted matches"
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["expires_at"], name="hosted_open", condition=Q(status="open")),
            models.Index(fields=["starts_at"], name="hosted_agreed", condition=Q(status="agreed")),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    status__in=["open", "agreed", "begun", "declined", "cancelled", "expired"]
                ),
                name="hosted_status_known",
            ),
            models.CheckConstraint(
                condition=~Q(first=F("second")) & ~Q(host=F("first")) & ~Q(host=F("second")),
                name="hosted_three_people",
            ),
            models.CheckConstraint(
                condition=Q(advantage__isnull=True) | Q(advantage__in=[0, 1]),
                name="hosted_advantage_seat",
            ),
            models.CheckConstraint(
                condition=Q(status="begun", match__isnull=False)
                | (~Q(status="begun") & Q(match__isnull=True)),
                name="hosted_match_when_begun",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=["agreed", "begun"])
                | Q(first_accepted_at__isnull=False, second_accepted_at__isnull=False),
                name="hosted_agreed_by_both",
            ),
            # One that waits for no time begins at once.
            models.CheckConstraint(
                condition=~Q(status="agreed") | Q(starts_at__isnull=False),
                name="hosted_agreed_for_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"hosted match {self.pk} ({self.ruleset})"

    def get_absolute_url(self) -> str:
        return reverse("games:hosted", args=[self.pk])

    @property
    def held(self) -> list[HeldItem]:
        """What each seat brings."""
        return [HeldItem(each["seat"], each["item"]) for each in self.items]

    def seat_of(self, user: Any) -> Seat | None:
        """The seat to which ``user`` is invited; None for anybody else."""
        if user.pk is None or user.pk not in (self.first_id, self.second_id):
            return None
        return 0 if user.pk == self.first_id else 1

    @property
    def is_lapsed(self) -> bool:
        """Whether nobody can accept it any more, closed by the sweep yet or not."""
        return self.status == self.Status.OPEN and self.expires_at <= now_utc()

    def has_accepted(self, seat: Seat) -> bool:
        """Whether who is invited to that seat has accepted."""
        return (self.second_accepted_at if seat else self.first_accepted_at) is not None
