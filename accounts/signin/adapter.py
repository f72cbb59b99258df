"""Where the sign-in library asks us how we do things."""

from typing import Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.dateformat import format as date_text

from accounts.addresses import own_address, pending_addresses
from accounts.announcing.devices import device_here, device_leave
from accounts.guests import guest_of
from accounts.models import AccountDeletion, User
from accounts.moderation.standing import is_suspended
from accounts.names.impostors import refuse_impersonating_username
from accounts.names.validators import validate_not_reserved
from accounts.roles import HELD_BACK_SENTENCE, lacks_factor
from accounts.services import (
    audit_record,
    guest_join,
    user_register,
    user_set_password,
    users_lock,
)
from accounts.signin import undoing
from accounts.signin.addresses import address_is_taken
from accounts.signin.browsers import is_known, remember
from accounts.signin.guessing import (
    account_key,
    anywhere_take,
    forgive,
    from_here,
    is_known_here,
    key_of,
    know_here,
    limit_hit,
)
from accounts.signin.kept_out import keep_out
from accounts.signin.notices import owner_tell
from accounts.signin.recent import is_recently_confirmed, other_ways
from accounts.signin.waiting import (
    sign_in_anew,
    sign_in_begun,
    sign_in_forget,
    sign_in_stands,
)
from accounts.signin.whence import whence
from accounts.site.registration import is_registration_open
from core.addresses import client_of_request
from core.clock import now_utc
from core.refusals import Refusal

CHANGE_DROPPED: Final = (
    "The address of the account was to change. That is dropped: if it was you, ask for it again."
)


