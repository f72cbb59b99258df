"""Who is in the lobby, for those who have an account; others are told how many there are.

Left out are those who do not want to be shown, and whoever could not be challenged anyway: closed
and suspended accounts. Names are public, so the list is the same for everybody; whom a reader has
blocked is left out on their own pages.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Max
from django.template.loader import render_to_string

from accounts.models import Sanction, User
from games import here
from games.audience import COUNT_GROUP, HERE_GROUP
from games.models import Match, MatchPlayer
from games.options import pace
from games.publishing.publish import Frame
from games.rulesets import REGISTRY

#: How many are named; of the others only the number is told.
NAMED_AT_MOST: Final = 60


@dataclass(frozen=True)
class Somebody:
    """Somebody who is there: the rating of their best ladder (None: they have none), and whether
    they sit in a match at a live pace."""

    user: User
    rating: int | None
    playing: bool


@dataclass(frozen=True)
class Here:
    """Those who are there: the first of them, whoever is free and strong before the others."""

    count: int
    people: tuple[Somebody, ...]

    @property
    def more(self) -> int:
        """How many are not named."""
        return self.count - len(self.people)


def here_now(*, but: Iterable[int] = (), also: int | None = None) -> Here:
    """Who is in the lobby now, ``but`` for some; ``also`` somebody whose page is just opening.
    Three queries, whoever there is."""
    keys = here.users_here() | ({also} if also is not None else set())
    people = list(listable(keys - set(but)).annotate(best=Max("ratings__shown")))
    playing = sitting_at_once(person.pk for person in people)
    found = [
        Somebody(person, getattr(person, "best", None), person.pk in playing) for person in people
    ]
    found.sort(key=lambda each: (each.playing, -(each.rating or -1_000_000), each.user.username))
    return Here(len(found), tuple(found[:NAMED_AT_MOST]))


def listable(user_ids: Iterable[int]) -> Any:
    """Those of these people who may be shown in the lobby."""
    suspended = Sanction.objects.in_force().filter(kind=Sanction.Kind.SUSPENSION).values("user")
    people = User.objects.filter(pk__in=set(user_ids), is_active=True, shown_in_lobby=True)
    return people.exclude(pk__in=suspended)


def sitting_at_once(user_ids: Iterable[int]) -> dict[int, int]:
    """Those of these people who sit in a match at a live pace, each with such a match."""
    rows = MatchPlayer.objects.filter(
        user__in=list(user_ids), match__status=Match.Status.RUNNING, match__bot_seats=0
    ).values_list("user_id", "match_id", "match__ruleset", "match__options")
    return {
        user_id: match_id
        for user_id, match_id, ruleset, options in rows
        if user_id is not None
        and ruleset in REGISTRY
        and pace.is_live(REGISTRY.get(ruleset), options)
    }


def here_frames() -> list[Frame]:
    """What everybody who has the lobby open is told of who is there."""
    now = here_now()
    shown = render_to_string("games/_here_list.html", {"here": now}).strip()
    return [
        Frame(HERE_GROUP, {"type": "here", "count": now.count, "list": shown}),
        Frame(COUNT_GROUP, {"type": "here", "count": now.count}),
    ]
