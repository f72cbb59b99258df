"""What a new password can end besides sessions: whatever else lets somebody in. Those who know of
such a thing register it, in their AppConfig.ready."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from accounts.models import User


class Proof(NamedTuple):
    """What whoever has only shown that they read the account's mail shows besides: a code. Whether
    somebody has anything that gives one, and what raises ValidationError for a wrong one."""

    possible: Callable[[User], bool]
    check: Callable[[User, str], None]


class Part(NamedTuple):
    """One kind of what can be ended: the name of its box, what it says, how many somebody has, and
    the service that ends them all. ``proof``: it keeps out whoever reads the mail, so that mail
    alone does not end it, and nobody is nudged to. Not ``by_mail``: whoever resets the password by
    mail has no box for it, since that ends it by itself."""

    name: str
    words: str
    count: Callable[[User], int]
    end: Callable[[User], object]
    proof: Proof | None = None
    by_mail: bool = True


_parts: Final[dict[str, Part]] = {}


def register(part: Part) -> None:
    """Offer to end a kind. Again changes nothing."""
    _parts[part.name] = part


def all_parts() -> Sequence[Part]:
    """Every kind, also where there is nothing to be seen of it: a code may be under way that is
    yet to become a token."""
    return list(_parts.values())


def parts_of(user: User) -> Sequence[tuple[Part, int]]:
    """What somebody has that could be ended, and how many of it."""
    found = [(part, part.count(user)) for part in _parts.values()]
    return [(part, count) for part, count in found if count]
