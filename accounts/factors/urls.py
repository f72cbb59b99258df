"""Addresses below /accounts/second-factor/: the sign-in library's pages, by its names. None may be
kept by anybody: they show secrets, or what stands of them."""

from __future__ import annotations

from typing import Any

from allauth.mfa.base import views as base
from allauth.mfa.recovery_codes import views as recovery
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django.views.generic import RedirectView


def _page(route: str, view: Any, name: str) -> URLPattern:
    pattern: URLPattern = path(route, never_cache(view), name=name)
    return pattern


urlpatterns = [
    _page("", base.index, "mfa_index"),
    _page("sign-in/", base.authenticate, "mfa_authenticate"),
    _page("is-it-you/", base.reauthenticate, "mfa_reauthenticate"),
    _page("app/", totp.activate_totp, "mfa_activate_totp"),
    _page("app/remove/", totp.deactivate_totp, "mfa_deactivate_totp"),
    _page("codes/", recovery.view_recovery_codes, "mfa_view_recovery_codes"),
    _page("codes/new/", recovery.generate_recovery_codes, "mfa_generate_recovery_codes"),
    _page("codes/download/", recovery.download_recovery_codes, "mfa_download_recovery_codes"),
    # The library's own list: ours stands on the first page.
    _page(
        "passkeys/",
        RedirectView.as_view(
            pattern_name="mfa_index", permanent=False, http_method_names=["get", "head"]
        ),
        "mfa_list_webauthn",
    ),
    _page("passkeys/add/", webauthn.add_webauthn, "mfa_add_webauthn"),
    _page("passkeys/sign-in/", webauthn.login_webauthn, "mfa_login_webauthn"),
    _page(
        "passkeys/is-it-you/", webauthn.reauthenticate_webauthn, "mfa_reauthenticate_webauthn"
    ),
    _page("passkeys/<int:pk>/", webauthn.edit_webauthn, "mfa_edit_webauthn"),
    _page("passkeys/<int:pk>/remove/", webauthn.remove_webauthn, "mfa_remove_webauthn"),
]  # fmt: skip
