"""Forms about second factors: the sign-in library's with our words."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms as base
from allauth.mfa.recovery_codes import forms as recovery
from allauth.mfa.totp import forms as totp
from allauth.mfa.webauthn import forms as webauthn
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from django import forms
from django.core.validators import MaxLengthValidator

from accounts.forms import PlainFields

NAME_MAX: Final = 60
CODE_MAX: Final = 40
CREDENTIAL_MAX: Final = 64 * 1024


def _ask_for_code(form: Any, *, label: str, help_text: str, digits: bool) -> None:
    field = form.fields["code"]
    field.label, field.help_text = label, help_text
    field.validators.append(MaxLengthValidator(CODE_MAX))
    field.widget.attrs |= {"autocapitalize": "none", "spellcheck": "false", "maxlength": CODE_MAX}
    if digits:
        field.widget.attrs["inputmode"] = "numeric"


class _CodeForm(PlainFields):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _ask_for_code(
            self,
            label="Code",
            help_text="From your authenticator app, or one of your recovery codes.",
            digits=True,
        )


class AuthenticateForm(_CodeForm, base.AuthenticateForm):
    """The second step of signing in."""


class ReauthenticateForm(_CodeForm, base.ReauthenticateForm):
    """Show once more that it is you, by a code."""


class ActivateTOTPForm(PlainFields, totp.ActivateTOTPForm):
    """The first code of an app that has just been set up."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _ask_for_code(
            self, label="Code", help_text="The six digits that the app shows now.", digits=True
        )


class DeactivateTOTPForm(totp.DeactivateTOTPForm):
    """Remove the app."""


class GenerateRecoveryCodesForm(recovery.GenerateRecoveryCodesForm):
    """Make new recovery codes."""


class _CredentialField(forms.JSONField):
    """What a browser says of a passkey: an object of the form that all give, or it means
    nothing."""

    def clean(self, value: Any) -> Any:
        text = value if isinstance(value, str) else ""
        # The database keeps no NUL, and nobody's passkey takes more room than this.
        is_kept = len(text) <= CREDENTIAL_MAX and "\\u0000" not in text
        credential = super().clean(value) if is_kept else None
        if not _is_credential(credential):
            raise get_adapter().validation_error("incorrect_code")
        return credential


# What the library stumbles over in an answer that no browser gives.
_STUMBLES: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    InvalidSignature,
    UnsupportedAlgorithm,
)


@contextmanager
def _understood() -> Iterator[None]:
    try:
        yield
    except _STUMBLES as error:
        raise get_adapter().validation_error("incorrect_code") from error


class _HidesCredential:
    """What is wrong with a passkey is wrong with the form: nobody sees the field."""

    def add_error(self, field: str | None, error: Any) -> None:
        if field == "credential":
            vars(self)["cleaned_data"].pop(field, None)
            field = None
        super().add_error(field, error)  # type: ignore[misc]


class _ShowsPasskey:
    def clean_credential(self) -> Any:
        with _understood():
            return super().clean_credential()  # type: ignore[misc]


def _is_credential(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("response"), dict)
        and all(isinstance(value.get(each), str) for each in ("id", "rawId"))
    )


def _hidden_credential() -> _CredentialField:
    return _CredentialField(widget=forms.HiddenInput)


class AddWebAuthnForm(_HidesCredential, PlainFields, webauthn.AddWebAuthnForm):
    """Add a passkey."""

    name = forms.CharField(
        label="Name",
        required=False,
        max_length=NAME_MAX,
        help_text="To tell it from others, such as the device it is on.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    credential = _hidden_credential()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        alone = self.fields["passwordless"]
        alone.label, alone.initial = "Sign in with it alone", True
        alone.help_text = (
            "Without name and password; the device then asks for your finger, face or PIN. A "
            "simple security key may be unable to: untick this for one."
        )

    def clean(self) -> dict[str, Any]:
        with _understood():
            given: dict[str, Any] = super().clean()
            return given


class EditWebAuthnForm(PlainFields, webauthn.EditWebAuthnForm):
    """Call a passkey something else."""

    name = forms.CharField(
        label="Name", max_length=NAME_MAX, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )


class AuthenticateWebAuthnForm(_HidesCredential, _ShowsPasskey, webauthn.AuthenticateWebAuthnForm):
    """The second step of signing in, by a passkey."""

    credential = _hidden_credential()


class LoginWebAuthnForm(_ShowsPasskey, webauthn.LoginWebAuthnForm):
    """Sign in by a passkey alone."""

    credential = _hidden_credential()


class ReauthenticateWebAuthnForm(
    _HidesCredential, _ShowsPasskey, webauthn.ReauthenticateWebAuthnForm
):
    """Show once more that it is you, by a passkey."""

    credential = _hidden_credential()
