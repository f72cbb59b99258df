"""What moderators keep: sanctions, appeals against them, reports, merged accounts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import models
from django.db.models import F, Q

from core.clock import now_utc


class SanctionQuerySet(models.QuerySet["Sanction"]):
    """Sanctions: which bind now, and who may see them."""

    def in_force(self, at: datetime | None = None) -> SanctionQuerySet:
        """Mutes and suspensions that bind at an instant (now), the open-ended ones included."""
        at = now_utc() if at is None else at
        return self.filter(
            Q(until__isnull=True) | Q(until__gt=at), lifted_at__isnull=True, at__lte=at
        ).exclude(kind=Sanction.Kind.WARNING)

    def standing(self, at: datetime | None = None) -> SanctionQuerySet:
        """Those that count at an instant (now): mutes and suspensions that bind, and warnings, read
        or not, that were not taken back. As `Sanction.stands`."""
        at = now_utc() if at is None else at
        return self.filter(
            Q(kind=Sanction.Kind.WARNING) | Q(until__isnull=True) | Q(until__gt=at),
            lifted_at__isnull=True,
        )

    def unread_warnings(self) -> SanctionQuerySet:
        """Warnings that stand and that their reader has not acknowledged."""
        return self.filter(
            kind=Sanction.Kind.WARNING, acknowledged_at__isnull=True, lifted_at__isnull=True
        )

    def visible_to(self, user: Any) -> SanctionQuerySet:
        """Their own; moderators see all, in the admin site."""
        return self.filter(user=user) if isinstance(user, get_user_model()) else self.none()


class Sanction(models.Model):
    """What a moderator has laid upon somebody. It ends at `until`, by itself, or when lifted.

    Whether one is in force is never stored: `SanctionQuerySet.in_force` derives it.
    """

    class Kind(models.TextChoices):
        WARNING = "warning", "Warning"
        MUTE = "mute", "Mute"
        SUSPENSION = "suspension", "Suspension"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="sanctions"
    )
    kind = models.CharField(max_length=10, choices=Kind.choices)
    reason = models.CharField(max_length=500, help_text="Shown to the person.")
    note = models.TextField(blank=True, help_text="For moderators only.")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="sanctions_given"
    )
    report = models.ForeignKey(
        "Report",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="sanctions",
        help_text="The report that led to it.",
    )
    at = models.DateTimeField(default=now_utc)
    until = models.DateTimeField(null=True, blank=True, help_text="Empty: until it is lifted.")
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="sanctions_lifted",
    )
    lifted_why = models.CharField(max_length=500, blank=True)
    acknowledged_at = models.DateTimeField(
        null=True, blank=True, help_text="When the person said that they have read the warning."
    )

    objects = SanctionQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            # Asked on every request of somebody who is signed in: see User.with_standing.
            models.Index(
                fields=["user", "kind"], name="sanction_open", condition=Q(lifted_at__isnull=True)
            ),
            models.Index(fields=["-at"], name="sanction_at"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["warning", "mute", "suspension"]), name="sanction_kind_known"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="sanction_reason_given"),
            models.CheckConstraint(condition=~Q(user=F("by")), name="sanction_not_oneself"),
            models.CheckConstraint(
                condition=Q(until__isnull=True) | Q(until__gt=F("at")), name="sanction_ends_later"
            ),
            # A warning binds nobody, so it has no end; only a warning is acknowledged.
            models.CheckConstraint(
                condition=Q(kind="warning", until__isnull=True)
                | (~Q(kind="warning") & Q(acknowledged_at__isnull=True)),
                name="sanction_warning_form",
            ),
            models.CheckConstraint(
                condition=Q(lifted_at__isnull=True, lifted_by__isnull=True, lifted_why="")
                | (Q(lifted_at__isnull=False, lifted_by__isnull=False) & ~Q(lifted_why="")),
                name="sanction_lifted_whole",
            ),
            # The service refuses a second one that overlaps; without an end it is plain to see.
            models.UniqueConstraint(
                fields=["user", "kind"],
                condition=Q(until__isnull=True, lifted_at__isnull=True) & ~Q(kind="warning"),
                name="sanction_one_without_end",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.user}"

    @property
    def standing(self) -> str:
        """`lifted`, `over` (its end has come, or the warning was read) or `in force`."""
        if self.lifted_at is not None:
            return "lifted"
        if self.kind == self.Kind.WARNING:
            return "in force" if self.acknowledged_at is None else "over"
        return "in force" if self.until is None or self.until > now_utc() else "over"

    @property
    def stands(self) -> bool:
        """Whether it counts: it is in force, or a warning that was not taken back. One that was
        read stays on record."""
        return self.standing == "in force" or (
            self.kind == self.Kind.WARNING and self.lifted_at is None
        )


class AppealQuerySet(models.QuerySet["Appeal"]):
    """Appeals: the queue, and who may see them."""

    def unanswered(self) -> AppealQuerySet:
        """Those that nobody has answered or withdrawn, whether their sanction stands or not."""
        return self.filter(answered_at__isnull=True, withdrawn_at__isnull=True)

    def open(self) -> AppealQuerySet:
        """Those that wait for an answer, claimed or not: the sanction stands."""
        return self.unanswered().filter(sanction__in=Sanction.objects.standing().values("pk"))

    def visible_to(self, user: Any) -> AppealQuerySet:
        """Their own; the queue is the moderators' admin page."""
        return (
            self.filter(sanction__user=user) if isinstance(user, get_user_model()) else self.none()
        )


