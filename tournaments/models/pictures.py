"""Pictures that people have put up of a season, and of its contestants.

Whatever may have one names it in a field `picture`, and stands in `tournaments.services.pictures`.
"""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from accounts.roles import is_moderator
from core.clock import now_utc
from tournaments.models.seasons import Season

ALT_MAX: Final = 200


class PictureQuerySet(models.QuerySet["Picture"]):
    """Pictures, and who may see them."""

    def visible_to(self, user: Any) -> PictureQuerySet:
        """Those that stand in a season that ``user`` may see. One that was taken off and is kept
        for a report is for moderators only."""
        rows = self.filter(season__in=Season.objects.visible_to(user))
        return rows if is_moderator(user) else rows.filter(off_at=None)


class Picture(models.Model):
    """A picture, as what was uploaded has become: its bytes are in `PictureSize`."""

    season = models.ForeignKey(
        Season,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="Whoever may see this season may see it.",
    )
    digest = models.CharField(
        max_length=64, help_text="Of its largest size: SHA-256, in hexadecimal digits."
    )
    alt = models.CharField(
        max_length=ALT_MAX,
        blank=True,
        db_default="",
        help_text="What it shows, in words. Empty: the name of whose it is.",
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="season_pictures"
    )
    at = models.DateTimeField(default=now_utc)
    off_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When it was taken off: it is kept as long as a report about it is open.",
    )

    objects = PictureQuerySet.as_manager()

    class Meta:
        ordering = ["season", "-at", "-id"]
        indexes = [models.Index(fields=["season", "digest"], name="picture_found")]
        constraints = [
            models.CheckConstraint(
                condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="picture_digest_hex"
            ),
        ]

    def __str__(self) -> str:
        return f"picture {self.pk}"

    def address(self, width: int) -> str:
        """Where its size of that width is: another picture has another address."""
        return reverse("tournaments:picture", args=[self.season.slug, self.digest, width])


class PictureSize(models.Model):
    """A picture in one size, as WebP."""

    picture = models.ForeignKey(Picture, on_delete=models.CASCADE, related_name="sizes")
    width = models.PositiveSmallIntegerField(
        help_text="Of the size, by which it is asked for; what was small stays small."
    )
    data = models.BinaryField()

    class Meta:
        ordering = ["picture", "width"]
        constraints = [
            models.UniqueConstraint(fields=["picture", "width"], name="picture_size_once"),
            models.CheckConstraint(condition=Q(width__gte=1), name="picture_size_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.picture}, {self.width}"
