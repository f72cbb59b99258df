"""What the front door and the lobby tell of matches that ended without their reader."""

from __future__ import annotations

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from accounts.models import User
from games.reading import selectors
from games.words import game_name, result_text


def missed_ends(request: HttpRequest) -> SafeString:
    """A line for each; nothing for who missed none."""
    user = request.user
    if not isinstance(user, User):
        return mark_safe("")
    rows = list(selectors.matches_missed(user))
    if not rows:
        return mark_safe("")
    missed = []
    for match in rows:
        players = list(match.players.all())
        own = next(p for p in players if p.user_id == user.pk)
        missed.append(
            {
                "match": match,
                "game": game_name(match.ruleset, match.variant),
                "other": next(p.name for p in players if p.user_id != user.pk),
                "told": result_text([player.name for player in players], match, own.seat),
            }
        )
    return render_to_string("games/_missed.html", {"missed": missed}, request=request)
