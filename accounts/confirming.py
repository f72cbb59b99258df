"""Letters that confirm an address, once more: for those who run something that people would hear of
by mail. Nothing of the address is told to whoever asks, not even whether there is one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Final

from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.db import transaction
from django.http import HttpRequest

from accounts.addresses import confirmed_addresses
from accounts.models import User
from accounts.services import audit_records

#: How long nobody is sent another one, whoever asks.
PAUSE: Final = timedelta(days=1)


def unconfirmed(users: Iterable[User]) -> list[User]:
    """Those who have confirmed no address, and can sign in."""
    people = [user for user in users if user.is_active and not user.is_guest]
    known = confirmed_addresses(people)
    return [user for user in people if user.pk not in known]


def confirmations_send(
    request: HttpRequest, users: Iterable[User], by: User, data: Mapping[str, Any]
) -> tuple[int, int]:
    """Have each of these who has confirmed no address confirm it; returns of how many that was
    asked, and of how many it was not, since they have been asked within a day. Who has given no
    address counts as asked. The audit log says who has asked whom, with ``data``."""
    people = unconfirmed(users)
    rows = EmailAddress.objects.filter(user__in=people, verified=False).select_related("user")
    # Of several of a user the last is kept: the one that it is to be, which they typed last.
    addresses = {row.user_id: row for row in rows.order_by("user_id", "-primary", "pk")}
    pause = PAUSE.total_seconds()
    asked = [user for user in people if cache.add(f"confirmation:{user.pk}", 1, pause)]
    with transaction.atomic():
        audit_records(
            acting_user=by,
            action="user.ask_to_confirm",
            targets=[(user, data) for user in asked],
        )
    for user in asked:
        address = addresses.get(user.pk)
        if address is not None:
            address.send_confirmation(request)
    return len(asked), len(people) - len(asked)