class Appeal(models.Model):
    """Somebody who is under a sanction asks for it to be looked at again. It is theirs whom the
    sanction concerns, and moves with it where accounts are merged.

    That a sanction has ended, and the appeal with it, is never stored: see `standing`.
    """

    class Outcome(models.TextChoices):
        GRANTED = "granted", "Granted"
        DENIED = "denied", "Denied"

    sanction = models.ForeignKey(Sanction, on_delete=models.PROTECT, related_name="appeals")
    words = models.CharField(max_length=1000, help_text="The person's own words.")
    at = models.DateTimeField(default=now_utc)
    claimed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="appeals_claimed",
    )
    claimed_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="appeals_answered",
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=10, choices=Outcome.choices, blank=True)
    until = models.DateTimeField(
        null=True,
        blank=True,
        help_text="The end to which the sanction was shortened. Empty: it was not.",
    )
    answer = models.CharField(
        max_length=1000, blank=True, help_text="Told to the person, by mail and on their page."
    )
    note = models.TextField(blank=True, help_text="For moderators only.")

    objects = AppealQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(
                fields=["at"],
                name="appeal_open",
                condition=Q(answered_at__isnull=True, withdrawn_at__isnull=True),
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(words=""), name="appeal_words_given"),
            models.CheckConstraint(
                condition=Q(claimed_by__isnull=True, claimed_at__isnull=True)
                | Q(claimed_by__isnull=False, claimed_at__isnull=False),
                name="appeal_claimed_whole",
            ),
            models.CheckConstraint(
                condition=Q(
                    answered_at__isnull=True,
                    answered_by__isnull=True,
                    outcome="",
                    answer="",
                    until__isnull=True,
                )
                | Q(answered_at__isnull=False, answered_by__isnull=False, outcome="granted")
                | (
                    Q(
                        answered_at__isnull=False,
                        answered_by__isnull=False,
                        outcome="denied",
                        until__isnull=True,
                    )
                    & ~Q(answer="")
                ),
                name="appeal_answered_whole",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True) | Q(answered_at__isnull=True),
                name="appeal_withdrawn_or_answered",
            ),
            # One for each sanction; one that was withdrawn does not count.
            models.UniqueConstraint(
                fields=["sanction"],
                condition=Q(withdrawn_at__isnull=True),
                name="appeal_once",
            ),
        ]

    def __str__(self) -> str:
        return f"appeal {self.pk}: {self.sanction}"

    @property
    def standing(self) -> str:
        """`withdrawn`, `granted`, `denied`, `over` (the sanction has ended, and nobody has
        answered), `claimed` or `open`."""
        if self.withdrawn_at is not None:
            return "withdrawn"
        if self.answered_at is not None:
            return self.outcome
        if not self.sanction.stands:
            return "over"
        return "open" if self.claimed_by_id is None else "claimed"


class ReportQuerySet(models.QuerySet["Report"]):
    """Reports: the queue, and who may see them."""

    def open(self) -> ReportQuerySet:
        """Those that wait for an answer, claimed or not."""
        return self.filter(closed_at__isnull=True)

    def visible_to(self, user: Any) -> ReportQuerySet:
        """The reports that somebody has made; the queue is the moderators' admin page."""
        return self.filter(reporter=user) if isinstance(user, get_user_model()) else self.none()


