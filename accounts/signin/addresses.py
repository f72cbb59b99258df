"""Another address for an account: asked for, changed, told to the one before, and put back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from allauth.account.internal.flows.email_verification import send_verification_email_to_address
from allauth.account.models import EmailAddress
from django.db import IntegrityError, transaction
from django.http import HttpRequest

from accounts.addresses import own_address, pending_addresses
from accounts.models import User
from accounts.services import address_change_drop, audit_record, users_lock
from accounts.signin.notices import owner_tell
from accounts.signin.undoing import (
    Letter,
    Undo,
    end_since,
    undo_address,
    undo_address_of_former,
)
from core.refusals import Refusal

#: The name of what letters about the address undo, and for how long they do.
ADDRESS: Final = "address"
LASTS: Final = timedelta(days=7)


def address_is_taken(address: str, *, besides: int = 0) -> bool:
    """Whether an address is that of an account, besides one, or was confirmed for one. None is
    nobody's, though there are accounts without any."""
    if not address:
        return False
    accounts = User.objects.filter(email__iexact=address).exclude(pk=besides)
    confirmed = EmailAddress.objects.filter(email__iexact=address, verified=True)
    return accounts.exists() or confirmed.exclude(user=besides).exists()


def address_ask(request: HttpRequest, user: User, address: str) -> EmailAddress:
    """Have an account's address change to another once that is confirmed; the mail that asks for it
    is sent. The one that it has stays until then, confirmed or not: what is told to its owner goes
    there. Another change that was asked for before is dropped."""
    with transaction.atomic():
        locked = users_lock([user])[user.pk]
        pending_addresses(locked).delete()
        _have_primary(locked)
        asked: EmailAddress = EmailAddress.objects.create(user=user, email=address.lower())
    send_verification_email_to_address(request, asked)
    return asked


def _have_primary(user: User) -> None:
    """The address of an account that was made otherwise is noted as any other is."""
    own = EmailAddress.objects.filter(user=user)
    if user.email and not own.filter(primary=True).exists():
        noted = own.filter(email__iexact=user.email)
        if not noted.update(primary=True):
            EmailAddress.objects.create(user=user, email=user.email.lower(), primary=True)


# -- telling -------------------------------------------------------------------------------------


def on_address_asked(*, user: User, email_address: EmailAddress, **_more: Any) -> None:
    """Somebody wants the account's address to be another one: tell the one that it has."""
    before = own_address(user)
    if not before or before.lower() == email_address.email.lower():
        return
    said = {"new": email_address.email, "undo_url": undo_address(user, ADDRESS, before)}
    owner_tell(user, "address_asked", said | _days(), address=before)


def on_address_changed(
    *, user: User, from_email_address: EmailAddress | None, to_email_address: EmailAddress,
    **_more: Any,
) -> None:  # fmt: skip
    """It is another one: tell the one before, and undo it from there if that was confirmed. One
    that was not may be a stranger's, by a slip of the pen."""
    if from_email_address is None:
        return
    before = from_email_address.email
    undo = undo_address_of_former(user, ADDRESS, before) if from_email_address.verified else ""
    said = {"from_email": before, "to_email": to_email_address.email, "undo_url": undo}
    owner_tell(user, "address_changed", said | _days(), address=before)


def _days() -> dict[str, str]:
    return {"undo_lasts": f"{LASTS.days} days"}


# -- undoing -------------------------------------------------------------------------------------


def _what(letter: Letter) -> str:
    if own_address(letter.user).lower() != letter.address.lower():
        return f"The address of the account is {letter.address} again."
    if pending_addresses(letter.user).exists():
        return f"The address of the account stays {letter.address}."
    return ""


def _undo(letter: Letter) -> None:
    """Whoever follows a link in a letter has shown that its address is theirs."""
    user, address = letter.user, letter.address.lower()
    address_change_drop(acting_user=user, user=user)
    if own_address(user).lower() == address:
        return
    if address_is_taken(address, besides=user.pk):
        raise _taken(address)
    others = EmailAddress.objects.filter(user=user)
    told = [each.email for each in others if each.verified]
    others.delete()
    EmailAddress.objects.create(user=user, email=address, primary=True, verified=True)
    user.email = address
    try:
        with transaction.atomic():
            user.save(update_fields=["email"])
    except IntegrityError as error:  # just now
        raise _taken(address) from error
    end_since(user, letter.at)
    audit_record(acting_user=user, action="user.put_address_back", target=user)
    for each in told:
        owner_tell(user, "address_put_back", address=each)


def _taken(address: str) -> Refusal:
    sentence = f"{address} is the address of another account by now. Please write to the operator."
    return Refusal("undo.address-taken", sentence)


UNDO: Final = Undo(ADDRESS, LASTS, _what, _undo)
