"""Addresses of what bots ask for."""

from django.urls import path

from games.bots.api import EventsView, HintsView, MatchStreamView

urlpatterns = [
    path("me/events/", EventsView.as_view(), name="events_stream"),
    path("matches/<int:match_id>/stream/", MatchStreamView.as_view(), name="match_stream"),
    path("matches/<int:match_id>/hints/", HintsView.as_view(), name="match_hints"),
]
