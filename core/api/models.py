"""What the API itself remembers."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from core.clock import now_utc


class IdempotencyKey(models.Model):
    """The answer to a request that its sender may send again without it counting twice.

    Written in the transaction of the request itself: there is never the one without the other.
    Kept for a day. See `core.api.idempotency`.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="idempotency_keys"
    )
    key = models.CharField(max_length=255)
    request_hash = models.CharField(
        max_length=64, help_text="SHA-256 of method, address and body, in hex."
    )
    status = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Of the answer; empty only while it is being made."
    )
    body = models.TextField(blank=True)
    content_type = models.CharField(max_length=100, blank=True)
    location = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["user", "at"]
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="idempotency_key_unique"),
            models.CheckConstraint(
                condition=~Q(key="") & Q(request_hash__regex=r"^[0-9a-f]{64}$"),
                name="idempotency_key_whole",
            ),
            models.CheckConstraint(
                condition=Q(status__isnull=True) | Q(status__range=(200, 299)),
                name="idempotency_answer_good",
            ),
        ]
        indexes = [models.Index(fields=["user", "at"], name="idempotency_age")]

    def __str__(self) -> str:
        return f"{self.user_id}/{self.key}"
