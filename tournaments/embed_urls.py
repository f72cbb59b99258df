"""Addresses of what can be shown of a season within other sites' pages."""

from django.urls import path

from tournaments.views import embeds

app_name = "embeds"

urlpatterns = [
    path("standings/", embeds.standings, name="standings"),
    path("bracket/", embeds.bracket, name="bracket"),
    path("matches/", embeds.matches, name="matches"),
]
