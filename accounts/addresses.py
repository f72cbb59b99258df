"""Whom mail can be sent to, and whose address may be a stranger's."""

from __future__ import annotations

from collections.abc import Iterable

from allauth.account.models import EmailAddress
from django.db.models import QuerySet

from accounts.models import User


def confirmed_addresses(users: Iterable[User]) -> dict[int, str]:
    """The address of each of ``users`` (rows or a query) who has confirmed one, by the user's id:
    their primary one, where that is confirmed. One that is not may be a stranger's, whom nothing
    here concerns."""
    found = EmailAddress.objects.filter(user__in=users, verified=True)
    # Of several of a user, the last is kept.
    return dict(found.order_by("user_id", "primary", "-pk").values_list("user_id", "email"))


def gave_unconfirmed_address(user: User) -> bool:
    """Whether somebody has given an address, and none of theirs was ever confirmed: it may be a
    stranger's. Where only the account has one, it was set by those who run the site (until the
    sign-in library notes it as one that is not confirmed, at the next sign-in)."""
    confirmed = EmailAddress.objects.filter(user=user).values_list("verified", flat=True)
    return bool(confirmed) and not any(confirmed)


def own_address(user: User) -> str:
    """The address that an account has, confirmed or not; empty where it has none. One that it is to
    change to is not it yet."""
    primary = EmailAddress.objects.filter(user=user, primary=True).first()
    return str(primary.email) if primary is not None else user.email


def pending_addresses(user: User) -> QuerySet[EmailAddress]:
    """What somebody wants their address to change to, until that is confirmed: one at most."""
    asked: QuerySet[EmailAddress] = EmailAddress.objects.filter(
        user=user, primary=False, verified=False
    )
    # The library notes the address of an account that was made otherwise in the same way.
    return asked.exclude(email__iexact=user.email) if user.email else asked
