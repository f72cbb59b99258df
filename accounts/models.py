"""Users, and the log of who did what."""

from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.auth.models import UserManager as DjangoUserManager
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower, Trim
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.validators import (
    DISPLAY_NAME_MAX_LENGTH,
    USERNAME_MAX_LENGTH,
    USERNAME_PATTERN,
    username_validators,
    validate_display_name,
    validate_time_zone,
)


class UserManager(DjangoUserManager["User"]):
    """Finds people by name in any case, since names are stored in lower case."""

    def get_by_natural_key(self, username: str | None) -> "User":
        return super().get_by_natural_key(self.model.normalize_username(username or ""))


class User(AbstractUser):
    """Somebody who can sign in.

    The username is the stable key in addresses and records: lower case, never changed after
    registration. The display name is what pages show; it may be anything readable.
    """

    class Theme(models.TextChoices):
        AUTO = "auto", _("As my device")
        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    first_name = None  # type: ignore[assignment]  # one display name instead
    last_name = None  # type: ignore[assignment]

    username = models.CharField(
        _("username"),
        max_length=USERNAME_MAX_LENGTH,
        unique=True,
        validators=username_validators,
        error_messages={"unique": _("This username is taken.")},
        help_text=_("3 to 20 characters: letters a to z, digits, hyphens, underscores."),
    )
    email = models.EmailField(_("email address"), blank=True)
    display_name = models.CharField(
        _("display name"),
        max_length=DISPLAY_NAME_MAX_LENGTH,
        blank=True,
        validators=[validate_display_name],
        help_text=_("Shown beside your board and in results. Empty: your username."),
    )
    time_zone = models.CharField(
        _("time zone"),
        max_length=64,
        blank=True,
        validators=[validate_time_zone],
        help_text=_("For dates on pages and in mail."),
    )
    sound_muted = models.BooleanField(_("mute all sounds"), default=False)
    theme = models.CharField(
        _("board theme"), max_length=5, choices=Theme.choices, default=Theme.AUTO
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
                violation_error_message=_("This email address belongs to another account."),
            ),
            models.CheckConstraint(
                condition=Q(theme__in=["auto", "light", "dark"]), name="user_theme_known"
            ),
            models.CheckConstraint(
                condition=Q(display_name=Trim("display_name")), name="user_display_name_trimmed"
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
    """One deed that must stay accountable: who did what to which row, when, with which details.

    Append-only. The database itself refuses to change, delete or truncate entries (see the
    migration that makes the triggers). Entries are written by `accounts.services.audit_record`,
    inside the transaction of the deed.
    """

    who = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        # An account that did something accountable is closed, never deleted.
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="audit_entries",
        help_text=_("Nobody: the system itself."),
    )
    action = models.CharField(max_length=64, help_text=_("For example match.pause."))
    target_type = models.CharField(
        max_length=64, blank=True, help_text=_("The model's label, for example games.match.")
    )
    target_id = models.CharField(max_length=64, blank=True)
    data = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit entries")
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
