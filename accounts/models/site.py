"""What concerns the whole site: words on every page, whether accounts are opened, and of whom a
second factor is asked."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from core.clock import now_utc


class SiteAnnouncementQuerySet(models.QuerySet["SiteAnnouncement"]):
    """Words for everybody."""

    def not_over(self, at: datetime) -> SiteAnnouncementQuerySet:
        """Those that are shown at an instant, and those that will be."""
        return self.filter(Q(ends_at__isnull=True) | Q(ends_at__gt=at))


class SiteAnnouncement(models.Model):
    """Words that every page shows everybody, from one moment until another."""

    words = models.CharField(max_length=300, help_text="Shown as they are, without formatting.")
    is_urgent = models.BooleanField(
        default=False, help_text="Stands out, and cannot be closed by its reader."
    )
    begins_at = models.DateTimeField(default=now_utc)
    ends_at = models.DateTimeField(null=True, blank=True, help_text="Empty: until it is ended.")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="site_announcements"
    )
    at = models.DateTimeField(default=now_utc)

    objects = SiteAnnouncementQuerySet.as_manager()

    class Meta:
        ordering = ["-begins_at", "-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(words=""), name="site_announcement_says_something"),
            models.CheckConstraint(
                condition=Q(ends_at__isnull=True) | Q(ends_at__gte=F("begins_at")),
                name="site_announcement_ends_later",
            ),
        ]

    def __str__(self) -> str:
        return self.words

    @property
    def standing(self) -> str:
        """`shown`, `to come` or `over`."""
        now = now_utc()
        if self.ends_at is not None and self.ends_at <= now:
            return "over"
        return "shown" if self.begins_at <= now else "to come"


class RegistrationChange(models.Model):
    """That registration was opened or closed, append-only: the newest says which. Without any it is
    open."""

    is_open = models.BooleanField()
    words = models.CharField(
        max_length=300, blank=True, help_text="Shown to whoever would register."
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="registration_changes"
    )
    at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return "registration opened" if self.is_open else "registration closed"


class SecondFactorRule(models.Model):
    """That organisers must have a second factor, or need not, append-only: the newest says which.
    Without any they need not. Of moderators and administrators it is asked in any case."""

    of_organisers = models.BooleanField("required of organisers")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="second_factor_rules"
    )
    at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        if self.of_organisers:
            return "organisers must have a second factor"
        return "organisers need no second factor"
