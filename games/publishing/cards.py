"""Cards of lists as everybody sees them, made once and told to all who have such a list open.

Nothing of a reader's is in them: their script writes times in the device's zone, as it does on
every page, and the reader's own token into forms. What concerns a reader (challenges and matches of
their own) is never told so; pages ask for that.
"""

from __future__ import annotations

from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string

from accounts.models import User
from games.models import Challenge, Match

# Where the reader's token stands in what many are shown. Text of people's cannot hold it: quotation
# marks in that are escaped.
TOKEN: Final = "of-the-reader"  # noqa: S105

# Somebody with an account, whom no challenge is from or to.
_SOMEBODY: Final = User(pk=0)


def card_of(match: Match) -> str:
    """The card of a match in lists of those that are on, or of those that are over."""
    template = "games/_result_card.html" if match.is_over else "games/_match_card.html"
    return str(render_to_string(template, {"match": match})).strip()


def offers_to(*, known: bool) -> dict[str, Any]:
    """What a list of challenges that anybody may accept is made with, for readers with an account
    (``known``) or without one, none of whom has made any of them."""
    return {"user": _SOMEBODY if known else AnonymousUser(), "csrf_token": TOKEN}


def card_of_challenge(challenge: Challenge, *, known: bool) -> str:
    """The card of a challenge that anybody may accept, for such readers."""
    context = {"challenge": challenge, **offers_to(known=known)}
    return str(render_to_string("games/_challenge_card.html", context)).strip()
