"""Whom people do not want to play, or to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import models
from django.db.models import F, Q

from core.clock import now_utc


class BlockQuerySet(models.QuerySet["Block"]):
    """Blocks, and who may see them."""

    def visible_to(self, user: Any) -> BlockQuerySet:
        """Those that somebody has made. Who is blocked is never shown that they are."""
        return self.filter(blocker=user) if isinstance(user, get_user_model()) else self.none()

    def between(self, one: Any, other: Any) -> BlockQuerySet:
        """Those that either of two people, by their keys, has made against the other."""
        return self.filter(Q(blocker=one, blocked=other) | Q(blocker=other, blocked=one))

    def among(self, users: Iterable[int]) -> BlockQuerySet:
        """Those that any of these people has made against any other of them."""
        keys = set(users)
        return self.filter(blocker__in=keys, blocked__in=keys)


class Block(models.Model):
    """Somebody does not want to play somebody else, nor to read what they write beside matches."""

    blocker = models.ForeignKey(
        # The constraint below begins with it.
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="blocks_made",
        db_index=False,
    )
    blocked = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="blocks_received"
    )
    at = models.DateTimeField(default=now_utc)

    objects = BlockQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["blocker", "blocked"], name="block_once"),
            models.CheckConstraint(condition=~Q(blocker=F("blocked")), name="block_not_oneself"),
        ]

    def __str__(self) -> str:
        return f"block {self.pk}"
