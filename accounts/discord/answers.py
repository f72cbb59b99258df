"""Answers to people who come back from Discord, besides signing in and registering."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import structlog
from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.socialaccount.models import SocialLogin
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.discord import services
from accounts.discord.told import name_of
from accounts.models import User
from core.refusals import Refusal

log = structlog.get_logger("gauntlet.discord")


def address_is_taken_page(request: HttpRequest) -> HttpResponse:
    """The answer to somebody who comes from Discord for the first time, with an address that an
    account has: they prove by its password that it is theirs."""
    context = {"sentence": services.address_taken().sentence}
    return render(request, "accounts/discord_address_taken.html", context, status=409)


def signed_in_already(_request: HttpRequest, sociallogin: SocialLogin) -> HttpResponse:
    """The answer to somebody who comes back to sign in and has done so meanwhile."""
    return redirect(sociallogin.state.get("next") or "/")


def come_back_without(request: HttpRequest, state: dict[str, Any]) -> HttpResponse:
    """The answer to somebody who has told Discord not to let the site in."""
    messages.info(request, "You have not let us in at Discord, so nothing has changed.")
    if isinstance(request.user, User):
        return redirect("accounts:discord_settings")
    return redirect(_sign_in(state.get("next", "")))


def _sign_in(back: str) -> str:
    address = reverse("account_login")
    return f"{address}?{urlencode({'next': back})}" if back else address


def come_back_to_link(request: HttpRequest, sociallogin: SocialLogin) -> HttpResponse:
    """Link the Discord account that somebody has shown to be theirs, to the account that they had
    begun from."""
    asks = sociallogin.state.get("data") or {}
    if not isinstance(request.user, User) or request.user.pk != asks.get("user"):
        messages.error(request, "You have signed out meanwhile, so nothing was linked.")
        return redirect(_sign_in(reverse("accounts:discord_settings")))
    given = {"discord_id": sociallogin.account.uid, "discord_name": name_of(sociallogin)}
    try:
        if asks.get("key"):
            services.discord_link_finish(acting_user=request.user, key=asks["key"], **given)
        else:
            services.discord_link(acting_user=request.user, **given)
    except Refusal as refusal:
        messages.error(request, refusal.sentence)
    else:
        messages.success(request, f"{given['discord_name']} at Discord is linked.")
        tell_by_mail(request, "linked", given["discord_name"])
    return redirect("accounts:discord_settings")


def tell_by_mail(request: HttpRequest, what: str, name: str) -> None:
    """Write to somebody that a link was made or taken off. It is done, and stands in their
    settings, also where no mail can be handed on."""
    try:
        get_account_adapter(request).send_notification_mail(
            f"account/email/discord_{what}", request.user, {"name": name}
        )
    except OSError as error:
        log.warning("discord.not-told", of=what, error=type(error).__name__)
