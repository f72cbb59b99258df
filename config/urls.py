"""Addresses of the site."""

from allauth.account.views import PasswordSetView
from django.contrib import admin
from django.urls import include, path, re_path

from accounts.discord.offers import leads_to_discord
from accounts.signin.guessing import limited_here
from accounts.signin.recent import recently_confirmed
from accounts.views import (
    ChangePasswordView,
    LoginView,
    ReauthenticateView,
    ResetPasswordView,
    SignupView,
    closed_page,
    email_page,
    profile_page,
)
from config.favicon import favicon
from config.health import healthz, readyz
from config.installed import offline, service_worker
from config.violations import reports
from config.well_known import change_password, robots_txt, security, security_txt
from core.api.pages import developers
from tournaments.dumps.views import season_records_file

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("favicon.ico", favicon, name="favicon"),
    path("service-worker.js", service_worker, name="service_worker"),
    path("offline/", offline, name="offline"),
    path("csp-reports/", reports, name="csp_reports"),
    path("robots.txt", robots_txt, name="robots_txt"),
    path(".well-known/security.txt", security_txt, name="security_txt"),
    path(".well-known/change-password", change_password, name="change_password"),
    path("security/", security, name="security"),
    path("accounts/", include("accounts.urls")),
    # Before the library's own, whose place it takes.
    path("accounts/login/", leads_to_discord(LoginView.as_view()), name="account_login"),
    path("accounts/signup/", leads_to_discord(SignupView.as_view()), name="account_signup"),
    path("accounts/email/", email_page, name="account_email"),
    path(
        "accounts/password/set/",
        limited_here("change_password_here")(recently_confirmed(PasswordSetView.as_view())),
        name="account_set_password",
    ),
    path(
        "accounts/password/change/",
        limited_here("change_password_here")(ChangePasswordView.as_view()),
        name="account_change_password",
    ),
    re_path(
        r"^accounts/password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        ResetPasswordView.as_view(),
        name="account_reset_password_from_key",
    ),
    path(
        "accounts/reauthenticate/",
        limited_here("reauthenticate_here")(ReauthenticateView.as_view()),
        name="account_reauthenticate",
    ),
    path("accounts/inactive/", closed_page, name="account_inactive"),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/second-factor/", include("accounts.factors.urls")),
    path("accounts/discord/", include("accounts.discord.urls")),
    path("api/v1/", include("config.api_urls")),
    path("api/", developers, name="developers"),
    path("", include("accounts.oauth.urls")),
    path("admin/", admin.site.urls),
    re_path(r"^u/(?P<username>[A-Za-z0-9_-]{3,20})/$", profile_page, name="profile"),
    path("seasons/<slug:slug>/webhooks/", include("tournaments.webhooks.urls")),
    path("seasons/<slug:slug>/discord/", include("tournaments.posts.urls")),
    path("seasons/<slug:slug>/records.ndjson", season_records_file, name="season_records"),
    path("seasons/", include("tournaments.urls")),
    path("embed/", include("tournaments.embed_urls")),
    path("exports/", include("tournaments.dumps.urls")),
    path("discord/", include("tournaments.discord.urls")),
    path("", include("games.urls")),
]

handler400 = "config.errors.bad_request"
handler403 = "config.errors.forbidden"
handler404 = "config.errors.not_found"
# Asked by the sign-in library; Django itself knows no such handler.
handler429 = "accounts.views.too_many_requests"
handler500 = "config.errors.server_error"
