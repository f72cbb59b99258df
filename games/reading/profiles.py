"""What somebody's public page shows of their matches."""

from __future__ import annotations

from django.http import HttpRequest

from accounts.models import User
from accounts.preferences import hides_results
from accounts.profile import Section
from games.reading import selectors
from games.reading.matches import bot_level_of
from games.reading.predicted import tally_of

SHOWN = 10


def match_history(request: HttpRequest, person: User) -> Section:
    """Matches won and lost by game, the latest results, and how often they knew who wins; of one of
    the site's own bots, how strong it is."""
    over = selectors.matches_filtered(selectors.matches_over(request.user), player=person)
    context = {
        "tallies": selectors.tallies_of(person, request.user),
        "matches": list(over[:SHOWN]),
        "predicted": tally_of(person),
        "untold": hides_results(request),
        "bot_level": bot_level_of(person),
    }
    return Section("Matches", "games/_profile_matches.html", context)
