"""Addresses of what can be shown of a season within other sites' pages."""

from django.urls import path

from tournaments.views import embeds

app_name = "embeds"

urlpatterns = [
    path("seasons/<slug:slug>/standings/", embeds.standings, name="standings"),
    path("seasons/<slug:slug>/bracket/", embeds.bracket, name="bracket"),
    path("seasons/<slug:slug>/matches/", embeds.matches, name="matches"),
]
