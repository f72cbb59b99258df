"""Addresses under /accounts/ that are ours rather than the sign-in library's.

`signup/` stands before the library's own and takes its place; `/u/<name>/` is mounted at the root.
"""

from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("settings/", views.settings_page, name="settings"),
    path("preferences/", views.preferences_page, name="preferences"),
]
