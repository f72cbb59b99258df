"""Where the sign-in library asks us about second factors."""

from __future__ import annotations

from typing import Any, Final

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.core.exceptions import ValidationError

from core.sealing import Box, Unreadable

BOX: Final = Box("gauntlet second factors")


class UnreadableFactor(ValidationError):
    """A stored secret cannot be read any more. Forms say so; pages leave out what hangs on it."""

    silent_variable_failure = True


class FactorAdapter(DefaultMFAAdapter):
    """Secrets encrypted at rest; plain words; the username as what a factor is for, since the
    display name changes and the address is nobody's business."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "add_email_blocked": "Please remove your second factor before you add an address.",
        "cannot_delete_authenticator": "This second factor cannot be removed.",
        "cannot_generate_recovery_codes": (
            "Recovery codes stand in for a second factor, and you have none yet."
        ),
        "incorrect_code": "That was not right. Please try again with a fresh code.",
        "unverified_email": (
            "Please confirm your email address first: a second factor would keep its owner out if "
            "it were not yours."
        ),
        "unreadable": (
            "This second factor cannot be read any more. Please use another, or turn to an "
            "administrator of the site."
        ),
    }

    def encrypt(self, text: str) -> str:
        return BOX.sealed(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Raises UnreadableFactor: nothing may stand for a secret that cannot be read."""
        try:
            return BOX.opened(encrypted_text)
        except Unreadable:
            raise UnreadableFactor(self.error_messages["unreadable"], code="unreadable") from None

    def _get_user_identifier(self, user: Any) -> str:
        return str(user.username)

    def generate_authenticator_name(self, user: Any, type: Any) -> str:  # noqa: A002
        """What a new key is called if its owner does not say."""
        count = Authenticator.objects.filter(user_id=user.pk, type=type).count()
        return "Passkey" if count == 0 else f"Passkey {count + 1}"
