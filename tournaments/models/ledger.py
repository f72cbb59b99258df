"""The ledger of a season: what its contestants have won, paid, staked and used, entry by entry."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from core.clock import now_utc
from tournaments.models.contestants import Contestant
from tournaments.models.death_matches import DeathMatch
from tournaments.models.rounds import Round
from tournaments.models.seasons import Season

#: What somebody may enter at a time; what follows from entries may be more.
AMOUNT_MAX: Final = 1_000_000


class Unit(models.TextChoices):
    """What is moved."""

    CURRENCY = "currency", "Currency"
    TOKEN = "token", "Immunity tokens"


class EntryKind(models.TextChoices):
    """Why it is moved."""

    START = "start", "To begin with"
    WON = "won", "Won"
    GIVEN = "given", "Given"
    STAKE = "stake", "Wagered"
    STEAL = "steal", "Taken from the loser"
    SPENT = "spent", "Used"
    PASSED = "passed", "Passed on with the place"
    LAPSE = "lapse", "Lapsed"
    CORRECTION = "correction", "Corrected"


class LedgerEntry(models.Model):
    """So much goes from one to another; nobody is the bank. Append-only: what somebody has is the
    sum over the entries, and what was wrong is put right by another that goes back."""

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="ledger")
    kind = models.CharField(max_length=10, choices=EntryKind.choices)
    unit = models.CharField(max_length=10, choices=Unit.choices, default=Unit.CURRENCY)
    amount = models.PositiveIntegerField()
    payer = models.ForeignKey(
        Contestant,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="entries_paid",
        help_text="From whom. Empty: the bank.",
    )
    payee = models.ForeignKey(
        Contestant,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="entries_received",
        help_text="To whom. Empty: the bank.",
    )
    secret = models.BooleanField(
        default=False, help_text="Known to both, and to organisers who do not play, until the end."
    )
    why = models.CharField(max_length=500, blank=True, help_text="For whoever may see the entry.")
    round = models.ForeignKey(
        Round, on_delete=models.PROTECT, null=True, blank=True, related_name="entries"
    )
    death_match = models.ForeignKey(
        DeathMatch, on_delete=models.PROTECT, null=True, blank=True, related_name="entries"
    )
    reverses = models.OneToOneField(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="reversed_by",
        help_text="The entry that this one takes back.",
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who entered it. Empty: it followed from something else.",
    )
    at = models.DateTimeField(default=now_utc)
    key = models.UUIDField(
        null=True,
        blank=True,
        editable=False,
        help_text="Of the form by which it was entered, and what it said: sent again, it counts "
        "once.",
    )

    class Meta:
        verbose_name_plural = "ledger entries"
        ordering = ["season", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=EntryKind.values), name="ledger_kind_known"
            ),
            models.CheckConstraint(condition=Q(unit__in=Unit.values), name="ledger_unit_known"),
            models.CheckConstraint(condition=Q(amount__gte=1), name="ledger_amount_from_1"),
            # From somebody to somebody else; the bank pays nothing to itself.
            models.CheckConstraint(
                condition=Q(payer__isnull=False) | Q(payee__isnull=False), name="ledger_not_bank"
            ),
            models.CheckConstraint(
                condition=Q(payer__isnull=True) | Q(payee__isnull=True) | ~Q(payer=F("payee")),
                name="ledger_not_oneself",
            ),
            models.CheckConstraint(
                condition=Q(reverses__isnull=True) | Q(kind="correction"),
                name="ledger_corrections_reverse",
            ),
            models.CheckConstraint(
                condition=Q(secret=False) | Q(kind__in=["given", "correction"]),
                name="ledger_secret_kinds",
            ),
            # A token is used for an episode.
            models.CheckConstraint(
                condition=~Q(kind="spent")
                | Q(unit="token", amount=1, payee__isnull=True, round__isnull=False),
                name="ledger_token_spent",
            ),
            models.UniqueConstraint(
                fields=["by", "key", "payee"],
                condition=Q(key__isnull=False),
                name="ledger_sent_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.payer or 'the bank'} to {self.payee or 'the bank'}"


class Wager(models.Model):
    """What the sides of a death match have said that they would wager. Once both say the same it is
    in the ledger, and this row holds what was said; until then nothing has been moved."""

    death_match = models.OneToOneField(
        DeathMatch, on_delete=models.CASCADE, primary_key=True, related_name="wager"
    )
    home_offer = models.PositiveIntegerField(null=True, blank=True)
    away_offer = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["death_match"]
        constraints = [
            models.CheckConstraint(
                condition=Q(home_offer__isnull=True)
                | Q(home_offer__gte=1, home_offer__lte=AMOUNT_MAX),
                name="wager_home_range",
            ),
            models.CheckConstraint(
                condition=Q(away_offer__isnull=True)
                | Q(away_offer__gte=1, away_offer__lte=AMOUNT_MAX),
                name="wager_away_range",
            ),
        ]

    def __str__(self) -> str:
        return f"wager of {self.death_match}"
