"""Mail to the owner of an account when something is done that would let others in, or keep them in.

Nobody can switch these off. They say what, when, in the reader's own time, from which browser and
network, and what to do if it was somebody else. One that nobody has asked for through a browser (a
command, a worker) says no place.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import structlog
from allauth.account.adapter import get_adapter
from allauth.core import context
from django.db import transaction

from accounts.models import User
from accounts.signin.whence import whence

log = structlog.get_logger("gauntlet.accounts")


def owner_tell(
    user: User,
    what: str,
    said: Mapping[str, Any] | None = None,
    *,
    address: str | None = None,
    of: str = "account",
) -> None:
    """Write to an account's owner after commit: ``what`` names the letter's templates, in the
    folder ``of``. ``address``: where to, if not to the account's own."""
    # From where it is asked is known now, and maybe no more when it is written.
    whole = {"place": whence(context.request), **(said or {})}
    tell = partial(_send, user, f"{of}/email/{what}", whole, address)
    transaction.on_commit(tell, robust=True)


def _send(user: User, letter: str, said: dict[str, Any], address: str | None) -> None:
    try:
        adapter = get_adapter(context.request)
        adapter.send_notification_mail(letter, user, said, address)
    except OSError as error:
        # It is done, and stands in their settings, also where no mail can be handed on.
        log.warning("owner.not-told", of=letter, error=type(error).__name__)
