"""Taking one's own second factors away, all of a kind, with a new password: somebody else may have
set one up. One by one the sign-in library does it, on its pages."""

from __future__ import annotations

from functools import partial
from typing import Final

from allauth.mfa.models import Authenticator
from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.factors.forms import AuthenticateForm
from accounts.factors.receivers import on_removed, on_used
from accounts.models import User
from accounts.signin.ending import Part, Proof
from accounts.signin.guessing import is_too_often
from accounts.signin.notices import owner_tell

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
    own = Authenticator.objects.select_for_update().filter(user=acting_user).order_by("pk")
    factors = [each for each in own if each.type != Authenticator.Type.RECOVERY_CODES]
    gone = [each for each in factors if each.type == kind]
    if not gone:
        return 0
    codes = [each for each in own if each not in factors] if gone == factors else []
    Authenticator.objects.filter(pk__in=[each.pk for each in (*gone, *codes)]).delete()
    for each in (*gone, *codes):
        on_removed(user=acting_user, authenticator=each)
    owner_tell(acting_user, _LETTERS[kind], of="mfa")
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
