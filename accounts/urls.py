"""Addresses under /accounts/ that are ours rather than the sign-in library's.

`signup/` stands before the library's own and takes its place; `/u/<name>/` is mounted at the root.
"""

from django.urls import path

from accounts import views
from accounts.announcing.pages import (
    announcements_page,
    choices_page,
    device_remove_page,
    device_renew_page,
    device_set_page,
    device_test_page,
    direct_test_page,
)
from accounts.announcing.stopping import mail_stop_page
from accounts.blocking.pages import block_page, blocks_page, unblock_page
from accounts.discord.pages import (
    about_page,
    asked_page,
    confirm_page,
    link_page,
    settings_page,
    unlink_page,
)
from accounts.leaving.pages import data_page, deletion_page, export_page
from accounts.oauth.pages import (
    application_delete_page,
    applications_page,
    authorisation_revoke_page,
)
from accounts.signin.pages import session_end_page, sessions_end_page, sessions_page, undo_page
from accounts.tokens.pages import bot_page, token_revoke_page, tokens_page

app_name = "accounts"
urlpatterns = [
    path("settings/tokens/", tokens_page, name="tokens"),
    path("settings/tokens/<int:token_id>/revoke/", token_revoke_page, name="token_revoke"),
    path("settings/sessions/", sessions_page, name="sessions"),
    path("settings/sessions/end/", sessions_end_page, name="sessions_end"),
    path("settings/sessions/<int:session_id>/end/", session_end_page, name="session_end"),
    path("undo-change/<str:token>/", undo_page, name="undo"),
    path("settings/bot/", bot_page, name="bot"),
    path("settings/applications/", applications_page, name="applications"),
    path(
        "settings/applications/<int:application_id>/delete/",
        application_delete_page,
        name="application_delete",
    ),
    path(
        "settings/applications/<int:application_id>/revoke/",
        authorisation_revoke_page,
        name="authorisation_revoke",
    ),
    path("settings/blocked/", blocks_page, name="blocks"),
    path("block/<str:username>/", block_page, name="block"),
    path("unblock/<str:username>/", unblock_page, name="unblock"),
    path("settings/data/", data_page, name="data"),
    path("settings/data/export/", export_page, name="export"),
    path("settings/delete/", deletion_page, name="deletion"),
    path("settings/discord/", settings_page, name="discord_settings"),
    path("settings/discord/link/", link_page, name="discord_link"),
    path("settings/discord/confirm/", confirm_page, name="discord_confirm"),
    path("settings/discord/unlink/", unlink_page, name="discord_unlink"),
    path("discord/", about_page, name="discord"),
    path("discord/link/<str:key>/", asked_page, name="discord_asked"),
    path("settings/announcements/", choices_page, name="announcement_choices"),
    path("settings/announcements/discord/test/", direct_test_page, name="direct_test"),
    path("settings/devices/", device_set_page, name="device_set"),
    path("settings/devices/renew/", device_renew_page, name="device_renew"),
    path("settings/devices/<int:device_id>/remove/", device_remove_page, name="device_remove"),
    path("settings/devices/<int:device_id>/test/", device_test_page, name="device_test"),
    path("announcements/unsubscribe/<str:token>/", mail_stop_page, name="mail_stop"),
    path("announcements/", announcements_page, name="announcements"),
    path("settings/", views.settings_page, name="settings"),
    path("preferences/", views.preferences_page, name="preferences"),
    path("conduct/", views.conduct_page, name="conduct"),
    path(
        "conduct/<int:sanction_id>/acknowledge/", views.warning_acknowledge_view, name="acknowledge"
    ),
    path("conduct/<int:sanction_id>/appeal/", views.appeal_page, name="appeal"),
    path(
        "conduct/<int:sanction_id>/appeal/withdraw/",
        views.appeal_withdraw_view,
        name="appeal_withdraw",
    ),
    path("suspended/", views.suspended_page, name="suspended"),
    path("report/<str:target_type>/<str:target_id>/", views.report_new, name="report"),
]
