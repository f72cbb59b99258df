"""Where seasons tell of themselves, and each thing that they told. Changes go through
`tournaments.webhooks.services`."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from core.clock import now_utc
from games.models import Match
from tournaments.webhooks.kinds import OF_MATCHES, TEST, TURN


class Webhook(models.Model):
    """An address that is told what happens in a season."""

    class Flavour(models.TextChoices):
        JSON = "json", "JSON, signed: for programs"
        DISCORD = "discord", "Discord: announcements with the board's picture"

    season = models.ForeignKey(
        "tournaments.Season", on_delete=models.PROTECT, related_name="webhooks"
    )
    name = models.CharField(max_length=60)
    url = models.CharField(
        max_length=500, help_text="A Discord address is a password in itself: shown to nobody."
    )
    flavour = models.CharField(max_length=10, choices=Flavour.choices)
    kinds = ArrayField(
        models.CharField(max_length=40), help_text="See `tournaments.webhooks.kinds.CHOICES`."
    )
    active = models.BooleanField(default=True)
    # Encrypted (see `signing`). While a secret is being replaced the one before signs as well.
    secret = models.CharField(max_length=300, blank=True)
    previous_secret = models.CharField(max_length=300, blank=True)
    previous_until = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="webhooks_created"
    )
    created_at = models.DateTimeField(default=now_utc)
    failures = models.PositiveIntegerField(default=0, help_text="Attempts failed in a row.")
    failing_since = models.DateTimeField(null=True, blank=True)
    disabled_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was given up, after failing for too long."
    )
    disabled_why = models.CharField(max_length=300, blank=True)
    not_before = models.DateTimeField(
        null=True, blank=True, help_text="The receiver asked to be left alone until then."
    )
    latency_ms = models.PositiveIntegerField(
        null=True, blank=True, help_text="Of the latest attempt: slow ones wait behind the others."
    )
    busy_until = models.DateTimeField(
        null=True, blank=True, help_text="A worker is sending; past this it counts as dead."
    )

    class Meta:
        ordering = ["season", "id"]
        constraints = [
            models.UniqueConstraint(fields=["season", "name"], name="webhook_name_once"),
            models.CheckConstraint(
                condition=Q(flavour__in=["json", "discord"]), name="webhook_flavour_known"
            ),
            models.CheckConstraint(
                condition=~Q(name="") & ~Q(url="") & ~Q(kinds=[]), name="webhook_whole"
            ),
            # Discord checks no signatures; its address is the secret.
            models.CheckConstraint(
                condition=Q(flavour="json") & ~Q(secret="")
                | Q(flavour="discord", secret="", previous_secret=""),
                name="webhook_secret_fits_flavour",
            ),
            models.CheckConstraint(
                condition=Q(previous_secret="", previous_until__isnull=True)
                | (~Q(previous_secret="") & Q(previous_until__isnull=False)),
                name="webhook_previous_secret_ends",
            ),
            models.CheckConstraint(
                condition=Q(disabled_at__isnull=True, disabled_why="")
                | (Q(disabled_at__isnull=False, active=False) & ~Q(disabled_why="")),
                name="webhook_disabled_is_off",
            ),
            models.CheckConstraint(
                condition=Q(failures=0, failing_since__isnull=True)
                | Q(failures__gt=0, failing_since__isnull=False),
                name="webhook_failing_since",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("webhooks:detail", args=[self.season.slug, self.pk])


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    """Deliveries of webhooks."""

    def pending(self) -> DeliveryQuerySet:
        """Those that are still to be sent, at once or again."""
        return self.filter(status=Delivery.Status.PENDING)

    def for_webhook(self, webhook: Any) -> DeliveryQuerySet:
        """One webhook's, the latest first."""
        return self.filter(webhook=webhook).order_by("-pk")


class Delivery(models.Model):
    """One thing that one webhook is told: an event of the season (written in the event's own
    transaction), a turn or a clock of a match, or a test. Sent until the receiver has taken it;
    `uid` is the same in every attempt."""

    class Status(models.TextChoices):
        PENDING = "pending", "Waiting"
        DELIVERED = "delivered", "Delivered"
        FAILED = "failed", "Refused for good"
        ABANDONED = "abandoned", "Given up"
        SUPERSEDED = "superseded", "Overtaken by a later turn"

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    kind = models.CharField(max_length=40)
    event = models.ForeignKey(
        "tournaments.SeasonEvent",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="deliveries",
    )
    match = models.ForeignKey(
        Match,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="What the turn or clock is of, or the match that an event's words come with.",
    )
    still = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Its board's picture at that moment; see `games.pictures.diagrams`.",
    )
    version = models.PositiveIntegerField(
        null=True, blank=True, help_text="Of a turn: the room's version of the match after it."
    )
    data = models.JSONField(default=dict, blank=True, help_text="What a clock's reminder says.")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=now_utc)
    next_at = models.DateTimeField(default=now_utc)
    give_up_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True, help_text="The latest attempt.")
    body = models.TextField(
        blank=True, help_text="What it says, of its own moment; the same in every attempt."
    )
    status_code = models.PositiveSmallIntegerField(null=True, blank=True)
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    response = models.CharField(max_length=1000, blank=True, help_text="Its beginning.")
    fault = models.CharField(max_length=200, blank=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "deliveries"
        ordering = ["webhook", "-id"]
        indexes = [
            # The sweep asks for this every few seconds; what is done with is not in it.
            models.Index(fields=["next_at"], name="delivery_due", condition=Q(status="pending")),
            models.Index(fields=["webhook", "-id"], name="delivery_log"),
            models.Index(fields=["created_at"], name="delivery_age"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    status__in=["pending", "delivered", "failed", "abandoned", "superseded"]
                ),
                name="delivery_status_known",
            ),
            # However often a worker is told of the same thing.
            models.UniqueConstraint(fields=["webhook", "event"], name="delivery_event_once"),
            models.UniqueConstraint(
                fields=["webhook", "match", "version"],
                condition=Q(kind=TURN),
                name="delivery_turn_once",
            ),
            models.UniqueConstraint(
                fields=["webhook"],
                condition=Q(kind=TEST, status="pending"),
                name="delivery_one_test",
            ),
            models.CheckConstraint(
                condition=Q(kind=TEST, event__isnull=True, match__isnull=True)
                | (Q(kind__in=OF_MATCHES, event__isnull=True) & Q(match__isnull=False))
                | (~Q(kind__in=[*OF_MATCHES, TEST]) & Q(event__isnull=False)),
                name="delivery_tells_of_something",
            ),
            models.CheckConstraint(
                condition=Q(kind=TURN, version__isnull=False)
                | (~Q(kind=TURN) & Q(version__isnull=True)),
                name="delivery_version_of_turn",
            ),
            models.CheckConstraint(
                condition=Q(still__isnull=True) | Q(match__isnull=False),
                name="delivery_still_of_match",
            ),
            models.CheckConstraint(
                condition=Q(attempts=0, sent_at__isnull=True)
                | Q(attempts__gt=0, sent_at__isnull=False),
                name="delivery_sent_at",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=["delivered", "failed"]) | Q(attempts__gt=0),
                name="delivery_outcome_of_attempt",
            ),
            models.CheckConstraint(
                condition=Q(give_up_at__gte=F("created_at")), name="delivery_gives_up_later"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.uid}"
