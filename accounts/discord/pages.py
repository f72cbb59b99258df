"""Pages around Discord: signing in by it, registering, linking and unlinking, and what is read."""

from __future__ import annotations

from typing import Any, Final

from allauth.core.internal import ratelimit
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.internal.flows.signup import (
    clear_pending_signup,
    complete_social_signup,
)
from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.views import SignupView as LibrarySignupView
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.discord import services
from accounts.discord.answers import may_confirm
from accounts.discord.library import DiscordOAuth2Adapter, DiscordProvider
from accounts.discord.offers import leads_to_discord, where_offered
from accounts.discord.told import name_of
from accounts.models import DiscordLink, User
from accounts.signin.recent import ask_to_confirm, recently_confirmed
from core.refusals import Refusal

# What linking needs to know of somebody is who they are.
_LINKING: Final = ["identify"]


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101  (login_required; for the type checker)
    return request.user


# -- there and back --------------------------------------------------------------------------------


@never_cache
@where_offered
@require_POST
def login_page(request: HttpRequest) -> HttpResponse:
    """Send somebody to Discord, to sign in or register by it."""
    if isinstance(request.user, User):
        return redirect(_local(request, request.POST.get("next", "")) or "/")
    # Who has let the site in before need not do so again.
    return _to_discord(request, AuthProcess.LOGIN, prompt="none")


@never_cache
@where_offered
@login_required
@require_POST
@recently_confirmed(back="accounts:discord_settings")
def link_page(request: HttpRequest) -> HttpResponse:
    """Send somebody to Discord, to show which account they have there."""
    return _to_link(request)


@never_cache
@where_offered
@leads_to_discord
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_page(request: HttpRequest) -> HttpResponse:
    """Ask somebody who signs in by Discord alone to show there once more that it is they."""
    person = _person(request)
    link = DiscordLink.objects.filter(user=person).first()
    back = _local(request, request.POST.get("next") or request.GET.get("next", ""))
    if link is None or not may_confirm(request):
        # They have something better to show, or nothing at all.
        return ask_to_confirm(request, page=back or reverse("accounts:discord_settings"))
    if request.method == "POST":
        asks = {"user": person.pk, "confirms": True}
        return _to_discord(
            request, AuthProcess.CONNECT, prompt="consent", scope=_LINKING, data=asks, back=back
        )
    context = {"link": link, "next": back}
    return render(request, "accounts/discord_confirm.html", context)


def _to_link(request: HttpRequest, key: str = "") -> HttpResponse:
    asks = {"user": _person(request).pk, "key": key}
    return _to_discord(request, AuthProcess.CONNECT, prompt="consent", scope=_LINKING, data=asks)


def _to_discord(
    request: HttpRequest,
    process: str,
    *,
    prompt: str,
    scope: list[str] | None = None,
    data: dict[str, Any] | None = None,
    back: str = "",
) -> HttpResponse:
    """``back``: where they go on; empty: where the form says."""
    if not ratelimit.consume(request, app="allauth.account", action="discord"):
        refused: HttpResponse = ratelimit.respond_429(request)
        return refused
    back = back or _local(request, request.POST.get("next", ""))
    sent: HttpResponse = (
        get_adapter(request)
        .get_provider(request, DiscordProvider.id)
        .redirect(request, process, back, data, scope=scope, auth_params={"prompt": prompt})
    )
    return sent


def _local(request: HttpRequest, address: str) -> str:
    """An address of this site; empty for anything else."""
    allowed = url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return address if allowed else ""


callback_page = never_cache(
    where_offered(require_safe(OAuth2CallbackView.adapter_view(DiscordOAuth2Adapter)))
)


# -- registering -----------------------------------------------------------------------------------


class SignupView(LibrarySignupView):
    """Choosing a name, after coming from Discord for the first time."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Within the limits of registering."""
        if not ratelimit.consume(request, app="allauth.account", action="signup"):
            refused: HttpResponse = ratelimit.respond_429(request)
            return refused
        answer: HttpResponse = super().post(request, *args, **kwargs)
        return answer

    def form_valid(self, form: Any) -> HttpResponse:
        """Create the account and sign its owner in, or show what the service refused."""
        try:
            form.try_save(self.request)
        except ValidationError:
            again: HttpResponse = self.form_invalid(form)
            return again
        clear_pending_signup(self.request)
        done: HttpResponse = complete_social_signup(self.request, self.sociallogin)
        return done

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """With what they are called at Discord."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"discord_name": name_of(self.sociallogin)}

    def get_authenticated_redirect_url(self) -> str:
        """Where somebody goes who is signed in and has no business here."""
        return reverse("accounts:discord_settings")


signup_page = never_cache(where_offered(SignupView.as_view()))


# -- what is read, and settings --------------------------------------------------------------------


@where_offered
@require_safe
def about_page(request: HttpRequest) -> HttpResponse:
    """Say what is read from Discord, what for, and what others see of it."""
    return render(request, "accounts/discord.html")


@never_cache
@where_offered
@leads_to_discord
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settings_page(request: HttpRequest) -> HttpResponse:
    """Show which Discord account is linked to one's own, and choose whether it is mentioned, and
    found by its name."""
    person = _person(request)
    if request.method == "POST":
        try:
            services.discord_mentions_set(
                acting_user=person, mentions=request.POST.get("mentions") == "on"
            )
            services.discord_found_set(
                acting_user=person, found_by_name=request.POST.get("found_by_name") == "on"
            )
        except Refusal as refusal:
            messages.error(request, refusal.sentence)
        else:
            messages.success(request, "Your choice is kept.")
        return redirect("accounts:discord_settings")
    link = DiscordLink.objects.filter(user=person).first()
    return render(request, "accounts/discord_settings.html", {"link": link})


@where_offered
@login_required
@require_POST
@recently_confirmed(back="accounts:discord_settings")
def unlink_page(request: HttpRequest) -> HttpResponse:
    """Take the link off one's account."""
    person = _person(request)
    try:
        services.discord_unlink(acting_user=person)
    except Refusal as refusal:
        messages.error(request, refusal.sentence)
        if refusal.code == "discord.no-password":
            return redirect("account_set_password")
    else:
        messages.success(request, "Discord is not linked to your account any more.")
    return redirect("accounts:discord_settings")


@never_cache
@where_offered
@leads_to_discord
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@recently_confirmed
def asked_page(request: HttpRequest, key: str) -> HttpResponse:
    """Ask somebody who was given an address in Discord whether to link their accounts; they show
    at Discord that it is theirs."""
    try:
        asked = services.link_asked(acting_user=_person(request), key=key)
    except Refusal as refusal:
        context = {"refused": refusal.sentence}
        return render(request, "accounts/discord_asked.html", context, status=refusal.status)
    if request.method == "POST":
        return _to_link(request, key)
    return render(request, "accounts/discord_asked.html", {"asked": asked})
