"""Whom mail can be sent to."""

from __future__ import annotations

from collections.abc import Iterable

from allauth.account.models import EmailAddress

from accounts.models import User


def confirmed_addresses(users: Iterable[User]) -> dict[int, str]:
    """The address of each of ``users`` (rows or a query) who has confirmed one, by the user's id:
    their primary one, where that is confirmed. One that is not may be a stranger's, whom nothing
    here concerns."""
    found = EmailAddress.objects.filter(user__in=users, verified=True)
    # Of several of a user, the last is kept.
    return dict(found.order_by("user_id", "primary", "-pk").values_list("user_id", "email"))
