"""Undoing from a letter what would let somebody in for longer: a new address, a second factor.

The letter that tells an account's owner of it has an address that undoes it, signed by the site.
Whoever follows it reads the mail of the address that was the owner's before, and needs neither
session nor password: a thief may have changed both. It is good for some days, and only while it
changes anything. What a thief could have got besides ends with it: sessions, tokens, applications
that were let in, the password.

Letters to one address do not undo what letters to an earlier one have undone: whoever had put their
own address there has letters, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.urls import reverse

from accounts.addresses import confirmed_addresses, own_address
from accounts.models import AuditEntry, User
from accounts.services import audit_record, password_void, users_lock
from accounts.signin.ending import all_parts
from accounts.signin.sessions import sessions_end
from core.clock import now_utc
from core.refusals import NotFound

_SALT: Final = "accounts.signin.undoing"
_ACTION: Final = "user.undo"


class Letter(NamedTuple):
    """What an address in a letter speaks for: whose account, which kind of change, to which address
    of the owner's and when it was written, and what else its kind has to know."""

    user: User
    kind: str
    address: str
    at: datetime
    data: Mapping[str, Any]


class Undo(NamedTuple):
    """One kind of change that a letter undoes. ``lasts``: for so long. ``what``: what it would do
    now, in a sentence, empty where there is nothing to be undone any more. ``do``: does it, with
    the account locked, and raises Refusal where it cannot; called inside a transaction."""

    name: str
    lasts: timedelta
    what: Callable[[Letter], str]
    do: Callable[[Letter], None]


_undos: Final[dict[str, Undo]] = {}


def register(undo: Undo) -> None:
    """Offer to undo a kind. Again changes nothing."""
    _undos[undo.name] = undo


#: What goes with an account's former address being put back: called with the account and with when
#: somebody else's came in its place, since when letters went there.
Since = Callable[[User, datetime], object]
_since: Final[dict[str, Since]] = {}
#: What a letter of the library has to say besides: called with the account and where it goes.
Said = Callable[[User, str], Mapping[str, Any]]
_said: Final[dict[str, Said]] = {}


def register_since(name: str, end: Since) -> None:
    """Have ``end`` called when a former address is put back. Again changes nothing."""
    _since[name] = end


def end_since(user: User, at: datetime) -> None:
    """End what was added to an account since its letters went to somebody else's address."""
    for end in _since.values():
        end(user, at)


def register_said(letter: str, said: Said) -> None:
    """Have a letter of the library say more. Again changes nothing."""
    _said[letter] = said


def said_in(letter: str, user: User, address: str) -> Mapping[str, Any]:
    """What a letter of the library has to say besides."""
    return _said[letter](user, address) if letter in _said else {}


def undo_address(user: User, kind: str, address: str, **data: Any) -> str:
    """The address that a letter to somebody's ``address`` has for undoing what it tells of; empty
    where that is not confirmed, and so may be a stranger's."""
    if address.lower() != confirmed_addresses([user]).get(user.pk, "").lower():
        return ""
    return undo_address_of_former(user, kind, address, **data)


def undo_address_of_former(user: User, kind: str, address: str, **data: Any) -> str:
    """The same for an address that was confirmed until just now."""
    token = undo_token(user, kind, address, **data)
    return settings.GAUNTLET_ORIGIN + reverse("accounts:undo", args=[token])


def undo_token(user: User, kind: str, address: str, **data: Any) -> str:
    """What such an address has of an account and a letter: nobody else can make it."""
    return signing.dumps([kind, user.pk, address, now_utc().timestamp(), data], salt=_SALT)


def letter_of(token: str) -> tuple[Letter, str]:
    """What an address speaks for, and what it would do now. Raises Refusal ``undo.none``."""
    try:
        kind, user_id, address, at, data = signing.loads(token, salt=_SALT)
    except signing.BadSignature as error:
        raise _none() from error
    undo = _undos.get(kind)
    user = User.objects.filter(pk=user_id, is_active=True).first()
    written = datetime.fromtimestamp(at, UTC)
    if undo is None or user is None or now_utc() - written > undo.lasts:
        raise _none()
    letter = Letter(user, kind, address, written, data)
    what = "" if _is_overruled(letter) else undo.what(letter)
    if not what:
        raise _none()
    return letter, what


def _is_overruled(letter: Letter) -> bool:
    """Whether what a letter tells of was undone by an earlier one, since when the account has
    another address than that of this letter again."""
    if letter.address.lower() == own_address(letter.user).lower():
        return False
    done = AuditEntry.objects.filter(
        action=_ACTION,
        target_type=User._meta.label_lower,
        target_id=str(letter.user.pk),
        at__gte=letter.at,
    )
    since = done.values_list("data__letter_at", flat=True)
    return any(each <= letter.at.timestamp() for each in since)


def _none() -> NotFound:
    sentence = (
        "This link is not good any more: it was used, its days are over, or there is nothing left "
        "that it would undo."
    )
    return NotFound("undo.none", sentence)


@transaction.atomic
def letter_undo(*, token: str) -> tuple[Letter, str]:
    """Undo what a letter tells of, and end whatever lets somebody into the account: all sessions,
    tokens, applications, devices, Discord as a way in, and the password. Returns the letter and
    what was done for it.

    Raises Refusal ``undo.none``, and as its kind does (``undo.address-taken``).
    """
    users_lock([letter_of(token)[0].user])
    # As it is now that nobody else changes it.
    letter, what = letter_of(token)
    user = letter.user
    _undos[letter.kind].do(letter)
    sessions_end(acting_user=user)
    for part in all_parts():
        # What keeps out whoever reads the mail stays, but for what the letter is about; and what a
        # new password by mail ends by itself goes with the password.
        if part.proof is None and part.by_mail:
            part.end(user)
    password_void(user=user)
    audit_record(
        acting_user=user,
        action=_ACTION,
        target=user,
        data={"kind": letter.kind, "letter_at": letter.at.timestamp()},
    )
    return letter, what
