"""A round as a whole: opened with everything in it, and given its times, or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from accounts.models import User
from core.refusals import NotFound, Refusal
from tournaments.formats.registry import format_of
from tournaments.lifecycle import DeathMatchStatus, LegStatus
from tournaments.models import Contestant, DeathMatch, Leg, Round, Season
from tournaments.rights import Right
from tournaments.services import deathmatches, legs
from tournaments.services.guards import (
    RowByRow,
    instant,
    must_be_running,
    season_lock_managed,
)
from tournaments.services.results import decisions
from tournaments.services.scheduling import appointments


class ManualPairing(NamedTuple):
    """Two contestants who are to meet: ``home``, who challenges where that is done, on seat 0.
    Ruleset and variant empty: the round's own."""

    home: Contestant
    away: Contestant
    ruleset: str = ""
    variant: str = ""
    scheduled_at: datetime | None = None


@transaction.atomic
def round_next(
    *,
    acting_user: User,
    season: Season,
    pairings: Sequence[ManualPairing] | None = None,
    scheduled_at: datetime | None = None,
    at: datetime | None = None,
) -> Round:
    """Open the next round with all its matches and their times: everything, or nothing.

    The format pairs, or opens what comes next in it. ``pairings`` by hand are for formats that take
    them (`Format.must_be_pairs`): a round in which everybody plays once, or challenges.
    ``scheduled_at`` is for the matches that have no time of their own. Raises Refusal as the
    services that do it do, ``pairing.not-by-hand``, ``pairing.needed``, ``pairing.too-few``,
    ``death-match.own`` (by somebody who plays in the round), ``pairing.twice``,
    ``pairing.stranger``, ``pairing.left-out``, ``pairing.rematch``, ``pairing.bye``.
    """
    locked = season_lock_managed(season, acting_user, Right.EPISODES)
    at = instant(at)
    sides = None if pairings is None else [(each.home, each.away) for each in pairings]
    format_of(locked.format).must_be_pairs(sides)
    if pairings is None:
        opened = _open_round(locked, acting_user, at)
        made = [
            (each, scheduled_at)
            for each in opened.death_matches.filter(status=DeathMatchStatus.PLANNED).order_by(
                "number"
            )
        ]
    else:
        opened, made = _by_hand(locked, pairings, acting_user, at)
        made = [(each, when or scheduled_at) for each, when in made]
    faults = RowByRow()
    for number, (death_match, when) in enumerate(made):
        if when is None:
            continue
        own = pairings is not None and pairings[number].scheduled_at is not None
        with faults.of(number) if own else nullcontext():
            death_match_schedule(
                acting_user=acting_user, death_match=death_match, scheduled_at=when, at=at
            )
    faults.settle()
    return Round.objects.get(pk=opened.pk)


@transaction.atomic
def round_close_by_hand(
    *,
    acting_user: User,
    round: Round,  # noqa: A002  (the field's own word)
    at: datetime | None = None,
) -> Round:
    """Have an organiser say that a round is complete. Raises Refusal as
    `guards.season_lock_managed` and `must_be_closable` do."""
    season = season_lock_managed(round.season, acting_user, Right.EPISODES)
    fresh = Round.objects.get(pk=round.pk)
    fresh.season = season
    must_be_closable(fresh)
    return deathmatches.round_close(acting_user=acting_user, round=fresh, at=at)


def must_be_closable(played: Round) -> None:
    """Whether an organiser can close a round. Raises Refusal as `deathmatches.must_be_complete`
    does, and those of the format."""
    deathmatches.must_be_complete(played)
    format_of(played.season.format).must_be_closable(round=played)


@transaction.atomic
def round_schedule(
    *,
    acting_user: User,
    round: Round,  # noqa: A002  (the field's own word)
    times: Mapping[int, datetime | None],
    at: datetime | None = None,
) -> Round:
    """Give death matches of a round their times, by their ids: all of them, or none.

    Raises Refusal as `guards.season_lock_managed` does, ``death-match.none`` (not of this round),
    ``leg.none-left`` (nothing of it has still to be played) and as `appointments.leg_schedule`
    does.
    """
    season_lock_managed(round.season, acting_user, Right.EPISODES)
    at = instant(at)
    rows = {each.pk: each for each in round.death_matches.select_related("round__season")}
    faults = RowByRow()
    for number, (pk, when) in enumerate(times.items()):
        with faults.of(number):
            if pk not in rows:
                raise NotFound("death-match.none", f"Death match {pk} is not of this round.")
            death_match_schedule(
                acting_user=acting_user, death_match=rows[pk], scheduled_at=when, at=at
            )
    faults.settle()
    return Round.objects.get(pk=round.pk)


