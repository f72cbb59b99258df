"""Addresses of games in the API."""

from django.urls import include, path

from games.api.challenges import (
    ChallengeAcceptView,
    ChallengeCancelView,
    ChallengeDeclineView,
    ChallengesView,
    ChallengeView,
)
from games.api.lists import MatchChatView, MatchesView, MatchLogView
from games.api.rulesets import RulesetsView, RulesetView
from games.api.saved import SavedMovesView, SavedMoveView
from games.api.seeks import SeekView
from games.api.views import MatchView, ReadyView, RecordView, SubmissionsView
from games.ratings.api import LeaderboardsView, LeaderboardView

urlpatterns = [
    path("rulesets/", RulesetsView.as_view(), name="rulesets"),
    path("rulesets/<slug:ruleset_id>/", RulesetView.as_view(), name="ruleset"),
    path("matches/", MatchesView.as_view(), name="matches"),
    path("matches/<int:match_id>/", MatchView.as_view(), name="match"),
    path("matches/<int:match_id>/submissions/", SubmissionsView.as_view(), name="submissions"),
    path("matches/<int:match_id>/ready/", ReadyView.as_view(), name="ready"),
    path("matches/<int:match_id>/record/", RecordView.as_view(), name="record"),
    path("matches/<int:match_id>/log/", MatchLogView.as_view(), name="match_log"),
    path("matches/<int:match_id>/chat/", MatchChatView.as_view(), name="match_chat"),
    path("challenges/", ChallengesView.as_view(), name="challenges"),
    path("challenges/<int:pk>/", ChallengeView.as_view(), name="challenge"),
    path("challenges/<int:pk>/accept/", ChallengeAcceptView.as_view(), name="challenge_accept"),
    path("challenges/<int:pk>/decline/", ChallengeDeclineView.as_view(), name="challenge_decline"),
    path("challenges/<int:pk>/cancel/", ChallengeCancelView.as_view(), name="challenge_cancel"),
    path("seek/", SeekView.as_view(), name="seek"),
    path("saved/<slug:ruleset>/", SavedMovesView.as_view(), name="saved"),
    path("saved/<slug:ruleset>/<int:saved_move_id>/", SavedMoveView.as_view(), name="saved_one"),
    path("", include("games.bots.urls")),
    path("leaderboards/", LeaderboardsView.as_view(), name="leaderboards"),
    path("leaderboards/<slug:ladder>/", LeaderboardView.as_view(), name="leaderboard"),
]
