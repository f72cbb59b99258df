"""The log of who did what."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

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
            # A target is named in full or not at all.
            models.CheckConstraint(
                condition=Q(target_type="", target_id="") | (~Q(target_type="") & ~Q(target_id="")),
                name="audit_target_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.who or 'system'} {self.action}"
