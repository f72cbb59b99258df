"""Addresses of the seasons' pages."""

from django.urls import URLPattern, URLResolver, include, path

from tournaments.dumps.views import season_records_file

app_name = "tournaments"

urlpatterns: list[URLPattern | URLResolver] = [
    path("<slug:slug>/webhooks/", include("tournaments.webhooks.urls")),
    path("<slug:slug>/records.ndjson", season_records_file, name="records"),
]
