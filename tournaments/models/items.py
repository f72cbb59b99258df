"""Items that contestants hold, that they bring them, and what became of each."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from core.clock import now_utc
from tournaments.lifecycle import GiftStatus
from tournaments.models.contestants import Contestant
from tournaments.models.death_matches import DeathMatch, Leg
from tournaments.models.seasons import Season


class Gift(models.Model):
    """An item that a contestant holds: given by an eliminated one, or granted by an organiser."""

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="gifts")
    item = models.CharField(max_length=40, help_text="An id of the catalogue.")
    ruleset = models.CharField(
        max_length=40, blank=True, help_text="The ruleset it works in. Empty for Copy and Block."
    )
    giver = models.ForeignKey(
        Contestant,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="gifts_given",
        help_text="Nobody: granted by an organiser.",
    )
    receiver = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, related_name="gifts_received"
    )
    death_match = models.ForeignKey(
        DeathMatch,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="gifts",
        help_text="What it is for. Empty: any match of the season in its ruleset.",
    )
    leg_number = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Which leg of that death match. Empty: any."
    )
    note = models.CharField(
        max_length=300, blank=True, help_text="Told to whoever knows of the item."
    )
    secret = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether only its giver, its receiver and the organisers know of it until it is "
        "used, or the season is over.",
    )
    revealed_at = models.DateTimeField(
        null=True, blank=True, help_text="When everybody was told of it, where it was secret."
    )
    status = models.CharField(max_length=12, choices=GiftStatus.choices, default=GiftStatus.HELD)
    given_at = models.DateTimeField(default=now_utc)
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="gifts_entered"
    )

    class Meta:
        ordering = ["season", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=GiftStatus.values), name="gift_status_known"
            ),
            models.CheckConstraint(
                condition=Q(giver__isnull=True) | ~Q(giver=F("receiver")), name="gift_not_oneself"
            ),
            models.CheckConstraint(
                condition=Q(leg_number__isnull=True) | Q(death_match__isnull=False),
                name="gift_leg_needs_match",
            ),
            models.CheckConstraint(condition=~Q(item=""), name="gift_item_named"),
            # What organisers grant is theirs to tell, and a secret is told once.
            models.CheckConstraint(
                condition=Q(secret=False, revealed_at__isnull=True)
                | Q(secret=True, giver__isnull=False),
                name="gift_secret_given",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item} for {self.receiver}"

    @property
    def is_hidden(self) -> bool:
        """Whether it is a secret still, as far as the season goes on: who knows of it, `audience`
        says."""
        return self.secret and self.revealed_at is None


class Declaration(models.Model):
    """That a contestant brings an item into a leg. Secret until the leg starts, then resolved
    with the opponent's (see `tournaments.items.rules`)."""

    leg = models.ForeignKey(Leg, on_delete=models.CASCADE, related_name="declarations")
    gift = models.ForeignKey(Gift, on_delete=models.PROTECT, related_name="declarations")
    target = models.ForeignKey(
        Gift,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="targeted_by",
        help_text="What a Copy copies or a Block blocks.",
    )
    declared_at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["leg", "id"]
        constraints = [
            models.UniqueConstraint(fields=["leg", "gift"], name="declaration_once"),
            models.CheckConstraint(
                condition=Q(target__isnull=True) | ~Q(target=F("gift")),
                name="declaration_not_itself",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.gift} in {self.leg}"


class ItemEvent(models.Model):
    """One line of an item's history, append-only and public."""

    gift = models.ForeignKey(Gift, on_delete=models.PROTECT, related_name="history")
    kind = models.CharField(
        max_length=20,
        help_text="given, taken-back, brought, copied, blocked, acted, no-effect, spent, returned "
        "or expired",
    )
    leg = models.ForeignKey(
        Leg, on_delete=models.PROTECT, null=True, blank=True, related_name="item_events"
    )
    other = models.ForeignKey(
        Gift,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="history_as_other",
        help_text="The Copy or Block that did it; for one of these, what it was aimed at.",
    )
    words = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["at", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        "given", "taken-back", "brought", "copied", "blocked", "acted",
                        "no-effect", "spent", "returned", "expired",
                    ]
                ),
                name="item_event_kind_known",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.gift} {self.kind}"
