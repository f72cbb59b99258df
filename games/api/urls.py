"""Addresses of games in the API."""

from django.urls import include, path

from games.api.challenges import (
    ChallengeAcceptView,
    ChallengeCancelView,
    ChallengeDeclineView,
    ChallengesView,
    ChallengeView,
    InviteAcceptView,
    InviteView,
    RematchView,
)
from games.api.commentary import CommentaryView, CommentatorView
from games.api.featured import FeaturedView, MatchFeaturedView
from games.api.hosting import (
    HostedAcceptView,
    HostedCancelView,
    HostedDeclineView,
    HostedMatchesView,
    HostedMatchView,
)
from games.api.lessons import LessonAnswerView, LessonView
from games.api.lists import MatchChatView, MatchesView, MatchLogView
from games.api.plans import PlanView
from games.api.practice import AdviceView, PracticeView, TakeBackView
from games.api.predictions import PredictionsView
from games.api.rulesets import RulesetsView, RulesetView
from games.api.saved import SavedMovesView, SavedMoveView
from games.api.seeks import SeekView
from games.api.studies import StudiedPositionView, StudyCommentsView, StudyView
from games.api.views import MatchView, ReadyView, RecordView, SubmissionsView
from games.puzzles.api import (
    DailyPuzzleView,
    PuzzleAnswersView,
    PuzzleSolutionView,
    PuzzlesView,
    PuzzleView,
)
from games.ratings.api import LeaderboardsView, LeaderboardView

urlpatterns = [
    path("rulesets/", RulesetsView.as_view(), name="rulesets"),
    path("rulesets/<slug:ruleset_id>/", RulesetView.as_view(), name="ruleset"),
    path(
        "rulesets/<slug:ruleset_id>/variants/<slug:variant_id>/lesson/",
        LessonView.as_view(),
        name="lesson",
    ),
    path(
        "rulesets/<slug:ruleset_id>/variants/<slug:variant_id>/lesson/<int:number>/",
        LessonAnswerView.as_view(),
        name="lesson_answer",
    ),
    path("matches/", MatchesView.as_view(), name="matches"),
    path("matches/<int:match_id>/", MatchView.as_view(), name="match"),
    path("matches/<int:match_id>/submissions/", SubmissionsView.as_view(), name="submissions"),
    path("matches/<int:match_id>/ready/", ReadyView.as_view(), name="ready"),
    path("matches/<int:match_id>/record/", RecordView.as_view(), name="record"),
    path("matches/<int:match_id>/plan/", PlanView.as_view(), name="plan"),
    path("matches/<int:match_id>/featured/", MatchFeaturedView.as_view(), name="match_featured"),
    path("featured/", FeaturedView.as_view(), name="featured"),
    path("matches/<int:match_id>/log/", MatchLogView.as_view(), name="match_log"),
    path("matches/<int:match_id>/chat/", MatchChatView.as_view(), name="match_chat"),
    path("matches/<int:match_id>/commentary/", CommentaryView.as_view(), name="commentary"),
    path(
        "matches/<int:match_id>/commentary/<slug:username>/",
        CommentatorView.as_view(),
        name="commentator",
    ),
    path("matches/<int:match_id>/predictions/", PredictionsView.as_view(), name="predictions"),
    path("practice/", PracticeView.as_view(), name="practice"),
    path("matches/<int:match_id>/advice/", AdviceView.as_view(), name="advice"),
    path("matches/<int:match_id>/take-back/", TakeBackView.as_view(), name="take_back"),
    path("matches/<int:match_id>/study/", StudyView.as_view(), name="study"),
    path(
        "matches/<int:match_id>/study/position/",
        StudiedPositionView.as_view(),
        name="study_position",
    ),
    path(
        "matches/<int:match_id>/study/comments/",
        StudyCommentsView.as_view(),
        name="study_comments",
    ),
    path("challenges/", ChallengesView.as_view(), name="challenges"),
    path("challenges/<int:pk>/", ChallengeView.as_view(), name="challenge"),
    path("challenges/<int:pk>/accept/", ChallengeAcceptView.as_view(), name="challenge_accept"),
    path("challenges/<int:pk>/decline/", ChallengeDeclineView.as_view(), name="challenge_decline"),
    path("challenges/<int:pk>/cancel/", ChallengeCancelView.as_view(), name="challenge_cancel"),
    path("hosted/", HostedMatchesView.as_view(), name="hosted_list"),
    path("hosted/<int:hosted_id>/", HostedMatchView.as_view(), name="hosted"),
    path("hosted/<int:hosted_id>/accept/", HostedAcceptView.as_view(), name="hosted_accept"),
    path("hosted/<int:hosted_id>/decline/", HostedDeclineView.as_view(), name="hosted_decline"),
    path("hosted/<int:hosted_id>/cancel/", HostedCancelView.as_view(), name="hosted_cancel"),
    path("invites/<slug:token>/", InviteView.as_view(), name="invite"),
    path("invites/<slug:token>/accept/", InviteAcceptView.as_view(), name="invite_accept"),
    path("matches/<int:match_id>/rematch/", RematchView.as_view(), name="rematch"),
    path("seek/", SeekView.as_view(), name="seek"),
    path("saved/<slug:ruleset>/", SavedMovesView.as_view(), name="saved"),
    path("saved/<slug:ruleset>/<int:saved_move_id>/", SavedMoveView.as_view(), name="saved_one"),
    path("puzzles/", PuzzlesView.as_view(), name="puzzles"),
    path("puzzles/daily/", DailyPuzzleView.as_view(), name="puzzle_daily"),
    path("puzzles/<int:puzzle_id>/", PuzzleView.as_view(), name="puzzle"),
    path("puzzles/<int:puzzle_id>/answers/", PuzzleAnswersView.as_view(), name="puzzle_answers"),
    path("puzzles/<int:puzzle_id>/solution/", PuzzleSolutionView.as_view(), name="puzzle_solution"),
    path("", include("games.bots.urls")),
    path("leaderboards/", LeaderboardsView.as_view(), name="leaderboards"),
    path("leaderboards/<slug:ladder>/", LeaderboardView.as_view(), name="leaderboard"),
]
