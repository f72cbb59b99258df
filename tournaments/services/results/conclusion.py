"""A season that ends by its order: by itself after its last result, or at an organiser's word."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from accounts.models import User
from core.refusals import Refusal
from tournaments.formats.registry import course_of, format_of
from tournaments.lifecycle import RoundStatus, SeasonStatus
from tournaments.models import Contestant, Season
from tournaments.services import seasons
from tournaments.services.deathmatches import round_close
from tournaments.services.guards import instant, must_be_running, season_lock_managed


def season_end(
    *,
    acting_user: User,
    season: Season,
    winner: Contestant | None = None,
    at: datetime | None = None,
) -> Season:
    """End a running season as its format ends: by its order, or with whoever is left. Raises
    Refusal as `season_conclude` or `seasons.season_finish` do."""
    end = season_conclude if format_of(season.format).ends_by_order else seasons.season_finish
    return end(acting_user=acting_user, season=season, winner=winner, at=at)


@transaction.atomic
def season_conclude(
    *,
    acting_user: User | None,
    season: Season,
    winner: Contestant | None = None,
    at: datetime | None = None,
) -> Season:
    """End a season by its order: everybody gets their place, the first has won.

    Where rounds come to an end a season concludes by itself with its last result, but for a tie at
    the top that no metric has broken: then an organiser says which of the tied has won. Others end
    whenever their organisers say so. Raises Refusal as `guards.season_lock_managed` does,
    ``season.not-running``, ``season.not-concluded`` (rounds or matches are missing, or the format
    ends otherwise), ``season.tied`` (``winner`` must be said), ``season.not-first``,
    ``season.own`` (by one of the tied).
    """
    locked = season_lock_managed(season, acting_user)
    must_be_running(locked)
    at = instant(at)
    course = course_of(locked)
    first = course.first
    if winner is not None and winner.pk not in first:
        raise Refusal("season.not-first", f"{winner.shown_name} does not stand first.")
    course.must_not_share_first(acting_user)
    if winner is None:
        course.must_have_one_first()
    places = format_of(locked.format).places(course)
    if places is not None:
        for each in locked.rounds.exclude(status=RoundStatus.CLOSED).order_by("number"):
            round_close(acting_user=None, round=each, at=at)
        for pk, contestant in course.holders.items():
            contestant.place = places.get(pk)
        Contestant.objects.bulk_update(course.holders.values(), ["place"])
    return seasons.season_finish(
        acting_user=acting_user,
        season=locked,
        winner=winner or course.holders[first[0]],
        at=at,
    )


def season_conclude_if_clear(season: Season, at: datetime) -> None:
    """End the season after its last result, unless an organiser has to say who has won."""
    if season.status != SeasonStatus.RUNNING:
        return
    try:
        tied = len(course_of(season).first) > 1
    except Refusal:
        return  # everybody has left: organisers decide what becomes of it
    if not tied:
        season_conclude(acting_user=None, season=season, at=at)
