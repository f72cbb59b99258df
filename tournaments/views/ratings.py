"""The page of a season's own leaderboard."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from core.replica.reading import from_replica
from games.ratings.forms import BoardForm
from tournaments.leaderboards import season_leaderboard
from tournaments.reading.sheet import Sheet
from tournaments.views.common import season_page, shown


@require_safe
@from_replica
@season_page
def leaderboard(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """Who played strongest in this season, of those who are asked for."""
    form = BoardForm(request.GET)
    wanted = form.wanted()
    context = {
        "board": season_leaderboard(sheet.season, wanted),
        "first": True,
        "form": form,
        "query": wanted.query,
    }
    response = shown(request, sheet, "leaderboard.html", context)
    response["Cache-Control"] = "private, no-cache"
    return response
