"""Answers to people who come back from Discord, besides signing in and registering."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import record_authentication
from allauth.socialaccount.models import SocialLogin
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.discord import services
from accounts.discord.told import name_of
from accounts.models import User
from accounts.signin.recent import ask_to_confirm
from core.refusals import Refusal

#: The page where somebody is asked to show at Discord that it is they.
CONFIRM: Final = "accounts:discord_confirm"


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
    back = state.get("next", "")
    if not isinstance(request.user, User):
        return redirect(_with_next("account_login", back))
    if (state.get("data") or {}).get("confirms"):
        return redirect(_with_next(CONFIRM, back))
    return redirect("accounts:discord_settings")


def _with_next(page: str, back: str) -> str:
    address = reverse(page)
    return f"{address}?{urlencode({'next': back})}" if back else address


def may_confirm(request: HttpRequest) -> bool:
    """Whether Discord is what somebody shows by that it is they: where they have a password or a
    second factor they show that, and Discord stands in for neither."""
    methods = get_adapter(request).get_reauthentication_methods(request.user)
    return CONFIRM in {method["id"] for method in methods}


def come_back_to_link(request: HttpRequest, sociallogin: SocialLogin) -> HttpResponse:
    """Link the Discord account that somebody has shown to be theirs, to the account that they had
    begun from."""
    asks = sociallogin.state.get("data") or {}
    if not isinstance(request.user, User) or request.user.pk != asks.get("user"):
        messages.error(request, "You have signed out meanwhile, so nothing was done.")
        back = sociallogin.state.get("next") if asks.get("confirms") else None
        return redirect(_with_next("account_login", back or reverse("accounts:discord_settings")))
    if asks.get("confirms"):
        return _confirmed(request, request.user, sociallogin)
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
    return redirect("accounts:discord_settings")


def _confirmed(request: HttpRequest, user: User, sociallogin: SocialLogin) -> HttpResponse:
    """Go on with what somebody had begun, if the Discord account is the one that is linked."""
    link = services.link_of(sociallogin.account.uid)
    back = sociallogin.state.get("next") or reverse("accounts:discord_settings")
    if link is None or link.user_id != user.pk:
        messages.error(request, "That Discord account is not the one that is linked to yours.")
        return redirect(_with_next(CONFIRM, back))
    if not may_confirm(request):
        # They have set up a second factor meanwhile, or a password.
        return ask_to_confirm(request, page=back)
    record_authentication(request, user, method="socialaccount", reauthenticated=True)
    return redirect(back)
