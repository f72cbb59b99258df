"""Addresses of what bots ask for."""

from django.urls import path

from games.bots.api import EventStreamView, HintsView, MatchStreamView

urlpatterns = [
    path("me/events/", EventStreamView.as_view(), name="events_stream"),
    path("matches/<int:match_id>/stream/", MatchStreamView.as_view(), name="match_stream"),
    path("matches/<int:match_id>/hints/", HintsView.as_view(), name="match_hints"),
]
