"""Addresses of the HTTP API."""

from django.urls import path

from games.api.views import MatchView, RecordView, SubmissionsView

app_name = "api"

urlpatterns = [
    path("matches/<int:match_id>/", MatchView.as_view(), name="match"),
    path("matches/<int:match_id>/submissions/", SubmissionsView.as_view(), name="submissions"),
    path("matches/<int:match_id>/record/", RecordView.as_view(), name="record"),
]
