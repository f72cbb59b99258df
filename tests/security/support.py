"""For tests of accounts' security: time that has passed, and mail that was sent."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, cast

from django.core import mail
from django.core.mail import EmailMessage
from django.test import Client

from accounts.signin import recent
from core.clock import now_utc

if TYPE_CHECKING:
    from tests.support.site import Site

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like"
    " Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
)


def later(browser: Client, by: timedelta = recent.CONFIRMED_FOR) -> None:
    """What was shown in a browser was so long ago."""
    session = browser.session
    session["confirmed_at"] = (now_utc() - by).timestamp()
    session.save()


# As if they had signed in long ago.
LONG_AGO = """
from importlib import import_module

from django.conf import settings

from accounts.models import UserSession

for row in UserSession.objects.filter(user__username={name!r}):
    store = import_module(settings.SESSION_ENGINE).SessionStore(row.session_key)
    store["confirmed_at"] = 0
    store.save()
"""


def later_at(site: Site, name: str) -> None:
    """What somebody has shown in their browsers, at a site that runs, was long ago."""
    site.python(LONG_AGO.format(name=name))


def letters() -> list[EmailMessage]:
    """What was sent, oldest first; read once."""
    sent = cast(list[EmailMessage], list(mail.outbox))
    mail.outbox.clear()
    return sent


def letter() -> EmailMessage:
    """The one that was sent."""
    (one,) = letters()
    return one
