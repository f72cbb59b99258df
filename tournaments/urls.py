"""Addresses of the seasons' pages."""

from django.urls import URLPattern, URLResolver, path

from tournaments.views import calendars, documents, players, public, ratings
from tournaments.views.desk import (
    challenges,
    death_matches,
    episodes,
    home,
    items,
    people,
    rounds,
)

app_name = "tournaments"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", public.seasons, name="seasons"),
    # A plus stands in no slug: no season can be in the way of these.
    path("+new/", home.season_new, name="season_new"),
    path("+import/", documents.restore, name="season_restore"),
    # What anybody reads.
    path("<slug:slug>/", public.season, name="season"),
    path("<slug:slug>/standings/", public.table, name="standings"),
    path("<slug:slug>/leaderboard/", ratings.leaderboard, name="leaderboard"),
    path("<slug:slug>/contestants/", public.contestants, name="contestants"),
    path("<slug:slug>/contestants/<int:pk>/calendar.ics", calendars.contestant_calendar,
         name="contestant_calendar"),
    path("<slug:slug>/schedule/", public.schedule, name="schedule"),
    path("<slug:slug>/calendar.ics", calendars.season_calendar, name="calendar"),
    path("<slug:slug>/results/", public.results, name="results"),
    path("<slug:slug>/rounds/<int:number>/", public.round_page, name="round"),
    path("<slug:slug>/items/", public.items, name="items"),
    path("<slug:slug>/history/", public.history, name="history"),
    path("<slug:slug>/rulings/", public.rulings, name="rulings"),
    path("<slug:slug>/share.png", public.share, name="share"),
    path("<slug:slug>/state.json", public.state, name="state"),
    path("<slug:slug>/matches/<int:pk>/", public.death_match, name="death_match"),
    path("<slug:slug>/matches/<int:pk>/share.png", public.death_match_share,
         name="death_match_share"),
    # What contestants do.
    path("<slug:slug>/join/", players.join, name="join"),
    path("<slug:slug>/invited/<slug:token>/", players.invited, name="invited"),
    path("<slug:slug>/withdraw/", players.withdraw, name="withdraw"),
    path("<slug:slug>/challenge/", players.challenge, name="challenge"),
    path("<slug:slug>/rounds/<int:number>/choose/", players.choose, name="choose"),
    path("<slug:slug>/matches/<int:pk>/rules/", players.rules, name="rules"),
    path("<slug:slug>/matches/<int:pk>/legs/<int:leg_id>/ready/", players.ready, name="ready"),
    path("<slug:slug>/matches/<int:pk>/legs/<int:leg_id>/items/", players.declare, name="declare"),
    path("<slug:slug>/items/give/", players.give, name="give"),
    # What organisers do.
    path("<slug:slug>/desk/", home.desk, name="desk"),
    path("<slug:slug>/desk/settings/", home.settings_page, name="settings"),
    path("<slug:slug>/desk/organisers/", people.organisers, name="organisers"),
    path("<slug:slug>/desk/invitations/", people.invitation_links, name="invitations"),
    path("<slug:slug>/desk/contestants/", people.roster, name="roster"),
    path("<slug:slug>/desk/contestants.csv", documents.contestants, name="contestants_file"),
    path("<slug:slug>/desk/contestants/<int:pk>/challenge/", challenges.challenge_enter,
         name="challenge_enter"),
    path("<slug:slug>/desk/contestants/<int:pk>/<slug:name>/", people.contestant_act,
         name="contestant_act"),
    path("<slug:slug>/desk/seeds/", people.seeds, name="seeds"),
    path("<slug:slug>/desk/steps/<slug:name>/", home.step, name="step"),
    path("<slug:slug>/desk/episode/", episodes.episode_new, name="episode"),
    path("<slug:slug>/desk/final/", episodes.final, name="final"),
    path("<slug:slug>/desk/pair/", rounds.pair, name="pair"),
    path("<slug:slug>/desk/pair/by-hand/", rounds.pair_by_hand, name="pair_by_hand"),
    path("<slug:slug>/desk/conclude/", rounds.conclude, name="conclude"),
    path("<slug:slug>/desk/rounds/<int:number>/", rounds.round_desk, name="round_desk"),
    path("<slug:slug>/desk/rounds/<int:number>/placements/", episodes.placements,
         name="placements"),
    path("<slug:slug>/desk/rounds/<int:number>/times/", rounds.round_times, name="round_times"),
    path("<slug:slug>/desk/rounds/<int:number>/<slug:name>/", rounds.round_act, name="round_act"),
    path("<slug:slug>/desk/matches/<int:pk>/", death_matches.match_desk, name="match_desk"),
    path("<slug:slug>/desk/matches/<int:pk>/<slug:name>/", death_matches.match_act,
         name="match_act"),
    path("<slug:slug>/desk/matches/<int:pk>/legs/<int:leg_id>/<slug:name>/", death_matches.leg_act,
         name="leg_act"),
    path("<slug:slug>/desk/season.json", documents.document, name="document"),
    path("<slug:slug>/desk/season.zip", documents.records, name="records"),
    path("<slug:slug>/desk/items/", items.ledger, name="ledger"),
    path("<slug:slug>/desk/items/<int:pk>/back/", items.item_take_back, name="item_take_back"),
]  # fmt: skip
