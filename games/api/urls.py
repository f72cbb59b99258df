"""Addresses of games in the API."""

from django.urls import include, path

from games.api import refusals as _refusals  # noqa: F401  (registers them)
from games.api.saved import SavedMovesView, SavedMoveView
from games.api.views import MatchView, RecordView, SubmissionsView
from games.ratings.api import LeaderboardsView, LeaderboardView

urlpatterns = [
    path("matches/<int:match_id>/", MatchView.as_view(), name="match"),
    path("matches/<int:match_id>/submissions/", SubmissionsView.as_view(), name="submissions"),
    path("matches/<int:match_id>/record/", RecordView.as_view(), name="record"),
    path("saved/<slug:ruleset>/", SavedMovesView.as_view(), name="saved"),
    path("saved/<slug:ruleset>/<int:saved_move_id>/", SavedMoveView.as_view(), name="saved_one"),
    path("", include("games.bots.urls")),
    path("leaderboards/", LeaderboardsView.as_view(), name="leaderboards"),
    path("leaderboards/<slug:ladder>/", LeaderboardView.as_view(), name="leaderboard"),
]
