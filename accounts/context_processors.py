"""What every page needs to know about its reader and its own address."""

import re
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.utils.functional import cached_property

from accounts.discord.offers import is_offered
from accounts.models import (
    AccountDeletion,
    RegistrationChange,
    Sanction,
    SiteAnnouncement,
    User,
)
from accounts.moderation.standing import suspension_of
from accounts.preferences import SOUND_COOKIE, THEME_COOKIE, motion_of
from accounts.roles import Role, holds_role, lacks_factor
from accounts.site.announcements import shown_now
from accounts.site.registration import registration_now

# Which of the site's announcements a browser's reader has closed: their numbers, and how many are
# kept.
CLOSED_COOKIE: Final = "announcements_closed"
CLOSED_AT_MOST: Final = 20


class Shell:
    """Answers lazily: an error page that asks for nothing must not touch session or database."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @cached_property
    def _user(self) -> User | None:
        user = getattr(self._request, "user", None)
        return user if isinstance(user, User) else None

    @cached_property
    def theme(self) -> str:
        """`auto`, `light` or `dark`: from the account, else from the cookie."""
        wanted = self._user.theme if self._user else self._request.COOKIES.get(THEME_COOKIE, "")
        return wanted if wanted in User.Theme.values else User.Theme.AUTO.value

    @cached_property
    def sound(self) -> str:
        """`on` or `muted`: from the account, else from the cookie."""
        if self._user:
            return "muted" if self._user.sound_muted else "on"
        return "muted" if self._request.COOKIES.get(SOUND_COOKIE) == "muted" else "on"

    @cached_property
    def motion(self) -> str:
        """`on`, `reduced` or `off`: from the device's cookie."""
        return motion_of(self._request)

    @cached_property
    def time_zone(self) -> str:
        """The account's zone; empty: the device's."""
        return self._user.time_zone if self._user else ""

    @cached_property
    def device_zone(self) -> str | None:
        """The zone in which the reader's device was last; None for whoever need not tell: a
        visitor, or somebody who has chosen a zone."""
        user = self._user
        return None if user is None or user.is_guest or user.time_zone else user.device_zone

    @property
    def discord(self) -> bool:
        """Whether people can sign in by Discord."""
        return is_offered()

    @cached_property
    def administers(self) -> bool:
        """Whether the reader may enter the admin site, if with a second factor that they have yet
        to set up: it leads there."""
        user = self._user
        return user is not None and (user.is_staff or holds_role(user, Role.MODERATOR))

    @cached_property
    def lacks_factor(self) -> bool:
        """Whether something that the reader has been given to do waits for a second factor."""
        return self._user is not None and lacks_factor(self._user)

    @cached_property
    def warning(self) -> Sanction | None:
        """The oldest warning that the reader has not acknowledged. Costs a query only where the
        query that fetched the reader has seen one."""
        if self._user is None or self._user.warned is False:
            return None
        return Sanction.objects.unread_warnings().filter(user=self._user).order_by("at").first()

    @cached_property
    def deletion(self) -> AccountDeletion | None:
        """That the reader's account is to be deleted. Costs a query only where the query that
        fetched the reader has seen it."""
        if self._user is None or not self._user.leaving:
            return None
        return AccountDeletion.objects.filter(user=self._user).first()

    @cached_property
    def announcements(self) -> list[SiteAnnouncement]:
        """What the site says to everybody now, without what this browser's reader has closed."""
        # What a browser sends back may be anything.
        numbers = self._request.COOKIES.get(CLOSED_COOKIE, "").split("-")[:CLOSED_AT_MOST]
        return shown_now(
            closed={int(each) for each in numbers if re.fullmatch(r"[0-9]{1,18}", each)}
        )

    @cached_property
    def registration_closed(self) -> RegistrationChange | None:
        """That registration is closed; None where it is not. Costs a query."""
        last = registration_now()
        return None if last is None or last.is_open else last

    @cached_property
    def cut_off(self) -> bool:
        """Whether this browser is signed in to an account that is suspended, and so signed out for
        the time being."""
        session = getattr(self._request, "session", None)
        if (
            session is None
            or self._user is not None
            or settings.SESSION_COOKIE_NAME not in (self._request.COOKIES)
        ):
            return False
        whose = session.get(SESSION_KEY)
        return whose is not None and suspension_of(int(whose)) is not None

    @cached_property
    def origin(self) -> str:
        """Scheme and host, empty where the host name given is not ours."""
        try:
            return f"{self._request.scheme}://{self._request.get_host()}"
        except DisallowedHost:
            return ""

    @property
    def url(self) -> str:
        """The absolute address of this page without its query."""
        return f"{self.origin}{self._request.path}"


def shell(request: HttpRequest) -> dict[str, Any]:
    """Put `shell` into every template. (The sign-in library has a `site` of its own.)"""
    return {"shell": Shell(request)}
