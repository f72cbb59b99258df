"""Users, and how they are found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, ClassVar, Final
from zoneinfo import ZoneInfo

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import AbstractUser, Group
from django.contrib.auth.models import UserManager as DjangoUserManager
from django.contrib.postgres.expressions import ArraySubquery
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Lower, Trim
from django.urls import reverse
from django.utils.crypto import salted_hmac

from accounts.models.announcements import Announcement
from accounts.models.leaving import AccountDeletion
from accounts.models.moderation import Sanction
from accounts.names.validators import (
    DISPLAY_NAME_MAX_LENGTH,
    FORMER_NAME,
    FORMER_PREFIX,
    USERNAME_MAX_LENGTH,
    USERNAME_PATTERN,
    username_validators,
    validate_display_name,
    validate_time_zone,
)
from core.clock import now_utc

# What makes a second factor: recovery codes stand in for one that was lost, and are none.
SECOND_FACTORS: Final = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
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

    def get_by_natural_key(self, username: str | None) -> User:
        return super().get_by_natural_key(self.model.normalize_username(username or ""))

    def with_standing(self, at: datetime | None = None) -> models.QuerySet[User]:
        """Everybody, each with `suspended` and `warned` (is a suspension in force at an instant,
        now; does a warning wait to be acknowledged?), `has_news` (is there an announcement that
        they have not read?), `leaving` (have they asked for the account to be deleted?),
        `group_names` and `has_second_factor`. For those who need them on every request: it is one
        query."""
        own = Sanction.objects.filter(user=OuterRef("pk"))
        groups = Group.objects.filter(user=OuterRef("pk")).order_by("name")
        factors = Authenticator.objects.filter(user=OuterRef("pk"), type__in=SECOND_FACTORS)
        # By the names that `User` declares, which the plugin of mypy would take for a second
        # declaration.
        standing: dict[str, Any] = {
            "suspended": Exists(own.in_force(at).filter(kind=Sanction.Kind.SUSPENSION)),
            "warned": Exists(own.unread_warnings()),
            "has_news": Exists(Announcement.objects.unread().filter(user=OuterRef("pk"))),
            "leaving": Exists(AccountDeletion.objects.filter(user=OuterRef("pk"))),
            "group_names": ArraySubquery(groups.values("name")),
            "has_second_factor": Exists(factors),
        }
        return self.get_queryset().annotate(**standing)

    def members(self) -> models.QuerySet[User]:
        """Those who have an account."""
        return self.get_queryset().filter(is_guest=False)

    def of_number(self, number: Any) -> User | None:
        """Who has this number, as `with_standing` gives them; None where nobody has.

        Asked on every request of somebody who is signed in. The query is always the same, so that
        its text is made only once: making it takes several times as long as asking it.
        """
        try:
            number = self.model._meta.pk.to_python(number)
        except ValidationError:
            return None
        text, parameters = _query_of_number()
        now = now_utc()
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
        help_text="For dates on pages and in what is sent.",
    )
    device_zone = models.CharField(
        "time zone of the device",
        max_length=64,
        blank=True,
        default="",
        db_default="",
        validators=[validate_time_zone],
        help_text="As a browser of theirs said last: for what is sent while they choose none.",
    )
    sound_muted = models.BooleanField("mute all sounds", default=False)
    theme = models.CharField("board theme", max_length=5, choices=Theme.choices, default=Theme.AUTO)
    shown_in_lobby = models.BooleanField(
        "show me in the lobby",
        default=True,
        db_default=True,
        help_text="While you have it open, to those who are signed in.",
    )
    phrases_only = models.BooleanField(
        "show only phrases in chat",
        default=False,
        db_default=False,
        help_text="What your opponents write themselves is folded away in your matches.",
    )
    is_bot = models.BooleanField(
        "bot", default=False, help_text="A program plays with this account, and for good."
    )

    is_guest = models.BooleanField(
        "guest",
        default=False,
        db_default=False,
        help_text="Somebody without an account, in one browser: they may practise, and nothing "
        "else.",
    )

    sign_outs = models.PositiveIntegerField(
        "signed out everywhere",
        default=0,
        db_default=0,
        help_text="How often: no session from before the last time is good any more.",
    )

    deleted_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When its owner had it deleted: nothing of theirs is left in this row.",
    )

    # What `UserManager.with_standing` brings along; None where somebody was read without it.
    suspended: bool | None = None
    warned: bool | None = None
    has_news: bool | None = None
    leaving: bool | None = None
    #: Kept as well by `accounts.roles`, once it was asked for.
    group_names: Sequence[str] | None = None
    has_second_factor: bool | None = None
    #: Of `accounts.roles`: whether organisers need a second factor, once that was asked for; and
    #: that something was not theirs to do only because they have none.
    organisers_need_factor: bool | None = None
    was_held_back: bool = False

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
            # Nothing is known of guests, and nothing is theirs.
            models.CheckConstraint(
                condition=Q(is_guest=False)
                | Q(is_staff=False, is_superuser=False, is_bot=False, email=""),
                name="user_guest_unprivileged",
            ),
            # Nobody signs in as somebody who is gone, and nothing says who it was.
            models.CheckConstraint(
                condition=Q(deleted_at=None)
                | Q(
                    is_active=False,
                    is_staff=False,
                    is_superuser=False,
                    email="",
                    time_zone="",
                    device_zone="",
                    display_name=FORMER_NAME,
                    username__startswith=FORMER_PREFIX,
                ),
                name="user_deleted_is_blank",
            ),
        ]

    def __str__(self) -> str:
        return self.username

    @classmethod
    def normalize_username(cls, username: str) -> str:
        return super().normalize_username(username).lower() if username else username

    def _get_session_auth_hash(self, secret: Any = None) -> str:
        """What a session must know to be good: of whoever has never signed out everywhere, that is
        the library's own."""
        if not self.sign_outs:
            own: str = super()._get_session_auth_hash(  # type: ignore[misc]  # not in the stubs
                secret=secret
            )
            return own
        salt = "accounts.models.User.session"
        value = f"{self.password}:{self.sign_outs}"
        return salted_hmac(salt, value, secret=secret, algorithm="sha256").hexdigest()

    @property
    def shown_name(self) -> str:
        """The display name, or the username where there is none."""
        return self.display_name or self.username

    @property
    def is_former(self) -> bool:
        """Whether its owner had the account deleted."""
        return self.deleted_at is not None

    @property
    def zone(self) -> ZoneInfo:
        """The zone of times in what is sent to them: the one they chose, else that of the device
        they were last seen with, else UTC."""
        return ZoneInfo(self.time_zone or self.device_zone or "UTC")

    def get_full_name(self) -> str:
        return self.shown_name

    def get_short_name(self) -> str:
        return self.shown_name

    def get_absolute_url(self) -> str:
        return reverse("profile", args=[self.username])
