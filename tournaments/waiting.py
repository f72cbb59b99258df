"""What seasons wait for somebody to do, said to nobody else: on their own pages, on the front door
and in the lobby."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from django.db.models import Q
from django.urls import reverse

from core.clock import now_utc
from core.refusals import allowed
from tournaments import audience
from tournaments.actions.episodes import awaits_choice
from tournaments.lifecycle import (
    PLAYABLE,
    DeathMatchStatus,
    EpisodeStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import DeathMatch, Episode, Leg, Season, TimeProposal
from tournaments.reading.death_matches import DeathMatchWithLegs, with_legs
from tournaments.reading.sheet import Sheet
from tournaments.services.legs import legs_open_to_rules
from tournaments.services.scheduling.agreeing import must_be_answerable, open_proposals
from tournaments.services.scheduling.readiness import must_be_confirmable

# What is told at most on pages about other things.
_AT_MOST: Final = 10


class PendingTask(NamedTuple):
    """Something to do: what, and the link to it."""

    words: str
    action: str
    url: str


def waiting_for(sheet: Sheet, user: Any) -> list[PendingTask]:
    """What the season waits for ``user``, a contestant, to do now."""
    season = sheet.season
    mine = [each for each in sheet.contestants if each.user_id == getattr(user, "pk", None)]
    if not mine or not user.is_authenticated or season.status != SeasonStatus.RUNNING:
        return []
    if season.visibility == Visibility.ARCHIVED:
        return []
    found: list[PendingTask] = []
    for episode in sheet.episodes:
        if episode.row.ec_id == mine[0].pk:
            found += _of_own_episode(episode.row, user)
    for each in sheet.with_legs:
        if mine[0].pk in (each.row.home_id, each.row.away_id):
            found += _of_death_match(each, user, sheet.proposals)
    return found


def waiting_anywhere(user: Any) -> list[PendingTask]:
    """What all seasons together wait for ``user`` to do now, each with its season's name. Reads
    the user's own episodes and death matches alone: one query for most readers, who are in no
    season that is running, and at most a fixed number."""
    if not user.is_authenticated:
        return []
    running = Season.objects.visible_to(user).filter(status=SeasonStatus.RUNNING)
    running = running.exclude(visibility=Visibility.ARCHIVED)
    seasons = list(running.filter(contestants__user=user).values_list("pk", flat=True))
    if not seasons:
        return []
    episodes = Episode.objects.filter(
        round__season__in=seasons, ec__user=user, status=EpisodeStatus.CHOOSING
    ).select_related("round__season", "ec")
    rows = (
        DeathMatch.objects.filter(round__season__in=seasons, status__in=PLAYABLE)
        .filter(Q(home__user=user) | Q(away__user=user))
        .select_related("round__season", "home", "away")
    )
    found = []
    for episode in episodes.order_by("round__opened_at")[:_AT_MOST]:
        found += [(episode.round.season, each) for each in _of_own_episode(episode, user)]
    meetings = with_legs(rows.order_by("round__opened_at", "pk")[:_AT_MOST])
    proposals = open_proposals((leg for each in meetings for leg in each.legs), now_utc())
    for meeting in meetings:
        season = meeting.row.round.season
        found += [(season, each) for each in _of_death_match(meeting, user, proposals)]
    return [each._replace(words=f"{season.name}: {each.words}") for season, each in found]


def _of_own_episode(episode: Episode, user: Any) -> list[PendingTask]:
    if not awaits_choice(episode, user):
        return []
    played = episode.round
    url = reverse("tournaments:choose", args=[played.season.slug, played.number])
    return [PendingTask("You came last. Who will face you?", "Choose your opponent", url)]


def _of_death_match(
    found: DeathMatchWithLegs, user: Any, proposals: Mapping[int, TimeProposal]
) -> list[PendingTask]:
    if found.running is None:
        for leg in found.legs:
            proposal = proposals.get(leg.pk)
            if proposal is not None and allowed(must_be_answerable, proposal, leg, user):
                words = f"{found.row}: your opponent proposes when to play."
                return [
                    PendingTask(words, "Answer", found.row.get_absolute_url()),
                    *_of_next(found, user),
                ]
    return _of_next(found, user)


def _of_next(found: DeathMatchWithLegs, user: Any) -> list[PendingTask]:
    row, leg, on = found.row, found.next, found.running
    if row.status == DeathMatchStatus.RUNNING and on is not None and on.match is not None:
        words = f"{row} begins once both of you are there." if on.waits else f"{row} is on."
        return [PendingTask(words, "To the board", on.match.get_absolute_url())]
    if row.status not in PLAYABLE or leg is None:
        return []
    if allowed(legs_open_to_rules, row, user, legs=found.legs):
        url = reverse("tournaments:rules", args=[row.round.season.slug, row.pk])
        return [PendingTask(f"{row}: you choose what is played.", "Choose the game", url)]
    if not _can_be_ready(found, leg, user):
        return []
    return [
        PendingTask(f"{row} is about to begin.", "Say that you are ready", row.get_absolute_url())
    ]


def _can_be_ready(found: DeathMatchWithLegs, leg: Leg, user: Any) -> bool:
    seat = audience.seat_of(found.row, user)
    if seat is None or (leg.home_ready_at, leg.away_ready_at)[seat] is not None:
        return False
    return allowed(must_be_confirmable, leg, user, legs=found.legs)
