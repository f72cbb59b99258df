"""Taking one's own second factors away: all of a kind, with a new password, and a new one from the
letter that tells of it: somebody else may have set it up. One by one the sign-in library does it,
on its pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from allauth.mfa.models import Authenticator
from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.factors.forms import AuthenticateForm
from accounts.factors.receivers import on_removed, on_used
from accounts.models import User
from accounts.signin.ending import Part, Proof
from accounts.signin.guessing import is_too_often
from accounts.signin.notices import owner_tell
from accounts.signin.undoing import Letter, Undo, undo_address

#: The name of what letters about a new factor undo, and for how long they do: whoever reads the
#: mail within this time gets past that factor.
FACTOR: Final = "factor"
UNDONE_WITHIN: Final = timedelta(days=3)
#: The library's letters that tell of a new one.
ADDED: Final = {
    "mfa/email/totp_activated": Authenticator.Type.TOTP,
    "mfa/email/webauthn_added": Authenticator.Type.WEBAUTHN,
}
_LETTERS: Final = {
    Authenticator.Type.TOTP: "totp_deactivated",
    Authenticator.Type.WEBAUTHN: "webauthn_removed",
}

_TOO_MANY: Final = (
    "Too many wrong codes. Please try again later; or remove nothing, and the password is set all "
    "the same."
)


@transaction.atomic
def factors_remove(*, acting_user: User, kind: Authenticator.Type) -> int:
    """Take all of one's own second factors of a kind away, and with the last one the recovery
    codes; returns how many factors. Whoever must have one sets another up before they use what they
    may do beyond others. They are told by mail."""
    gone = _take_away(acting_user, lambda each: each.type == kind)
    if gone:
        owner_tell(acting_user, _LETTERS[kind], of="mfa")
    return gone


def _take_away(user: User, concerns: Callable[[Authenticator], bool]) -> int:
    own = Authenticator.objects.select_for_update(no_key=True).filter(user=user).order_by("pk")
    factors = [each for each in own if each.type != Authenticator.Type.RECOVERY_CODES]
    gone = [each for each in factors if concerns(each)]
    codes = [each for each in own if each not in factors and (gone == factors or concerns(each))]
    Authenticator.objects.filter(pk__in=[each.pk for each in (*gone, *codes)]).delete()
    for each in (*gone, *codes):
        on_removed(user=user, authenticator=each)
    return len(gone)


def factors_of(user: User, kind: Authenticator.Type) -> int:
    """How many of a kind somebody has."""
    count: int = Authenticator.objects.filter(user=user, type=kind).count()
    return count


def can_give_code(user: User) -> bool:
    """Whether somebody has an app or recovery codes: a form cannot be shown a passkey."""
    kinds = (Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES)
    found: bool = Authenticator.objects.filter(user=user, type__in=kinds).exists()
    return found


def must_be_code_of(user: User, code: str) -> None:
    """Use up a code of somebody's app, or one of their recovery codes. Wrong ones are counted as
    everywhere; what is said of too many does not advise to do what is being done: to reset the
    password. Raises ValidationError."""
    form = AuthenticateForm({"code": code}, user=user)
    if not form.is_valid():
        errors = form.errors.as_data()["code"]
        late = next((each for each in errors if is_too_often(each)), None)
        if late is not None:
            raise ValidationError(_TOO_MANY, code=late.code)
        raise ValidationError(errors)
    on_used(user=user, authenticator=form.authenticator)


def parts() -> list[Part]:
    """What of second factors a new password can end (`accounts.signin.ending`). By mail alone
    nobody gets past them: there a code is asked for too."""
    proof = Proof(can_give_code, must_be_code_of)
    return [
        Part(name, words, partial(factors_of, kind=kind), partial(_remove, kind=kind), proof)
        for name, words, kind in (
            ("end_passkeys", "Remove my passkeys", Authenticator.Type.WEBAUTHN),
            ("end_apps", "Remove my authenticator app", Authenticator.Type.TOTP),
        )
    ]


def _remove(user: User, *, kind: Authenticator.Type) -> int:
    return factors_remove(acting_user=user, kind=kind)


# -- undoing from a letter -----------------------------------------------------------------------


def factors_remove_since(user: User, at: datetime) -> int:
    """Take away what was added to an account since its letters went to somebody else's address:
    nobody could undo it by a letter of its own. Returns how many factors."""
    return _take_away(user, lambda each: each.created_at >= at)


def said_of_added(kind: Authenticator.Type, user: User, address: str) -> Mapping[str, Any]:
    """What the letter says that tells of a new factor: how it is undone."""
    newest = Authenticator.objects.filter(user=user, type=kind).order_by("-pk").first()
    undo = "" if newest is None else undo_address(user, FACTOR, address, factor=newest.pk)
    return {"undo_url": undo, "undo_lasts": f"{UNDONE_WITHIN.days} days"}


def _added(letter: Letter) -> Authenticator | None:
    found: Authenticator | None = Authenticator.objects.filter(
        user=letter.user, pk=letter.data["factor"]
    ).first()
    return found


def _what_of_added(letter: Letter) -> str:
    added = _added(letter)
    if added is None:
        return ""
    if added.type == Authenticator.Type.TOTP:
        return "The authenticator app is taken off the account."
    return f"The passkey “{added.wrap().name}” is taken off the account."


def _undo_added(letter: Letter) -> None:
    _take_away(letter.user, lambda each: each.pk == letter.data["factor"])


UNDO: Final = Undo(FACTOR, UNDONE_WITHIN, _what_of_added, _undo_added)
