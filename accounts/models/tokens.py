"""Personal tokens for the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from core.clock import now_utc


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    """Personal tokens, and whose they are."""

    def good(self, at: datetime | None = None) -> ApiTokenQuerySet:
        """Those that are neither revoked nor expired."""
        return self.filter(revoked_at__isnull=True, expires_at__gt=at or now_utc())

    def visible_to(self, user: Any) -> ApiTokenQuerySet:
        """A person's own."""
        return self.filter(user=user.pk) if user.is_authenticated else self.none()


class ApiToken(models.Model):
    """A personal token for the API. Nobody has one unless they ask for it.

    Only a digest is kept: the token itself is shown once, when it is made. It has well over 128
    bits of chance in it, so that a plain hash cannot be reversed by guessing. Revoked and expired
    tokens keep their rows, so that their owners can see what there was.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField("name", max_length=60, help_text="What it is for.")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256, in hex.")
    scopes = ArrayField(models.CharField(max_length=10), size=4)
    created_at = models.DateTimeField(default=now_utc)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(
        null=True, blank=True, help_text="To the minute: not every use is written down."
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        verbose_name = "API token"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(scopes__contained_by=["read", "play", "organise", "bot"])
                & Q(scopes__len__gte=1),
                name="token_scopes_known",
            ),
            models.CheckConstraint(condition=~Q(name=""), name="token_named"),
            models.CheckConstraint(
                condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="token_digest_form"
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")), name="token_expires_later"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}/{self.name}"

    @property
    def standing(self) -> str:
        """`good`, `expired` or `revoked`."""
        if self.revoked_at is not None:
            return "revoked"
        return "good" if self.expires_at > now_utc() else "expired"
