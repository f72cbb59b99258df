"""For tests of accounts' security: time that has passed, and mail that was sent."""

from __future__ import annotations

from datetime import timedelta
from typing import cast

from django.core import mail
from django.core.mail import EmailMessage
from django.test import Client

from accounts.signin import recent
from core.clock import now_utc

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


def letters() -> list[EmailMessage]:
    """What was sent, oldest first; read once."""
    sent = cast(list[EmailMessage], list(mail.outbox))
    mail.outbox.clear()
    return sent


def letter() -> EmailMessage:
    """The one that was sent."""
    (one,) = letters()
    return one
