"""Looking at results of a time that is past, as workers look at those of today: for what was farmed
before anybody looked, or before what is looked for now was. What `manage.py farmed` does.

One player after the other, in the order of their numbers, so that it can be stopped anywhere and
taken up again, and so that never more is held than one player's matches of that time. Whatever has
been told of before, by an open report or by one that is closed, is not told again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from django.db.models import QuerySet

from core.jobs import guard
from core.jobs.models import SetAside
from games.models import Match, MatchPlayer
from games.ratings.pairs import PAIR, Period, ended_in, pair_key, pair_look, pair_of
from games.ratings.winners import winner_look

LOOKED_BACK_AT_PAIRS: Final = "ratings.pairs.past"
LOOKED_BACK_AT_WINNERS: Final = "ratings.winners.past"
_PLAYERS_AT_ONCE: Final = 500


class LookedAt(NamedTuple):
    """A player who was looked at, and how many reports came of it, new ones or such as grew."""

    user_id: int
    reports: int


def players_look_back(period: Period, *, after: int = 0) -> Iterator[LookedAt]:
    """Look at everybody who played in a period and whose number is above ``after``: at each pair
    of which they have the lower number, and at what they won."""
    while True:
        seats = _seats(period).filter(user__gt=after).order_by("user")
        users = list(seats.values_list("user", flat=True).distinct()[:_PLAYERS_AT_ONCE])
        for user in users:
            assert user is not None  # noqa: S101  (narrows the type: it is above a number)
            yield LookedAt(user, _look_back(user, period))
            after = user
        if not users:
            return


def failures() -> int:
    """How many pairs and winners are set aside since looking at them failed."""
    jobs = [LOOKED_BACK_AT_PAIRS, LOOKED_BACK_AT_WINNERS]
    return SetAside.objects.filter(job__in=jobs).count()


def _look_back(user: int, period: Period) -> int:
    others = _seats(period).filter(
        user__gt=user, match__in=MatchPlayer.objects.filter(user=user).values("match")
    )
    keys = [
        pair_key(user, other)
        for other in others.order_by("user").values_list("user", flat=True).distinct()
        if other is not None
    ]

    def look(key: str) -> bool:
        pair = pair_of(key)
        return pair is not None and pair_look(*pair, period=period) is not None

    return guard.each(LOOKED_BACK_AT_PAIRS, keys, look, target=PAIR) + guard.each(
        LOOKED_BACK_AT_WINNERS,
        [user],
        lambda winner: winner_look(winner, period=period) is not None,
        target="accounts.user",
    )


def _seats(period: Period) -> QuerySet[MatchPlayer]:
    """The seats of people in matches of the period that may be told of."""
    matches = Match.objects.finished().between_people().filter(ended_in(period))
    played = matches.filter(source=Match.Source.PLAYED, winner__isnull=False)
    return MatchPlayer.objects.filter(match__in=played, user__isnull=False)
