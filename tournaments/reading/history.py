"""A season's history, as its events have it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import Q, QuerySet

from tournaments.lifecycle import How
from tournaments.models import Season, SeasonEvent

# What an organiser decided, with the reason: the kinds of events that the page of rulings lists.
RULINGS: Final = (
    "ruling",
    "death-match.corrected",
    "death-match.void",
    "death-match.no-show",
    "round.reopened",
    "season.cancelled",
    "episode.skipped",
    "episode.corrected",
    "contestant.replaced",
    "contestant.withdrawn",
    "contestant.restored",
    "item.taken-back",
    "ledger.corrected",
)
# Of those, what is no action of its own: nobody gave a reason for it, or no organiser did it.
_FOLLOWS: Final = (
    Q(kind="round.reopened", data__why="")
    | (Q(kind="contestant.restored") & ~Q(data__has_key="why"))
    | (Q(kind="episode.skipped") & ~Q(data__has_key="by"))
    | (Q(kind="contestant.withdrawn") & ~Q(data__has_key="by"))
)
# Said of every turn and reminder: worth a push, not worth a line in a history.
FLEETING: Final = ("death-match.turn", "death-match.reminder")


class LegEvent(NamedTuple):
    """Something that was said of a leg, of a death match with all its legs (`leg_id` None), or of
    the season with all its death matches (`death_match_id` None too)."""

    leg_id: int | None
    death_match_id: int | None
    kind: str
    at: datetime
    data: Any


def events_of(season: Season, *, rulings: bool = False) -> QuerySet[SeasonEvent]:
    """A season's history, the latest first; or only what organisers decided."""
    rows = SeasonEvent.objects.filter(season=season).exclude(kind__in=FLEETING)
    if rulings:
        decided = Q(kind="death-match.decided", data__how__in=[How.WALKOVER, How.RULING])
        named = Q(kind="episode.chosen", data__has_key="by")
        rows = rows.filter(Q(kind__in=RULINGS) | decided | named)
        # One entry an action: what followed from it is told in the history.
        rows = rows.exclude(data__has_key="follows").exclude(_FOLLOWS)
    return rows.select_related("round", "death_match__round").order_by("-at", "-pk")


def events_of_legs(season: Season) -> Iterable[LegEvent]:
    """All that was said of the legs of a season, the earliest first: what changes when they are
    played, and whether."""
    of_a_match = Q(kind__startswith="death-match.", death_match__isnull=False)
    rows = SeasonEvent.objects.filter(of_a_match | Q(kind="season.cancelled"), season=season)
    rows = rows.exclude(kind__in=FLEETING).order_by("pk")
    return (LegEvent(*row) for row in rows.values_list(*LegEvent._fields))
