"""The page of a season's own leaderboard."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import conditional_page, require_safe

from tournaments.leaderboards import season_leaderboard
from tournaments.reading import Sheet
from tournaments.views.common import season_page, shown


@require_safe
@conditional_page
@season_page
def leaderboard(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """Who played strongest in this season."""
    context = {"board": season_leaderboard(sheet.season), "first": True}
    response = shown(request, sheet, "leaderboard.html", context)
    response["Cache-Control"] = "private, no-cache"
    return response
