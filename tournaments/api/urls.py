"""Addresses of seasons in the API."""

from django.urls import path

from tournaments.api import follows, predictions, views, webhooks
from tournaments.api.organise import contestants, deathmatches, episodes, items, rounds, seasons

_SEASON = "seasons/<slug:slug>/"
_WEBHOOK = f"{_SEASON}webhooks/<int:webhook_id>/"
_DEATH_MATCH = "death-matches/<int:death_match_id>/"

urlpatterns = [
    path("follows/", follows.FollowsView.as_view(), name="follows"),
    path(f"{_SEASON}follow/", follows.FollowView.as_view(), name="season_follow"),
    path("items/", views.CatalogueView.as_view(), name="items"),
    path("seasons/", seasons.SeasonsView.as_view(), name="seasons"),
    path(_SEASON, seasons.SeasonView.as_view(), name="season"),
    path(f"{_SEASON}preflight/", seasons.PreflightView.as_view(), name="season_preflight"),
    path(f"{_SEASON}steps/", seasons.StepsView.as_view(), name="season_steps"),
    path(
        f"{_SEASON}contestants/", contestants.ContestantsView.as_view(), name="season_contestants"
    ),
    path(
        f"{_SEASON}contestants/<int:contestant_id>/withdraw/",
        contestants.WithdrawView.as_view(),
        name="contestant_withdraw",
    ),
    path(
        f"{_SEASON}contestants/<int:contestant_id>/return/",
        contestants.ReturnView.as_view(),
        name="contestant_return",
    ),
    path(
        f"{_SEASON}contestants/<int:contestant_id>/replace/",
        contestants.ReplaceView.as_view(),
        name="contestant_replace",
    ),
    path(f"{_SEASON}seeds/", contestants.SeedsView.as_view(), name="season_seeds"),
    path(f"{_SEASON}standings/", views.StandingsView.as_view(), name="season_standings"),
    path(f"{_SEASON}bracket/", views.BracketView.as_view(), name="season_bracket"),
    path(
        f"{_SEASON}leaderboard/", views.SeasonLeaderboardView.as_view(), name="season_leaderboard"
    ),
    path(
        f"{_SEASON}predictions/",
        predictions.SeasonPredictionsView.as_view(),
        name="season_predictions",
    ),
    path(f"{_SEASON}rounds/", rounds.RoundsView.as_view(), name="season_rounds"),
    path(
        f"{_SEASON}rounds/<int:number>/schedule/",
        rounds.ScheduleView.as_view(),
        name="season_round_schedule",
    ),
    path(
        f"{_SEASON}rounds/<int:number>/placements/",
        episodes.PlacementsView.as_view(),
        name="episode_placements",
    ),
    path(f"{_SEASON}rounds/<int:number>/dmo/", episodes.ChoiceView.as_view(), name="episode_dmo"),
    path(f"{_SEASON}items/", items.GiftsView.as_view(), name="season_items"),
    path(
        f"{_SEASON}items/<int:gift_id>/take-back/",
        items.TakeBackView.as_view(),
        name="season_item_take_back",
    ),
    path(f"{_SEASON}events/", views.EventsView.as_view(), name="season_events"),
    path("death-matches/", views.DeathMatchesView.as_view(), name="death_matches"),
    path(_DEATH_MATCH, deathmatches.DeathMatchView.as_view(), name="death_match"),
    path(f"{_DEATH_MATCH}result/", deathmatches.ResultView.as_view(), name="death_match_result"),
    path(
        f"{_DEATH_MATCH}legs/<int:number>/replay/",
        deathmatches.ReplayView.as_view(),
        name="leg_replay",
    ),
    path(
        f"{_DEATH_MATCH}legs/<int:number>/ready/",
        deathmatches.LegReadyView.as_view(),
        name="leg_ready",
    ),
    path(f"{_SEASON}webhooks/", webhooks.WebhooksView.as_view(), name="webhooks"),
    path(_WEBHOOK, webhooks.WebhookView.as_view(), name="webhook"),
    path(f"{_WEBHOOK}secret/", webhooks.WebhookSecretView.as_view(), name="webhook_secret"),
    path(f"{_WEBHOOK}test/", webhooks.WebhookTestView.as_view(), name="webhook_test"),
    path(f"{_WEBHOOK}deliveries/", webhooks.DeliveriesView.as_view(), name="webhook_deliveries"),
    path(
        f"{_WEBHOOK}deliveries/<int:delivery_id>/redeliver/",
        webhooks.RedeliverView.as_view(),
        name="webhook_redeliver",
    ),
    path(f"{_SEASON}records/", views.RecordsView.as_view(), name="season_records"),
]
