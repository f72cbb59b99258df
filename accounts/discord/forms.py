"""Registering by Discord: everybody chooses their name here."""

from __future__ import annotations

from typing import Any

from allauth.socialaccount import forms as library
from django import forms
from django.http import HttpRequest

from accounts.discord.services import address_taken, discord_register
from accounts.discord.told import confirmed_address, name_of
from accounts.forms import PlainFields
from accounts.models import User
from accounts.names.validators import USERNAME_MIN_LENGTH
from accounts.signin.addresses import address_is_taken
from core.refusals import Refusal


class SignupForm(PlainFields, library.SignupForm):
    """A name and an address, which Discord has proposed; no password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = User._meta.get_field("username").help_text
        self.fields["username"].widget.attrs |= {
            "autocapitalize": "none",
            "spellcheck": "false",
            "minlength": USERNAME_MIN_LENGTH,
        }
        self.fields["email"].label = "Email address"
        self.fields[
            "email"
        ].help_text = "Never shown. For a new password, and for what you choose to be told by mail."

    def validate_unique_email(self, value: str) -> str:
        """Take any address, as in registering by password: whether it is known already is told to
        its owner alone. Whoever Discord says to be that reads it here."""
        if value == confirmed_address(self.sociallogin) and address_is_taken(value):
            raise forms.ValidationError(address_taken().sentence, code=address_taken().code)
        return value

    def save(self, request: HttpRequest) -> User:
        """Create the account. A refusal by the service becomes an error of this form.

        Raises forms.ValidationError then, after adding the error: the view shows the form again.
        """
        data: dict[str, Any] = self.cleaned_data
        typed = str(self.data.get("username", "")).strip()
        try:
            user = discord_register(
                discord_id=self.sociallogin.account.uid,
                discord_name=name_of(self.sociallogin),
                username=data["username"],
                email=data["email"],
                confirmed=data["email"] == confirmed_address(self.sociallogin),
                display_name=typed if typed != data["username"] else "",
            )
        except Refusal as refusal:
            error = forms.ValidationError(refusal.sentence, code=refusal.code)
            self.add_error(refusal.field if refusal.field in self.fields else None, error)
            raise error from refusal
        self.sociallogin.user = user
        return user
