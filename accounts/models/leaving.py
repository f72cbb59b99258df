"""Accounts whose owners want them gone, and the names of those who went."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from core.clock import now_utc


class AccountDeletion(models.Model):
    """Somebody has asked for their account to be deleted, and can still think again. The row goes
    with either."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="deletion"
    )
    asked_at = models.DateTimeField(default=now_utc)
    due_at = models.DateTimeField(help_text="From when on it is done, once nothing is in its way.")

    class Meta:
        ordering = ["due_at", "id"]
        indexes = [models.Index(fields=["due_at"], name="deletion_due")]
        constraints = [
            models.CheckConstraint(
                condition=Q(due_at__gt=F("asked_at")), name="deletion_waits_a_while"
            ),
        ]

    def __str__(self) -> str:
        return f"deletion {self.pk}"


class ReservedName(models.Model):
    """The username of an account that was deleted, as a digest made with the site's key: nobody
    takes it, and nobody can read here whose it was."""

    digest = models.CharField(max_length=64, unique=True)
    at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="reserved_name_digest"
            ),
        ]

    def __str__(self) -> str:
        return f"reserved name {self.pk}"