class Report(models.Model):
    """Somebody tells the moderators of something, or the site itself has found it (then there is no
    `reporter`). `context` is what it looked like at that time.

    `context` has the shape of `accounts.moderation.reports.Target.context`: `facts`, pairs of a
    label and a text, and `lines`, each with `who`, `text`, `at` (ISO, UTC) and `quoted`. Of the
    site's own reports it has ``evidence``, too: keys of what is not reported again.
    """

    class Reason(models.TextChoices):
        ABUSE = "abuse", "Insults or harassment"
        CHEATING = "cheating", "Cheating or help from outside"
        SPAM = "spam", "Advertising or flooding"
        NAME = "name", "An offensive or misleading name"
        STALLING = "stalling", "Stalling or throwing a match"
        OTHER = "other", "Something else"

    class Outcome(models.TextChoices):
        ACTED = "acted", "We agreed and acted on it"
        NO_BREACH = "no-breach", "We found no breach of the rules"
        ALREADY = "already", "It had been dealt with before"
        UNCLEAR = "unclear", "There was too little to go on"

    reporter = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="reports_made",
        help_text="Empty: the site itself.",
    )
    about = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="reports_about",
        help_text="The person concerned. Empty where it is not one person, as for a match.",
    )
    target_type = models.CharField(max_length=64)
    target_id = models.CharField(max_length=64)
    title = models.CharField(max_length=200, help_text="What is reported, in words.")
    url = models.CharField(max_length=200, blank=True)
    reason = models.CharField(max_length=10, choices=Reason.choices)
    words = models.CharField(max_length=1000, help_text="The reporter's own words.")
    context = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(default=now_utc)
    claimed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="reports_claimed",
    )
    claimed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="reports_closed",
    )
    closed_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=10, choices=Outcome.choices, blank=True)
    answer = models.CharField(
        max_length=1000, blank=True, help_text="Told to the reporter, by mail and on their page."
    )
    note = models.TextField(blank=True, help_text="For moderators only.")

    objects = ReportQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["at"], name="report_open", condition=Q(closed_at__isnull=True)),
            models.Index(fields=["target_type", "target_id"], name="report_target"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(reason__in=["abuse", "cheating", "spam", "name", "stalling", "other"]),
                name="report_reason_known",
            ),
            models.CheckConstraint(
                condition=~Q(words="") & ~Q(target_type="") & ~Q(target_id="") & ~Q(title=""),
                name="report_whole",
            ),
            models.CheckConstraint(
                condition=Q(about__isnull=True) | ~Q(about=F("reporter")),
                name="report_not_oneself",
            ),
            models.CheckConstraint(
                condition=Q(claimed_by__isnull=True, claimed_at__isnull=True)
                | Q(claimed_by__isnull=False, claimed_at__isnull=False),
                name="report_claimed_whole",
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True, closed_by__isnull=True, outcome="", answer="")
                | Q(
                    closed_at__isnull=False,
                    closed_by__isnull=False,
                    outcome__in=["acted", "no-breach", "already", "unclear"],
                ),
                name="report_closed_whole",
            ),
            models.UniqueConstraint(
                fields=["reporter", "target_type", "target_id"],
                condition=Q(closed_at__isnull=True),
                name="report_once_while_open",
            ),
            models.UniqueConstraint(
                fields=["target_type", "target_id"],
                condition=Q(closed_at__isnull=True, reporter__isnull=True),
                name="report_of_site_once",
            ),
        ]

    def __str__(self) -> str:
        return f"report {self.pk}: {self.title}"

    @property
    def standing(self) -> str:
        """`closed`, `claimed` or `open`."""
        if self.closed_at is not None:
            return "closed"
        return "open" if self.claimed_by_id is None else "claimed"


class AccountMerge(models.Model):
    """Two accounts turned out to be one person's: what `duplicate` had belongs to `keep` now.

    Append-only, as a merge cannot be undone; the old name leads to the kept account for ever.
    """

    keep = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="merged_from"
    )
    duplicate = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="merged_into"
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="merges_made"
    )
    reason = models.CharField(max_length=500)
    moved = models.JSONField(default=dict, help_text="What was moved, and how many of each.")
    at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(keep=F("duplicate")), name="merge_two_accounts"),
            models.CheckConstraint(condition=~Q(reason=""), name="merge_reason_given"),
        ]

    def __str__(self) -> str:
        return f"{self.duplicate} merged into {self.keep}"
