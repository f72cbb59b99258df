"""What people were told, and how they want to be."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import models
from django.db.models import Q

from core.clock import now_utc


class AnnouncementQuerySet(models.QuerySet["Announcement"]):
    """Announcements, and who may see them."""

    def visible_to(self, user: Any) -> AnnouncementQuerySet:
        """One's own."""
        return self.filter(user=user) if isinstance(user, get_user_model()) else self.none()

    def unread(self) -> AnnouncementQuerySet:
        """Those that their reader has not seen in the list."""
        return self.filter(read_at=None)


class Announcement(models.Model):
    """Somebody was told something. But for when it was read it is never changed."""

    user = models.ForeignKey(
        # The constraint below begins with it.
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="announcements",
        db_index=False,
    )
    kind = models.CharField(max_length=40, help_text="A key of `accounts.announcing.kinds`.")
    key = models.CharField(
        max_length=120, help_text="What it is about: the same is told to nobody twice."
    )
    subject = models.CharField(max_length=250)
    words = models.TextField(max_length=2_000)
    path = models.CharField(max_length=250, help_text="Where more can be read or done.")
    at = models.DateTimeField(default=now_utc)
    read_at = models.DateTimeField(null=True, blank=True)

    objects = AnnouncementQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="announcement_once"),
            models.CheckConstraint(
                condition=Q(path__startswith="/"), name="announcement_leads_to_a_page"
            ),
        ]
        indexes = [
            models.Index(fields=["user", "-at", "-id"], name="announcement_list"),
            models.Index(fields=["user"], condition=Q(read_at=None), name="announcement_unread"),
            # For taking back what was told of something, to whomever.
            models.Index(fields=["key"], name="announcement_key"),
        ]

    def __str__(self) -> str:
        return f"announcement {self.pk}"


class AnnouncementDelivery(models.Model):
    """An announcement that leaves the site: at once, or with the next digest."""

    class Outcome(models.TextChoices):
        WAITING = "waiting"
        SENT = "sent"
        UNREACHED = "unreached", "nobody was reached"

    announcement = models.ForeignKey(
        # The constraint below begins with it.
        Announcement, on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )  # fmt: skip
    way = models.CharField(max_length=10)
    in_digest = models.BooleanField(default=False)
    at = models.DateTimeField(default=now_utc)
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.WAITING)
    fault = models.CharField(
        max_length=100, blank=True, default="", help_text="Why nobody was reached in Discord."
    )
    settled_at = models.DateTimeField(null=True, blank=True)
    taken_at = models.DateTimeField(
        null=True, blank=True, help_text="When a worker last began to send it."
    )
    reached = models.JSONField(
        default=list, blank=True, help_text="Which devices have it, while others wait for it."
    )

    class Meta:
        ordering = ["at", "id"]
        verbose_name_plural = "announcement deliveries"
        constraints = [
            models.UniqueConstraint(fields=["announcement", "way"], name="delivery_once_a_way"),
            models.CheckConstraint(
                condition=Q(outcome="waiting", settled_at=None)
                | Q(outcome__in=["sent", "unreached"], settled_at__isnull=False),
                name="delivery_settled",
            ),
        ]
        indexes = [
            models.Index(
                fields=["in_digest", "at"], condition=Q(outcome="waiting"), name="delivery_waiting"
            )
        ]

    def __str__(self) -> str:
        return f"delivery {self.pk}"


class AnnouncementChoice(models.Model):
    """How somebody wants to be told of one kind by one way, where that is not the default."""

    user = models.ForeignKey(
        # The constraint below begins with it.
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="announcement_choices",
        db_index=False,
    )
    kind = models.CharField(max_length=40)
    way = models.CharField(max_length=10)
    when = models.CharField(max_length=10)

    class Meta:
        ordering = ["user", "kind", "way"]
        constraints = [
            models.UniqueConstraint(fields=["user", "kind", "way"], name="choice_once_a_way"),
            models.CheckConstraint(
                condition=Q(way="site", when__in=["now", "off"])
                | Q(way="mail", when__in=["now", "digest", "off"])
                | Q(way="push", when__in=["now", "off"])
                | Q(way="discord", when__in=["now", "off"]),
                name="choice_possible",
            ),
        ]

    def __str__(self) -> str:
        return f"choice {self.pk}"


class PushSubscriptionQuerySet(models.QuerySet["PushSubscription"]):
    """Devices, and who may see them."""

    def visible_to(self, user: Any) -> PushSubscriptionQuerySet:
        """One's own."""
        return self.filter(user=user) if isinstance(user, get_user_model()) else self.none()


class PushSubscription(models.Model):
    """A browser on a device of somebody's that takes announcements. Whoever knows the endpoint and
    the keys can send there as far as the push service lets them: nobody is shown them."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="push_subscriptions"
    )
    endpoint = models.CharField(
        max_length=1_000, unique=True, help_text="Where the browser's push service takes messages."
    )
    p256dh = models.CharField(max_length=100, help_text="The browser's public key.")
    auth = models.CharField(max_length=40)
    browser = models.CharField(max_length=60, help_text="For the list of one's devices.")
    created_at = models.DateTimeField(default=now_utc)
    reached_at = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveSmallIntegerField(
        default=0, help_text="How often in a row its push service has refused what was sent."
    )

    objects = PushSubscriptionQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(endpoint__startswith="http"), name="push_endpoint_is_an_address"
            ),
            models.CheckConstraint(
                condition=~Q(p256dh="") & ~Q(auth="") & ~Q(browser=""), name="push_whole"
            ),
        ]

    def __str__(self) -> str:
        return f"device {self.pk}"
