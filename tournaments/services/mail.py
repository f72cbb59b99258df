"""Mail that seasons send. Each goes out after the commit of its action, to confirmed addresses
only, and one that cannot be sent is logged: the action stands, and its event is on the season's
page."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from smtplib import SMTPException

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction

from accounts.mail import confirmed_addresses
from accounts.models import User
from tournaments.models import Season
from tournaments.naming import Naming

log = structlog.get_logger("gauntlet.seasons")


def absolute(path: str) -> str:
    """A path of this site as an address for mail."""
    return f"{settings.GAUNTLET_ORIGIN}{path}"


def addresses_of(users: Iterable[User]) -> dict[int, str]:
    """The confirmed address of each user who has one and can sign in, by the user's id."""
    return confirmed_addresses([user for user in users if user.is_active])


def unreached(users: Iterable[User]) -> list[str]:
    """The names of those whom mail does not reach: they have confirmed no address."""
    people = [user for user in users if user.is_active]
    addresses = confirmed_addresses(people)
    return [user.shown_name for user in people if user.pk not in addresses]


def organisers_mail(*, season: Season, subject: str, words: str) -> None:
    """Write to everybody who runs the season, once the transaction has been committed."""
    users = [each.user for each in season.organisers.select_related("user")]
    body = f"{Naming.of(season.pk).marked(words)}\n\n{absolute(season.get_absolute_url())}\n"
    addresses = addresses_of(users)
    if not addresses:
        # It stands on the season's desk all the same, which says that no mail reaches them.
        log.warning("mail.nobody-reached", season=season.pk, organisers=len(users))
    for address in addresses.values():
        send_after_commit(address, subject, body)


def send_after_commit(address: str, subject: str, body: str) -> None:
    """Send one mail when the transaction has been committed."""
    transaction.on_commit(partial(_send, address, subject, body), robust=True)


def _send(address: str, subject: str, body: str) -> None:
    try:
        send_mail(
            f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}",
            body,
            settings.DEFAULT_FROM_EMAIL,
            [address],
        )
    except (SMTPException, OSError) as error:
        log.warning("mail.not-sent", error=type(error).__name__)
