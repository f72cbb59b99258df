"""Of what players and referees are told: the part of the table of announcements that is about
matches."""

from __future__ import annotations

from typing import Final

from accounts.announcing.kinds import Kind, Urgency, Way, When

MISSED: Final = Kind(
    "match.missed", "Matches", "A match ended without you", "Who was not there", Urgency.SOON
)
RULING: Final = Kind(
    "match.ruling", "Organising", "A match waits for your ruling",
    "Its referees, or who has organised it", Urgency.NOW,
)  # fmt: skip
# Most who play have the page open, and hear of it there: nothing else is to fill up.
TURN: Final = Kind(
    "match.turn", "Matches", "It is your turn", "Whose turn it is, while they are away from it",
    Urgency.NOW, {Way.SITE: When.OFF, Way.MAIL: When.OFF, Way.DISCORD: When.OFF},
    replaces=True, listed=False,
)  # fmt: skip
STRANGERS: Final = Kind(
    "match.ruling-open", "Organising", "A match that names no referee waits for a ruling",
    "All other organisers", Urgency.SOON,
    {Way.MAIL: When.OFF, Way.PUSH: When.OFF, Way.DISCORD: When.OFF},
)  # fmt: skip
RATING_RULED: Final = Kind(
    "match.rating-ruled", "Matches", "Moderators have decided whether matches of yours count",
    "Both players", Urgency.NEWS,
)  # fmt: skip
KINDS: Final = (MISSED, RULING, STRANGERS, TURN, RATING_RULED)
