"""Addresses of seasons in the API."""

from django.urls import path

from tournaments.api import organise, views, webhooks

_SEASON = "seasons/<slug:slug>/"
_WEBHOOK = f"{_SEASON}webhooks/<int:webhook_id>/"
_DEATH_MATCH = "death-matches/<int:death_match_id>/"

urlpatterns = [
    path("items/", views.CatalogueView.as_view(), name="items"),
    path("seasons/", organise.SeasonsView.as_view(), name="seasons"),
    path(_SEASON, organise.SeasonView.as_view(), name="season"),
    path(f"{_SEASON}preflight/", organise.PreflightView.as_view(), name="season_preflight"),
    path(f"{_SEASON}steps/", organise.StepsView.as_view(), name="season_steps"),
    path(f"{_SEASON}contestants/", organise.ContestantsView.as_view(), name="season_contestants"),
    path(
        f"{_SEASON}contestants/<int:contestant_id>/withdraw/",
        organise.WithdrawView.as_view(),
        name="contestant_withdraw",
    ),
    path(
        f"{_SEASON}contestants/<int:contestant_id>/return/",
        organise.ReturnView.as_view(),
        name="contestant_return",
    ),
    path(
        f"{_SEASON}contestants/<int:contestant_id>/replace/",
        organise.ReplaceView.as_view(),
        name="contestant_replace",
    ),
    path(f"{_SEASON}seeds/", organise.SeedsView.as_view(), name="season_seeds"),
    path(f"{_SEASON}standings/", views.StandingsView.as_view(), name="season_standings"),
    path(f"{_SEASON}bracket/", views.BracketView.as_view(), name="season_bracket"),
    path(
        f"{_SEASON}leaderboard/", views.SeasonLeaderboardView.as_view(), name="season_leaderboard"
    ),
    path(f"{_SEASON}rounds/", organise.RoundsView.as_view(), name="season_rounds"),
    path(
        f"{_SEASON}rounds/<int:number>/schedule/",
        organise.ScheduleView.as_view(),
        name="season_round_schedule",
    ),
    path(
        f"{_SEASON}rounds/<int:number>/placements/",
        organise.PlacementsView.as_view(),
        name="episode_placements",
    ),
    path(f"{_SEASON}rounds/<int:number>/dmo/", organise.ChoiceView.as_view(), name="episode_dmo"),
    path(f"{_SEASON}items/", organise.GiftsView.as_view(), name="season_items"),
    path(
        f"{_SEASON}items/<int:gift_id>/take-back/",
        organise.TakeBackView.as_view(),
        name="season_item_take_back",
    ),
    path(f"{_SEASON}events/", views.EventsView.as_view(), name="season_events"),
    path("death-matches/", views.DeathMatchesView.as_view(), name="death_matches"),
    path(_DEATH_MATCH, organise.DeathMatchView.as_view(), name="death_match"),
    path(f"{_DEATH_MATCH}result/", organise.ResultView.as_view(), name="death_match_result"),
    path(
        f"{_DEATH_MATCH}legs/<int:number>/replay/",
        organise.ReplayView.as_view(),
        name="leg_replay",
    ),
    path(
        f"{_DEATH_MATCH}legs/<int:number>/ready/", organise.LegReadyView.as_view(), name="leg_ready"
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