@transaction.atomic
def death_match_schedule(
    *,
    acting_user: User,
    death_match: DeathMatch,
    scheduled_at: datetime | None,
    leg_number: int | None = None,
    at: datetime | None = None,
) -> Leg:
    """Say when a match of a death match is to be played: that of ``leg_number``, or the next.

    Raises Refusal ``leg.none`` (there is no such one), ``leg.not-planned`` (it has begun, or is
    over), ``leg.none-left`` (nothing has still to be played) and as `appointments.leg_schedule`
    does.
    """
    legs = Leg.objects.filter(death_match=death_match, status=LegStatus.PLANNED)
    if leg_number is not None:
        legs = legs.filter(number=leg_number)
    leg = legs.select_related("death_match__round__season").order_by("number").first()
    if leg is None:
        if leg_number is None:
            raise none_left(death_match)
        if not death_match.legs.filter(number=leg_number).exists():
            raise leg_none(death_match, leg_number)
        which = f"Match {leg_number} of “{death_match}”"
        raise Refusal("leg.not-planned", f"{which} has begun already, or is over.")
    return appointments.leg_schedule(
        acting_user=acting_user, leg=leg, scheduled_at=scheduled_at, at=at
    )


def none_left(what: DeathMatch | Round) -> Refusal:
    """What whoever would set a time is told where nothing has still to be played."""
    return Refusal("leg.none-left", f"Nothing of “{what}” has still to be played.")


def leg_none(death_match: DeathMatch, number: int) -> Refusal:
    """What whoever asks for a match of it is told that there is none of."""
    return NotFound("leg.none", f"“{death_match}” has no match {number}.")


@transaction.atomic
def round_pair(
    *,
    acting_user: User,
    season: Season,
    lenient: bool = False,
    at: datetime | None = None,
) -> Round:
    """Pair the next round of a season whose rounds are paired one after another, and open it.

    ``lenient``: allow as many rematches or second byes as there must be, where the round cannot be
    paired without. Raises Refusal as `guards.season_lock_managed` does, ``season.not-running``,
    ``round.not-paired``, ``round.open-matches``, ``round.none-left``, ``pairing.too-few``,
    ``pairing.bye``, ``pairing.rematch``.
    """
    locked = season_lock_managed(season, acting_user, Right.EPISODES)
    must_be_pairable(locked)
    return _open_round(locked, acting_user, instant(at), lenient=lenient)


def must_be_pairable(season: Season) -> None:
    """Whether the next round can be paired now. Raises Refusal ``season.not-running``,
    ``round.not-paired``, ``round.open-matches`` and ``round.none-left``."""
    must_be_running(season)
    format_of(season.format).must_be_pairable(season=season)


def must_be_pairable_by_hand(season: Season, acting_user: User) -> None:
    """Whether somebody can pair the next round as a whole. Raises Refusal ``season.not-running``,
    ``pairing.not-by-hand`` and as the format does."""
    must_be_running(season)
    format_of(season.format).must_be_pairable_by_hand(season=season, acting_user=acting_user)


def _open_round(season: Season, acting_user: User, at: datetime, *, lenient: bool = False) -> Round:
    must_be_running(season)
    opened, follows = format_of(season.format).round_open(
        season=season, acting_user=acting_user, lenient=lenient, at=at
    )
    decisions.follow(follows, season=season, at=at)
    return opened


def _by_hand(
    season: Season, pairings: Sequence[ManualPairing], acting_user: User, at: datetime
) -> tuple[Round, list[tuple[DeathMatch, datetime | None]]]:
    must_be_running(season)
    opened, made, follows = format_of(season.format).round_open_by_hand(
        season=season,
        acting_user=acting_user,
        pairings=[(each.home, each.away) for each in pairings],
        at=at,
    )
    decisions.follow(follows, season=season, at=at)
    faults = RowByRow()
    for number, (death_match, pairing) in enumerate(zip(made, pairings, strict=True)):
        if not pairing.ruleset:
            continue
        with faults.of(number):
            legs.rules_set(
                acting_user=acting_user,
                death_match=death_match,
                ruleset=pairing.ruleset,
                variant=pairing.variant,
                at=at,
            )
    faults.settle()
    return opened, [
        (death_match, each.scheduled_at) for death_match, each in zip(made, pairings, strict=True)
    ]
