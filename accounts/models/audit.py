"""The log of who did what."""

from __future__ import annotations

from datetime import UTC

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import TruncHour

from core.clock import now_utc


class AuditEntry(models.Model):
    """One action that must stay accountable: who did what to which row, when, with which details.

    Append-only. The database itself refuses to change, delete or truncate entries (see the
    migration that makes the triggers). Entries are written by `accounts.services.audit_record`,
    inside the transaction of the action.
    """

    who = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        # An account that did something accountable is closed, never deleted.
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="audit_entries",
        help_text="Nobody: the system itself.",
    )
    action = models.CharField(max_length=64, help_text="For example match.pause.")
    target_type = models.CharField(
        max_length=64, blank=True, help_text="The model's label, for example games.match."
    )
    target_id = models.CharField(max_length=64, blank=True)
    data = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(default=now_utc)

    class Meta:
        verbose_name = "audit entry"
        verbose_name_plural = "audit entries"
        ordering = ["-at", "-id"]
        indexes = [
            # The history of one row, as shown on an organiser's desk.
            models.Index(fields=["target_type", "target_id", "at"], name="audit_target"),
            models.Index(fields=["at"], name="audit_at"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(action=""), name="audit_action_given"),
            # Who looks at a row again and again leaves one entry an hour.
            models.UniqueConstraint(
                "who",
                "action",
                "target_type",
                "target_id",
                TruncHour("at", tzinfo=UTC),
                condition=Q(action__in=["look.row", "look.list"]),
                name="audit_look_once_an_hour",
            ),
            # A target is named in full or not at all.
            models.CheckConstraint(
                condition=Q(target_type="", target_id="") | (~Q(target_type="") & ~Q(target_id="")),
                name="audit_target_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.who or 'system'} {self.action}"


class AuditLink(models.Model):
    """The place of one entry in the chain of the audit log (`accounts.auditing.chain`).

    Made a few seconds after the entry, by a worker: so nobody who writes an entry waits for
    another. Append-only, as the entries are.
    """

    position = models.BigIntegerField(primary_key=True, help_text="1, and one more for each.")
    entry = models.OneToOneField(AuditEntry, on_delete=models.PROTECT, related_name="link")
    digest = models.CharField(
        max_length=64, help_text="SHA-256 over the entry and the digest of the one before."
    )
    at = models.DateTimeField(
        default=now_utc, help_text="Up to when the log was sealed with this one."
    )

    class Meta:
        verbose_name = "audit link"
        verbose_name_plural = "audit links"
        ordering = ["position"]
        constraints = [
            models.CheckConstraint(condition=Q(position__gte=1), name="audit_link_from_one"),
            models.CheckConstraint(
                condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="audit_link_digest"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position} {self.digest}"


class AuditCheck(models.Model):
    """One look over the whole chain, and what came of it. Append-only: what the head was then is
    what the chain must still hold at the next one."""

    at = models.DateTimeField(default=now_utc, db_index=True)
    position = models.BigIntegerField(help_text="Up to where the chain was looked at.")
    digest = models.CharField(max_length=64, help_text="The digest there: the head.")
    reached = models.BigIntegerField(
        db_default=0, help_text="Where the chain ended, whether it held that far or not."
    )
    fault = models.CharField(
        max_length=300, blank=True, help_text="The first thing that does not hold; empty: all does."
    )

    class Meta:
        verbose_name = "audit check"
        verbose_name_plural = "audit checks"
        ordering = ["-at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(position__gte=0) & Q(digest__regex=r"^[0-9a-f]{64}$"),
                name="audit_check_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.fault or 'holds'}"
