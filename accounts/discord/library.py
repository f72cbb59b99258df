"""What the sign-in library asks about Discord: where it is, and what becomes of an answer.

Links are in our own table, so the library finds no account of its own behind an answer, and keeps
none: `SocialAdapter` says whose it is.
"""

from __future__ import annotations

import re
from typing import Any, Final

import structlog
from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base.constants import AuthError, AuthProcess
from allauth.socialaccount.providers.discord import provider as library
from allauth.socialaccount.providers.discord import views
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest

from accounts.discord import answers, offers, wire
from accounts.discord.services import discord_rename, link_of
from accounts.discord.told import confirmed_address, name_of
from accounts.models import User
from accounts.models.discord import ID_FORM
from accounts.names.validators import USERNAME_MAX_LENGTH, USERNAME_MIN_LENGTH
from accounts.signin.addresses import address_is_taken

log = structlog.get_logger(__name__)

# Of what Discord tells, this is kept until the account is made.
_READ: Final = ("id", "username", "email", "verified")
_PROPOSALS: Final = 8


class DiscordOAuth2Adapter(views.DiscordOAuth2Adapter):
    """Where Discord is, and how it is asked: as the settings say."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self.authorize_url = f"{offers.origin()}/oauth2/authorize"

    def get_access_token_data(
        self, request: HttpRequest, app: Any, client: Any, pkce_code_verifier: str | None = None
    ) -> dict[str, Any]:
        """Trade the code in. Raises OAuth2Error."""
        form = {
            "grant_type": "authorization_code",
            "code": request.GET.get("code", ""),
            "redirect_uri": client.callback_url,
            "client_id": app.client_id,
            "client_secret": app.secret,
            "code_verifier": pkce_code_verifier or "",
        }
        answer = _asked("POST", "/oauth2/token", form=form)
        if not isinstance(answer.get("access_token"), str):
            raise OAuth2Error("no token")
        return {"access_token": answer["access_token"]}

    def complete_login(
        self, request: HttpRequest, app: Any, token: Any, **_answer: Any
    ) -> SocialLogin:
        """Ask who it is, and forget the token. Raises OAuth2Error."""
        told = _asked("GET", "/users/@me", headers={"Authorization": f"Bearer {token.token}"})
        token.token = ""
        if not re.fullmatch(ID_FORM, str(told.get("id"))) or not told.get("username"):
            raise OAuth2Error("nobody")
        read = {name: told[name] for name in _READ if told.get(name) is not None}
        return self.get_provider().sociallogin_from_response(request, read)


def _asked(method: str, path: str, **more: Any) -> dict[str, Any]:
    try:
        return wire.ask(method, path, **more)
    except wire.DiscordSilent as error:
        raise OAuth2Error(str(error)) from error


class DiscordProvider(library.DiscordProvider):
    """Discord, with the scopes that the site needs and no others, whatever an address asks for."""

    oauth2_adapter_class = DiscordOAuth2Adapter


class SocialAdapter(DefaultSocialAccountAdapter):
    """Whose a Discord account is, and who may come in by it."""

    def get_provider(
        self, request: HttpRequest, provider: str, client_id: str | None = None
    ) -> DiscordProvider:
        """Discord, by the application of the settings. Raises Http404 where there is none."""
        if provider != DiscordProvider.id or not offers.is_offered():
            raise Http404("There is no such way to sign in.")
        app = SocialApp(
            provider=DiscordProvider.id,
            name=DiscordProvider.name,
            client_id=settings.GAUNTLET_DISCORD_CLIENT_ID,
            secret=settings.GAUNTLET_DISCORD_CLIENT_SECRET,
        )
        return DiscordProvider(request, app=app)

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Find out who has come back from Discord; raises ImmediateHttpResponse where that is
        answered with something else than signing in or registering."""
        # It would be kept in the session until the account is made.
        sociallogin.token = None
        if sociallogin.state.get("process") == AuthProcess.CONNECT:
            raise ImmediateHttpResponse(answers.come_back_to_link(request, sociallogin))
        if isinstance(request.user, User):
            raise ImmediateHttpResponse(answers.signed_in_already(request, sociallogin))
        link = link_of(sociallogin.account.uid)
        if link is not None:
            discord_rename(discord_id=link.discord_id, discord_name=name_of(sociallogin))
            sociallogin.user = link.user
        elif address_is_taken(confirmed_address(sociallogin)):
            raise ImmediateHttpResponse(answers.address_is_taken_page(request))

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: Any = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        """Lead somebody who has thought better of it back to where they came from."""
        if error == AuthError.CANCELLED:
            state = (extra_context or {}).get("state") or {}
            raise ImmediateHttpResponse(answers.come_back_without(request, state))
        log.warning("discord.sign_in_failed", why=str(exception or "no state"))

    def get_signup_form_initial_data(self, sociallogin: SocialLogin) -> dict[str, str]:
        """The address, and a name that would be taken."""
        return {
            "email": str(sociallogin.account.extra_data.get("email", "")).lower(),
            "username": proposed_username(name_of(sociallogin)),
        }


def proposed_username(name: str) -> str:
    """A username like a name at Discord that can be registered here; empty where none was found:
    names that look like the house's, or like somebody's, are for nobody."""
    plain = re.sub(r"[^a-z0-9_-]+", "_", name.lower()).strip("_-")[:USERNAME_MAX_LENGTH]
    if len(plain) < USERNAME_MIN_LENGTH:
        return ""
    for number in range(1, _PROPOSALS + 1):
        end = "" if number == 1 else str(number)
        proposal = plain[: USERNAME_MAX_LENGTH - len(end)] + end
        try:
            found: str = get_account_adapter().clean_username(proposal)
        except ValidationError:
            continue
        return found
    return ""
