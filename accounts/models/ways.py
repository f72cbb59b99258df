"""By which ways accounts are come into, so that two of one person can be told."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class WayIn(models.Model):
    """One way by which an account was come into, and on which days first and last. What it was is
    not kept: `digest` is keyed with the site's secret, so it only tells that two are the same."""

    class Kind(models.TextChoices):
        DEVICE = "device", "Browser"
        ADDRESS = "address", "Network address"
        DISCORD = "discord", "Discord account"
        MAIL = "mail", "Mail address"

    # The constraint below begins with it.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="ways_in",
        db_index=False,
    )
    kind = models.CharField(max_length=10, choices=Kind.choices)
    digest = models.CharField(max_length=64)
    first_on = models.DateField()
    last_on = models.DateField()

    class Meta:
        verbose_name_plural = "ways in"
        ordering = ["user", "kind", "digest"]
        indexes = [
            # Who shares it.
            models.Index(fields=["kind", "digest"], name="way_in_shared"),
            # What is forgotten.
            models.Index(fields=["last_on"], name="way_in_last"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["user", "kind", "digest"], name="way_in_once"),
            models.CheckConstraint(
                condition=Q(kind__in=["device", "address", "discord", "mail"]),
                name="way_in_kind_known",
            ),
            models.CheckConstraint(
                condition=Q(digest__regex="^[0-9a-f]{64}$"), name="way_in_digest_form"
            ),
            models.CheckConstraint(
                condition=Q(last_on__gte=F("first_on")), name="way_in_days_in_order"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.kind}"
