"""Addresses of the HTTP API, version 1: what the apps have to offer, under one name space.

Each app lists its own in `<app>/api/urls.py`, without an `app_name`: they are all `api:<name>`.
"""

from django.urls import include, path

from core.api.index import IndexView, SchemaView

app_name = "api"

urlpatterns = [
    path("", IndexView.as_view(), name="index"),
    path("openapi.json", SchemaView.as_view(), name="schema"),
    path("", include("accounts.api.urls")),
    path("", include("games.api.urls")),
    path("", include("tournaments.api.urls")),
]
