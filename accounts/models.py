"""Users, the log of who did what, and what moderators keep: sanctions, reports, merged accounts."""

from datetime import UTC, datetime
from functools import cache
from typing import Any, ClassVar, Final

from django.conf import settings
from django.contrib.auth.models import AbstractUser, Group
from django.contrib.auth.models import UserManager as DjangoUserManager
from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Lower, Trim
from django.urls import reverse
from django.utils import timezone

from accounts.names.validators import (
    DISPLAY_NAME_MAX_LENGTH,
    USERNAME_MAX_LENGTH,
    USERNAME_PATTERN,
    username_validators,
    validate_display_name,
    validate_time_zone,
)

# They stand in the text of `UserManager.of_number` for what differs from one request to the next.
_SOME_INSTANT: Final = datetime(1, 2, 3, tzinfo=UTC)
_SOME_NUMBER: Final = -9876543210


@cache
def _query_of_number() -> tuple[str, tuple[Any, ...]]:
    """The text and the parameters of the query for one user with their standing."""
    asked = User.objects.with_standing(_SOME_INSTANT).filter(pk=_SOME_NUMBER)
    text, parameters = asked.query.sql_with_params()
    return text, tuple(parameters)


class UserManager(DjangoUserManager["User"]):
    """Finds people by name in any case, since names are stored in lower case."""

    def get_by_natural_key(self, username: str | None) -> "User":
        return super().get_by_natural_key(self.model.normalize_username(username or ""))

    def with_standing(self, at: datetime | None = None) -> models.QuerySet["User"]:
        """Everybody, each with `suspended` and `warned` (is a suspension in force at an instant,
        now; does a warning wait to be acknowledged?) and `group_names`. For those who need them on
        every request: it is one query."""
        own = Sanction.objects.filter(user=OuterRef("pk"))
        groups = Group.objects.filter(user=OuterRef("pk")).order_by("name")
        return self.get_queryset().annotate(
            suspended=Exists(own.in_force(at).filter(kind=Sanction.Kind.SUSPENSION)),
            warned=Exists(own.unread_warnings()),
            group_names=ArraySubquery(groups.values("name")),
        )

    def of_number(self, number: Any) -> "User | None":
        """Who has this number, as `with_standing` gives them; None where nobody has.

        Asked on every request of somebody who is signed in. The query is always the same, so that
        its text is made only once: making it takes several times as long as asking it.
        """
        try:
            number = self.model._meta.pk.to_python(number)
        except ValidationError:
            return None
        text, parameters = _query_of_number()
        now = timezone.now()
        given = [
            now if each == _SOME_INSTANT else number if each == _SOME_NUMBER else each
            for each in parameters
        ]
        return next(iter(self.raw(text, given)), None)