class AccountAdapter(DefaultAccountAdapter):
    """Registration through our own service, names in lower case, limits named in messages."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "account_inactive": "This account is closed.",
        "email_password_mismatch": "This address and this password do not belong together.",
        "username_password_mismatch": "This name and this password do not belong together.",
        "username_taken": "This username is taken.",
        "too_many_login_attempts": (
            "Too many failed attempts to sign in from where you are. Please wait 300 seconds, or "
            "reset your password."
        ),
        "too_many_tries_here": (
            "Too many failed attempts to sign in from where you are, at several accounts. Please "
            "wait 60 seconds."
        ),
        "guesses_from_anywhere": (
            "Somebody is guessing the password of this account from many places. Please reset your "
            "password from here, or sign in from where you have signed in before."
        ),
        "codes_from_anywhere": (
            "Somebody who knows the password of this account is guessing its codes from many "
            "places. Please reset your password from here, or sign in with a browser that you have "
            "signed in with before."
        ),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Whether accounts are opened: asked of every way to register, Discord's included."""
        return is_registration_open()

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Check a name that somebody wants to register; return it as it will be stored."""
        name: str = super().clean_username(User.normalize_username(username), shallow=shallow)
        validate_not_reserved(name)
        try:
            refuse_impersonating_username(name)
        except Refusal as refusal:
            raise forms.ValidationError(refusal.sentence, code=refusal.code) from refusal
        return name

    def save_user(
        self, request: HttpRequest, user: User, form: forms.BaseForm, commit: bool = True
    ) -> User:
        """Create the account that a valid registration form asks for."""
        data: dict[str, Any] = form.cleaned_data
        # "Ada" registers as "ada" and keeps her capital where names are shown.
        typed = str(form.data.get("username", "")).strip()
        given = {
            "username": data["username"],
            "password": data["password1"],
            "display_name": typed if typed != data["username"] else "",
        }
        # An address of another account stays there, and whoever types it in must not notice.
        email = "" if address_is_taken(data["email"]) else data["email"]
        try:
            return user_register(email=email, **given)
        except Refusal as refusal:
            if refusal.code != "email.taken":
                raise
        return user_register(email="", **given)

    def send_confirmation_mail(
        self, request: HttpRequest, emailconfirmation: Any, signup: bool
    ) -> None:
        """Write to whoever owns an address: the link that confirms it or, where it belongs to
        another account, that somebody has tried. Who has typed it in sees the same either way."""
        address = emailconfirmation.email_address
        if address_is_taken(address.email, besides=address.user_id):
            self.send_account_already_exists_mail(address.email)
        else:
            super().send_confirmation_mail(request, emailconfirmation, signup)

    def can_delete_email(self, email_address: EmailAddress) -> bool:
        """One's address is replaced by another that is confirmed, and never by one that is not."""
        return not email_address.primary

    def get_client_ip(self, request: HttpRequest) -> str:
        """Whose a request is, as for everybody else here: the library's own fails at what a proxy
        says that it does not expect."""
        return client_of_request(request)

    # -- guessing ----------------------------------------------------------------------------
    # What is counted, and whom it does not concern, `guessing` says.

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse to try one more password where too many were tried."""
        account = account_key(credentials)
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            raise self.validation_error(limit_hit(request, account)) from None
        self._guess: Any = None
        if is_known_here(request, account):
            return
        self._guess = anywhere_take(request, account)
        if not self._guess:
            self._rollback_login_failed_rl_usage()
            raise self.validation_error("guesses_from_anywhere")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Any:
        """Find who it is; the right password is not counted, and makes the address known."""
        user = super().authenticate(request, **credentials)
        if user is not None:
            if self._guess:
                self._guess.rollback()
            know_here(request, key_of(user.pk))
        return user

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        return from_here(request, account_key(credentials))

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """Nothing: `set_password` knows whose password was reset, and here only an address is said,
        which others may have given as well."""

    def set_password(self, user: User, password: str, *, keeps_sessions: bool = False) -> None:
        """Whatever way somebody sets their password by: changing it, or with a mail's key.
        ``keeps_sessions``: they stay signed in elsewhere."""
        by_mail = self.request.resolver_match.url_name == "account_reset_password_from_key"
        if by_mail:
            forgive(self.request, user)
        stays = by_mail and AccountDeletion.objects.filter(user=user).exists()
        changes = pending_addresses(user).exists()
        user_set_password(
            user=user,
            password=password,
            forgotten=by_mail,
            device_id=device_here(self.request),
            session_key="" if by_mail else self.request.session.session_key or "",
            keeps_sessions=keeps_sessions and not by_mail,
        )
        if stays:
            messages.info(self.request, "The account was to be deleted. It stays.")
        if changes and not pending_addresses(user).exists():
            messages.info(self.request, CHANGE_DROPPED)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Where somebody goes on who has changed their password: to setting up a second factor,
        where a role of theirs rests without one, since they may just have removed theirs."""
        if not lacks_factor(request.user):
            url: str = super().get_password_change_redirect_url(request)
            return url
        messages.warning(request, HELD_BACK_SENTENCE)
        return reverse("mfa_index")

    # -- confirming, and telling the owner ---------------------------------------------------

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:
        """Whether the library's own views must ask to confirm, as ours do: see `recent`."""
        required: bool = super().is_reauthentication_required(app=app, **more)
        return required and not is_recently_confirmed(self.request)

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """By what somebody can confirm that it is they, in our words: password or second factor,
        or what else they sign in by, where they have neither."""
        words = {
            "reauthenticate": "Give your password",
            "mfa_reauthenticate": "Give a code",
            "mfa_reauthenticate:webauthn": "Use a passkey",
        }
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if methods or not isinstance(user, User):
            return [{**each, "description": words[each["id"]]} for each in methods]
        return [{"id": page, "description": "", "url": reverse(page)} for page in other_ways(user)]

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Tell somebody what was done with their account: when, in their own time, and whence."""
        address = email or own_address(user)
        # Of a change of the address ours says more: see `addresses`.
        if not address or template_prefix == "account/email/email_changed":
            return
        at = now_utc().astimezone(user.zone)
        said = {
            "user": user,
            "at": f"{date_text(at, 'j F Y, H:i')} ({user.zone.key})",
            "place": whence(self.request),
            "sessions_url": f"{settings.GAUNTLET_ORIGIN}{reverse('accounts:sessions')}",
            "factors_url": f"{settings.GAUNTLET_ORIGIN}{reverse('mfa_index')}",
            "reset_url": f"{settings.GAUNTLET_ORIGIN}{reverse('account_reset_password')}",
        }
        undo = undoing.said_in(template_prefix, user, address)
        self.send_mail(template_prefix, address, {**said, **undo, **(context or {})})

    def pre_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse | None:
        """Stop somebody who is suspended, and tell them why: it is certain now who they are."""
        response: HttpResponse | None = super().pre_login(request, user, **details)
        response = response or self._kept_out(request, user)
        if response is None:
            sign_in_begun(request, user)
        return response

    def _kept_out(self, request: HttpRequest, user: User) -> HttpResponse | None:
        if not user.is_active:
            return self.respond_user_inactive(request, user)
        if is_suspended(user):
            keep_out(request, user)
            return redirect("accounts:suspended")
        return None

    def login(self, request: HttpRequest, user: User) -> None:
        """Let somebody in; whoever played here without an account turns out to be them. Their owner
        is told of a browser that they have not signed in from before, but for the very first."""
        guest = guest_of(request)
        # Between the password and the second factor they may have been closed or suspended.
        kept_out = self._kept_out(request, user)
        if kept_out is not None:
            raise ImmediateHttpResponse(kept_out)
        # Or the password, say, that they gave may be the password no more.
        if not sign_in_stands(request, user):
            raise ImmediateHttpResponse(sign_in_anew(request))
        is_new = user.last_login is not None and not is_known(request, user)
        super().login(request, user)
        sign_in_forget(request)
        remember(request, user)
        device_leave(request, besides=user)
        if is_new:
            owner_tell(user, "signed_in")
        if guest is not None:
            guest_join(guest=guest, user=user)

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Lead somebody whose account is closed to the page that says why."""
        keep_out(request, user)
        return redirect("account_inactive")

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Accept an address whose owner followed the link; say whether it was accepted.

        It is not, when another account has taken the address since the mail was sent.
        """
        try:
            with transaction.atomic():
                users_lock([email_address.user_id])
                # Where it was dropped meanwhile, saving it would bring it back.
                asked = EmailAddress.objects.filter(pk=email_address.pk, verified=False)
                if not asked.exists() or not super().confirm_email(request, email_address):
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
