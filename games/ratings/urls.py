"""Addresses of the pages about ratings, within those of `games`."""

from django.urls import path, re_path
from django.views.generic import RedirectView

from games.ratings import pages

urlpatterns = [
    path("leaderboards/", pages.leaderboard, name="leaderboards"),
    path(
        "leaderboards/overall/",
        RedirectView.as_view(pattern_name="games:leaderboards", permanent=True, query_string=True),
    ),
    path("leaderboards/<slug:ladder>/", pages.leaderboard, name="leaderboard"),
    re_path(r"^u/(?P<username>[A-Za-z0-9_-]{3,20})/matches/$", pages.history, name="history"),
]
