"""What seasons wait for somebody to do, said to nobody else: on their own pages, on the front door
and in the lobby."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from django.urls import reverse
from django.utils import timezone

from tournaments import audience
from tournaments.lifecycle import (
    PLAYABLE,
    ContestantStatus,
    DeathMatchStatus,
    LegStatus,
    SeasonStatus,
)
from tournaments.models import DeathMatch, Leg, Season
from tournaments.reading import Sheet
from tournaments.services.scheduling import ready_from

# The seasons of one reader that are looked into for a page about other things.
_SEASONS: Final = 5


class Waiting(NamedTuple):
    """Something to do: what, and the link to it."""

    words: str
    action: str
    url: str


def waiting_for(sheet: Sheet, user: Any) -> list[Waiting]:
    """What the season waits for ``user``, a contestant, to do now."""
    mine = [each for each in sheet.contestants if each.user_id == getattr(user, "pk", None)]
    if not mine or not user.is_authenticated or sheet.season.status != SeasonStatus.RUNNING:
        return []
    found: list[Waiting] = []
    for played in sheet.rounds:
        episode = getattr(played, "told", None)
        if episode is not None and audience.may_choose_dmo(episode, user):
            url = reverse("tournaments:choose", args=[sheet.season.slug, played.number])
            found.append(Waiting("You came last. Who will face you?", "Choose your opponent", url))
    for row in sheet.death_matches:
        if mine[0].pk in (row.home_id, row.away_id):
            found += _before(sheet, row, user)
    return found


def waiting_anywhere(user: Any) -> list[Waiting]:
    """What the running seasons of ``user`` wait for them to do now, with the seasons' names."""
    if not user.is_authenticated:
        return []
    seasons = Season.objects.visible_to(user).select_related("winner")
    mine = seasons.filter(
        status=SeasonStatus.RUNNING,
        contestants__user=user,
        contestants__status=ContestantStatus.ACTIVE,
    )
    return [
        each._replace(words=f"{season.name}: {each.words}")
        for season in mine.order_by("-changed_at")[:_SEASONS]
        for each in waiting_for(Sheet(season), user)
    ]


def _before(sheet: Sheet, row: DeathMatch, user: Any) -> list[Waiting]:
    if row.status == DeathMatchStatus.RUNNING:
        on = next((leg for leg in row.all_legs if leg.status == LegStatus.RUNNING), None)  # type: ignore[attr-defined]
        if on is not None and on.match is not None:
            return [Waiting(f"{row} is on.", "To the board", on.match.get_absolute_url())]
    leg: Leg | None = row.next_leg  # type: ignore[attr-defined]
    if row.status not in PLAYABLE or leg is None:
        return []
    if not leg.ruleset:
        if audience.may_choose_rules(row, user):
            url = reverse("tournaments:rules", args=[sheet.season.slug, row.pk])
            return [Waiting(f"{row}: you choose what is played.", "Choose the game", url)]
        return []
    if not _can_be_ready(leg, user):
        return []
    return [Waiting(f"{row} is about to begin.", "Say that you are ready", row.get_absolute_url())]


def _can_be_ready(leg: Leg, user: Any) -> bool:
    seat = audience.seat_of(leg.death_match, user)
    said = (leg.home_ready_at, leg.away_ready_at)
    if seat is None or said[seat] is not None:
        return False
    since = ready_from(leg)
    return since is None or since <= timezone.now()
