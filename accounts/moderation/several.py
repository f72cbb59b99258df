"""One sanction laid upon several people, and several lifted with one reason.

Each is one transaction. What cannot be done to one (they are protected, or muted already) is told
and leaves that one alone as they were; the others are done. What is wrong with the whole (no
reason, an end that has passed) is refused, and nothing is done.

People are locked before anything else, all of them and in one order (`users_lock`), so that two
moderators who judge the same ones wait for each other and do not deadlock.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from django.db import transaction

from accounts.models import Sanction, User
from accounts.moderation import sanctions
from accounts.services import users_lock
from core.actions import ROWS_AT_MOST
from core.refusals import Refusal

Kind = Sanction.Kind


class Outcome(NamedTuple):
    """What came of it: the sanctions that were laid or lifted, and of each person or sanction that
    was left as it was, why."""

    done: list[Sanction]
    refused: list[tuple[User | Sanction, Refusal]]


#: Whether somebody can be put under a sanction of a kind, as `user_warn` and its like ask.
CHECKS: Final[Mapping[Kind, Callable[[User], object]]] = {
    Kind.WARNING: lambda _user: None,
    Kind.MUTE: sanctions.must_not_be_muted,
    Kind.SUSPENSION: sanctions.must_not_be_suspended,
}


@transaction.atomic
def users_sanction(
    *,
    acting_user: User,
    users: Collection[User],
    kind: Kind,
    reason: str,
    until: datetime | None = None,
    note: str = "",
) -> Outcome:
    """Lay the same sanction upon several people; a warning has no end.

    Raises Refusal ``account.not-moderator``, as `sanctions.must_be_whole` does,
    ``sanction.nobody``, ``sanction.too-many``, and where nobody is left the refusal of the first of
    them. What stands against one of several is in the outcome.
    """
    sanctions.must_be_moderator(acting_user)
    must_be_few(users)
    sanctions.must_be_whole(reason, until)
    locked = users_lock(users)
    services: dict[Kind, Callable[..., Sanction]] = {
        Kind.WARNING: sanctions.user_warn,
        Kind.MUTE: partial(sanctions.user_mute, until=until),
        Kind.SUSPENSION: partial(sanctions.user_suspend, until=until),
    }
    found = Outcome([], [])
    for user in locked.values():
        try:
            sanction = services[kind](acting_user=acting_user, user=user, reason=reason, note=note)
        except Refusal as refusal:
            found.refused.append((user, refusal))
        else:
            found.done.append(sanction)
    return _some(found)


@transaction.atomic
def sanctions_lift(*, acting_user: User, chosen: Collection[Sanction], why: str) -> Outcome:
    """Lift several sanctions with one reason.

    Raises Refusal ``account.not-moderator``, as `sanctions.why_whole` does, ``sanction.nobody``,
    ``sanction.too-many``, and where none is left the refusal of the first. What stands against one
    of several is in the outcome.
    """
    sanctions.must_be_moderator(acting_user)
    must_be_few(chosen)
    sanctions.why_whole(why)
    users_lock([sanction.user_id for sanction in chosen])
    found = Outcome([], [])
    for sanction in sorted(chosen, key=lambda each: each.pk):
        try:
            lifted = sanctions.sanction_lift(acting_user=acting_user, sanction=sanction, why=why)
        except Refusal as refusal:
            found.refused.append((sanction, refusal))
        else:
            found.done.append(lifted)
    return _some(found)


def must_be_few(rows: Collection[object]) -> None:
    """Raise Refusal ``sanction.nobody`` for none, and ``sanction.too-many`` for more than can be
    judged at once."""
    if not rows:
        raise Refusal("sanction.nobody", "Please choose somebody first.")
    if len(rows) > ROWS_AT_MOST:
        raise Refusal("sanction.too-many", f"At most {ROWS_AT_MOST} at once, please.")


def _some(found: Outcome) -> Outcome:
    """Refuse the whole where nothing was done: the first says why."""
    if not found.done and found.refused:
        _row, refusal = found.refused[0]
        raise refusal
    return found
