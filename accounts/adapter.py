"""Where the sign-in library asks us how we do things."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from django import forms
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.moderation import is_suspended
from accounts.services import audit_record, user_register
from accounts.validators import validate_not_reserved

# Who has just given the right password and may not come in: their page may say why.
SUSPENDED_SESSION_KEY = "suspended_user"


class AccountAdapter(DefaultAccountAdapter):
    """Registration through our own service, names in lower case, limits named in messages."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "account_inactive": _("This account is closed."),
        "email_password_mismatch": _("This address and this password do not belong together."),
        "username_password_mismatch": _("This name and this password do not belong together."),
        "email_taken": _("This email address belongs to another account."),
        "username_taken": _("This username is taken."),
        "too_many_login_attempts": _(
            "Too many failed attempts to sign in: five are accepted in five minutes. "
            "Please wait 300 seconds, or reset your password."
        ),
    }

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Check a name that somebody wants to register; return it as it will be stored."""
        name: str = super().clean_username(User.normalize_username(username), shallow=shallow)
        validate_not_reserved(name)
        return name

    def save_user(
        self, request: HttpRequest, user: User, form: forms.BaseForm, commit: bool = True
    ) -> User:
        """Create the account that a valid registration form asks for."""
        data: dict[str, Any] = form.cleaned_data
        # "Ada" registers as "ada" and keeps her capital where names are shown.
        typed = str(form.data.get("username", "")).strip()
        return user_register(
            username=data["username"],
            email=data["email"],
            password=data["password1"],
            display_name=typed if typed != data["username"] else "",
        )

    def pre_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse | None:
        """Stop somebody who is suspended, and tell them why: it is certain now who they are."""
        response: HttpResponse | None = super().pre_login(request, user, **details)
        if response is None and is_suspended(user):
            request.session[SUSPENDED_SESSION_KEY] = user.pk
            return redirect("accounts:suspended")
        return response

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Accept an address whose owner followed the link; say whether it was accepted.

        It is not, when another account has taken the address since the mail was sent.
        """
        try:
            with transaction.atomic():
                if not super().confirm_email(request, email_address):
                    return False
                audit_record(
                    acting_user=email_address.user,
                    action="user.confirm_email",
                    target=email_address.user,
                )
        except IntegrityError:
            template = "account/messages/email_confirmation_failed.txt"
            self.add_message(request, messages.ERROR, template, {"email": email_address.email})
            return False
        return True