class User(AbstractUser):
    """Somebody who can sign in.

    The username is the stable key in addresses and records: lower case, never changed after
    registration. The display name is what pages show; it may be anything readable.
    """

    class Theme(models.TextChoices):
        AUTO = "auto", "As my device"
        LIGHT = "light", "Light"
        DARK = "dark", "Dark"

    first_name = None  # type: ignore[assignment]  # one display name instead
    last_name = None  # type: ignore[assignment]

    username = models.CharField(
        "username",
        max_length=USERNAME_MAX_LENGTH,
        unique=True,
        validators=username_validators,
        error_messages={"unique": "This username is taken."},
        help_text="3 to 20 characters: letters a to z, digits, hyphens, underscores.",
    )
    email = models.EmailField("email address", blank=True)
    display_name = models.CharField(
        "display name",
        max_length=DISPLAY_NAME_MAX_LENGTH,
        blank=True,
        validators=[validate_display_name],
        help_text="Shown beside your board and in results. Empty: your username.",
    )
    time_zone = models.CharField(
        "time zone",
        max_length=64,
        blank=True,
        validators=[validate_time_zone],
        help_text="For dates on pages and in mail.",
    )
    sound_muted = models.BooleanField("mute all sounds", default=False)
    theme = models.CharField("board theme", max_length=5, choices=Theme.choices, default=Theme.AUTO)
    is_bot = models.BooleanField(
        "bot", default=False, help_text="A program plays with this account, and for good."
    )

    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        constraints = [
            # With unique=True this makes names unique in any case.
            models.CheckConstraint(
                condition=Q(username__regex=USERNAME_PATTERN), name="user_username_form"
            ),
            # Empty addresses (accounts made by an administrator) do not collide.
            models.UniqueConstraint(
                Lower("email"),
                condition=~Q(email=""),
                name="user_email_unique",
                violation_error_message="This email address belongs to another account.",
            ),
            models.CheckConstraint(
                condition=Q(theme__in=["auto", "light", "dark"]), name="user_theme_known"
            ),
            models.CheckConstraint(
                condition=Q(display_name=Trim("display_name")), name="user_display_name_trimmed"
            ),
            # Programs do not rule over people.
            models.CheckConstraint(
                condition=Q(is_bot=False) | Q(is_staff=False, is_superuser=False),
                name="user_bot_unprivileged",
            ),
        ]

    def __str__(self) -> str:
        return self.username

    @classmethod
    def normalize_username(cls, username: str) -> str:
        return super().normalize_username(username).lower() if username else username

    @property
    def shown_name(self) -> str:
        """The display name, or the username where there is none."""
        return self.display_name or self.username

    def get_full_name(self) -> str:
        return self.shown_name

    def get_short_name(self) -> str:
        return self.shown_name

    def get_absolute_url(self) -> str:
        return reverse("profile", args=[self.username])


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
    at = models.DateTimeField(default=timezone.now)

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


class SanctionQuerySet(models.QuerySet["Sanction"]):
    """Sanctions: which bind now, and who may see them."""

    def in_force(self, at: datetime | None = None) -> "SanctionQuerySet":
        """Mutes and suspensions that bind at an instant (now), the open-ended ones included."""
        at = timezone.now() if at is None else at
        return self.filter(
            Q(until__isnull=True) | Q(until__gt=at), lifted_at__isnull=True, at__lte=at
        ).exclude(kind=Sanction.Kind.WARNING)

    def unread_warnings(self) -> "SanctionQuerySet":
        """Warnings that stand and that their reader has not acknowledged."""
        return self.filter(
            kind=Sanction.Kind.WARNING, acknowledged_at__isnull=True, lifted_at__isnull=True
        )

    def visible_to(self, user: Any) -> "SanctionQuerySet":
        """Their own; moderators see all, in the admin site."""
        return self.filter(user=user) if isinstance(user, User) else self.none()


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
    at = models.DateTimeField(default=timezone.now)
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
        return "in force" if self.until is None or self.until > timezone.now() else "over"


class ReportQuerySet(models.QuerySet["Report"]):
    """Reports: the queue, and who may see them."""

    def open(self) -> "ReportQuerySet":
        """Those that wait for an answer, claimed or not."""
        return self.filter(closed_at__isnull=True)

    def visible_to(self, user: Any) -> "ReportQuerySet":
        """The reports that somebody has made; the queue is the moderators' admin page."""
        return self.filter(reporter=user) if isinstance(user, User) else self.none()


class Report(models.Model):
    """Somebody tells the moderators of something. `context` is what it looked like at that time.

    `context` has the shape of `accounts.moderation.reports.Target.context`: `facts`, pairs of a
    label and a text, and `lines`, each with `who`, `text`, `at` (ISO, UTC) and `quoted`.
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
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reports_made"
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
    at = models.DateTimeField(default=timezone.now)
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
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(keep=F("duplicate")), name="merge_two_accounts"),
            models.CheckConstraint(condition=~Q(reason=""), name="merge_reason_given"),
        ]

    def __str__(self) -> str:
        return f"{self.duplicate} merged into {self.keep}"


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    """Personal tokens, and whose they are."""

    def good(self, at: datetime | None = None) -> "ApiTokenQuerySet":
        """Those that are neither revoked nor expired."""
        return self.filter(revoked_at__isnull=True, expires_at__gt=at or timezone.now())

    def visible_to(self, user: Any) -> "ApiTokenQuerySet":
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
    created_at = models.DateTimeField(default=timezone.now)
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
        return "good" if self.expires_at > timezone.now() else "expired"
