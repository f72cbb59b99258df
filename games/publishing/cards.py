"""Cards of lists as everybody sees them, made once and told to all who have such a list open.

Nothing of a reader's is in them: their script writes times in the device's zone, as it does on
every page. What differs by reader (offers, own matches) is never told so; pages ask for that.
"""

from __future__ import annotations

from django.template.loader import render_to_string

from games.models import Match


def card_of(match: Match) -> str:
    """The card of a match in lists of those that are on, or of those that are over."""
    template = "games/_result_card.html" if match.is_over else "games/_match_card.html"
    return str(render_to_string(template, {"match": match})).strip()
