"""The leaderboard of one season: how strong its players look by its matches alone."""

from __future__ import annotations

from games.models import Match
from games.ratings.boards import Board, Wanted, leaderboard_of
from tournaments.models import Season


def season_leaderboard(season: Season, wanted: Wanted | None = None) -> Board:
    """Ratings as if nothing but the season's matches had been played; those that were declared void
    or ruled out do not count. Whole, and kept in the cache until the next result."""
    matches = Match.objects.filter(leg__death_match__round__season=season)
    return leaderboard_of(matches, name=f"season-{season.pk}", wanted=wanted)
