"""Addresses below /accounts/second-factor/: the sign-in library's pages, by its names. None may be
kept by anybody: they show secrets, or what stands of them. Those that show a secret or change
something ask first that somebody shows that it is they, as all pages of accounts do: the library
itself would let those through who have neither password nor factor."""

from __future__ import annotations

from functools import wraps
from typing import Any

from allauth.account.internal.stagekit import get_pending_stage
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import views as base
from allauth.mfa.recovery_codes import views as recovery
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django.views.generic import RedirectView

from accounts.addresses import gave_unconfirmed_address
from accounts.models import User
from accounts.signin.guessing import answered, is_refused_as_too_often, limited_here
from accounts.signin.recent import recently_confirmed
from accounts.signin.waiting import sign_in_anew, sign_in_stands


class Index(base.IndexView):
    """What somebody has, and what they may set up."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """With what is still in the way."""
        known: dict[str, Any] = super().get_context_data(**kwargs)
        return known | {"must_confirm_address": _must_confirm_address(self.request.user)}


class StepByCode(base.AuthenticateView):
    """The second step of signing in. Too many tries are answered 429."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """For those whose first step still lets them in; no code of others' is used up."""
        stage = get_pending_stage(request)
        if stage is not None and not sign_in_stands(request, stage.login.user):
            return sign_in_anew(request)
        answer: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return answer

    def form_invalid(self, form: Any) -> HttpResponse:
        """Show what was refused, and say how long."""
        return answered(form, super().form_invalid(form))


class ConfirmByCode(base.ReauthenticateView):
    """The same of confirming that it is you."""

    def form_invalid(self, form: Any) -> HttpResponse:
        """Show what was refused, and say how long."""
        return answered(form, super().form_invalid(form))


class ConfirmByPasskey(webauthn.ReauthenticateWebAuthnView):
    """The library's, but whoever has shown a wrong passkey tries again here, and not at the front
    door: they are signed in."""

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """With the form that was refused, which the library drops."""
        known: dict[str, Any] = super().get_context_data(**more)
        return known | more

    def form_invalid(self, form: Any) -> HttpResponse:
        """Say so, and ask once more; or how long to wait."""
        if is_refused_as_too_often(form):
            return answered(form, self.render_to_response(self.get_context_data(form=form)))
        for sentence in form.non_field_errors():
            messages.error(self.request, sentence)
        return redirect(self.passthrough_next_url(self.request.path))


class SetUpApp(totp.ActivateTOTPView):
    """Setting up an app. Too many codes are answered 429."""

    def form_invalid(self, form: Any) -> HttpResponse:
        """Show what was refused, and say how long."""
        return answered(form, super().form_invalid(form))


def _must_confirm_address(user: Any) -> bool:
    # Whoever registers with somebody else's address would keep them from it for good: a new
    # password by mail does not lead around a second factor. An administrator was made one by those
    # who run the site, and must be able to come in while no mail goes out.
    return isinstance(user, User) and not user.is_superuser and gave_unconfirmed_address(user)


def _with_confirmed_address(view: Any) -> Any:
    """A view for those whose address is theirs as far as it is known. All others are told on the
    page that leads here."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if _must_confirm_address(request.user):
            sentence = get_adapter().error_messages["unverified_email"]
            messages.warning(request, sentence)
            return redirect("mfa_index")
        answer: HttpResponseBase = view(request, *args, **kwargs)
        return answer

    return wrapped


def _page(route: str, view: Any, name: str) -> URLPattern:
    pattern: URLPattern = path(route, never_cache(view), name=name)
    return pattern


def _guarded(route: str, view: Any, name: str) -> URLPattern:
    return _page(route, recently_confirmed(view), name)


_limited = limited_here("reauthenticate_here")

urlpatterns = [
    _page("", login_required(Index.as_view()), "mfa_index"),
    _page("sign-in/", StepByCode.as_view(), "mfa_authenticate"),
    _page("is-it-you/", _limited(ConfirmByCode.as_view()), "mfa_reauthenticate"),
    _guarded("app/", _with_confirmed_address(SetUpApp.as_view()), "mfa_activate_totp"),
    _guarded("app/remove/", totp.deactivate_totp, "mfa_deactivate_totp"),
    _guarded("codes/", recovery.view_recovery_codes, "mfa_view_recovery_codes"),
    _guarded("codes/new/", recovery.generate_recovery_codes, "mfa_generate_recovery_codes"),
    _guarded("codes/download/", recovery.download_recovery_codes, "mfa_download_recovery_codes"),
    # The library's own list: ours stands on the first page.
    _page(
        "passkeys/",
        RedirectView.as_view(
            pattern_name="mfa_index", permanent=False, http_method_names=["get", "head"]
        ),
        "mfa_list_webauthn",
    ),
    _guarded("passkeys/add/", _with_confirmed_address(webauthn.add_webauthn), "mfa_add_webauthn"),
    _page("passkeys/sign-in/", webauthn.login_webauthn, "mfa_login_webauthn"),
    _page(
        "passkeys/is-it-you/",
        _limited(ConfirmByPasskey.as_view()),
        "mfa_reauthenticate_webauthn",
    ),
    _guarded("passkeys/<int:pk>/", webauthn.edit_webauthn, "mfa_edit_webauthn"),
    _guarded("passkeys/<int:pk>/remove/", webauthn.remove_webauthn, "mfa_remove_webauthn"),
]  # fmt: skip
