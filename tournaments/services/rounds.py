"""A round as a whole: opened with everything in it, and given its times, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.refusals import NotFound, Refusal, Together
from tournaments.formats.elimination import episodes
from tournaments.formats.field import enough
from tournaments.formats.ladder import rules as ladder
from tournaments.formats.ladder.format import ladder_challenge
from tournaments.formats.paired import PairedFormat
from tournaments.formats.registry import course_of, format_of
from tournaments.formats.rounds import round_announce
from tournaments.formats.swiss import rules as swiss
from tournaments.lifecycle import DeathMatchStatus, LegStatus
from tournaments.models import Contestant, DeathMatch, Format, Leg, Round, Season
from tournaments.services import deathmatches, legs, results, scheduling
from tournaments.services.guards import (
    RowByRow,
    instant,
    managed,
    must_be_running,
    own_death_match,
)


class Pairing(NamedTuple):
    """Two contestants who are to meet: ``home`` on seat 0 (on a ladder the challenger). Ruleset and
    variant empty: the round's own."""

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
    pairings: Sequence[Pairing] | None = None,
    scheduled_at: datetime | None = None,
    at: datetime | None = None,
) -> Round:
    """Open the next round with all its matches and their times: everything, or nothing.

    The format pairs: the next round of a round robin or a Swiss season; the next episode of an
    elimination season, or the final of the last two. ``pairings`` by hand are for Swiss seasons
    (everybody who plays exactly once, one may be left over and has a bye) and ladders (each is a
    challenge). ``scheduled_at`` is for the matches that have no time of their own. Refusals: those
    of the services that do it, ``pairing.not-by-hand``, ``pairing.needed`` (a ladder without),
    ``pairing.too-few``, ``death-match.own`` (by somebody who plays in the round),
    ``pairing.twice``, ``pairing.stranger``, ``pairing.left-out``, ``pairing.rematch``,
    ``pairing.bye``.
    """
    locked = managed(season, acting_user)
    at = instant(at)
    must_be_pairs(
        locked.format, None if pairings is None else [(each.home, each.away) for each in pairings]
    )
    if pairings is None:
        opened = _by_the_format(locked, acting_user, at)
        made = [(each, scheduled_at) for each in _planned(opened)]
    else:
        opened, made = _by_hand(locked, pairings, acting_user, at)
        made = [(each, when or scheduled_at) for each, when in made]
    told = RowByRow()
    for number, (death_match, when) in enumerate(made):
        if when is None:
            continue
        own = pairings is not None and pairings[number].scheduled_at is not None
        with told.of(number) if own else nullcontext():
            death_match_schedule(
                acting_user=acting_user, death_match=death_match, scheduled_at=when, at=at
            )
    told.settle()
    return Round.objects.get(pk=opened.pk)


@transaction.atomic
def round_schedule(
    *,
    acting_user: User,
    round: Round,  # noqa: A002  (the field's own word)
    times: Mapping[int, datetime | None],
    at: datetime | None = None,
) -> Round:
    """Give death matches of a round their times, by their ids: all of them, or none.

    Refusals: those of `guards.managed`, ``death-match.none`` (not of this round),
    ``leg.none-left`` (nothing of it has still to be played) and those of `scheduling.leg_schedule`.
    """
    managed(round.season, acting_user)
    at = instant(at)
    rows = {each.pk: each for each in round.death_matches.select_related("round__season")}
    told = RowByRow()
    for number, (pk, when) in enumerate(times.items()):
        with told.of(number):
            if pk not in rows:
                raise NotFound("death-match.none", f"Death match {pk} is not of this round.")
            death_match_schedule(
                acting_user=acting_user, death_match=rows[pk], scheduled_at=when, at=at
            )
    told.settle()
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

    Refusals: ``leg.none`` (there is no such one), ``leg.not-planned`` (it has begun, or is over),
    ``leg.none-left`` (nothing has still to be played) and those of `scheduling.leg_schedule`.
    """
    legs = Leg.objects.filter(death_match=death_match, status=LegStatus.PLANNED)
    if leg_number is not None:
        legs = legs.filter(number=leg_number)
    leg = legs.select_related("death_match__round__season").order_by("number").first()
    if leg is None:
        if leg_number is None:
            sentence = f"Nothing of “{death_match}” has still to be played."
            raise Refusal("leg.none-left", sentence)
        if not death_match.legs.filter(number=leg_number).exists():
            raise leg_none(death_match, leg_number)
        which = f"Match {leg_number} of “{death_match}”"
        raise Refusal("leg.not-planned", f"{which} has begun already, or is over.")
    return scheduling.leg_schedule(
        acting_user=acting_user, leg=leg, scheduled_at=scheduled_at, at=at
    )


def leg_none(death_match: DeathMatch, number: int) -> Refusal:
    """What whoever asks for a match of it is told that there is none of."""
    return NotFound("leg.none", f"“{death_match}” has no match {number}.")


@transaction.atomic
def round_pair(
    *,
    acting_user: User | None,
    season: Season,
    lenient: bool = False,
    at: datetime | None = None,
) -> Round:
    """Pair the next round of a round robin or Swiss season and open it.

    ``lenient`` (Swiss): allow as many rematches or second byes as there must be, where the round
    cannot be paired without. Refusals: those of `guards.managed`, ``season.not-running``,
    ``round.not-paired`` (a bracket, a ladder or an elimination season), ``round.open-matches``,
    ``round.none-left``, ``pairing.too-few``, ``pairing.bye``, ``pairing.rematch``.
    """
    locked = managed(season, acting_user)
    must_be_running(locked)
    at = instant(at)
    opened, follows = paired_format(locked).round_pair(season=locked, lenient=lenient, at=at)
    results.follow(follows, season=locked, at=at)
    audit_record(
        acting_user=acting_user,
        action="round.pair",
        target=opened,
        data={"season": locked.pk, "round": opened.number, "lenient": lenient},
    )
    return opened


def paired_format(season: Season) -> PairedFormat:
    """The format of a season that is paired by rounds. Raises Refusal ``round.not-paired``."""
    found = format_of(season.format)
    if not isinstance(found, PairedFormat):
        raise Refusal("round.not-paired", "Only a round robin or Swiss season is paired by rounds.")
    return found


def _by_the_format(season: Season, acting_user: User, at: datetime) -> Round:
    if season.format != Format.ELIMINATION:
        return round_pair(acting_user=acting_user, season=season, at=at)
    if deathmatches.active_of(season) > 2:
        return episodes.episode_open(acting_user=acting_user, season=season, at=at).round
    return episodes.final_open(acting_user=acting_user, season=season, at=at).round


def _planned(opened: Round) -> Iterable[DeathMatch]:
    return opened.death_matches.filter(status=DeathMatchStatus.PLANNED).order_by("number")


def _by_hand(
    season: Season, pairings: Sequence[Pairing], acting_user: User, at: datetime
) -> tuple[Round, list[tuple[DeathMatch, datetime | None]]]:
    if season.format == Format.SWISS:
        opened = _swiss_by_hand(season, pairings, acting_user, at)
        made = list(opened.death_matches.exclude(away=None).order_by("number"))
    else:
        made, told = [], RowByRow()
        for number, each in enumerate(pairings):
            with told.of(number):
                challenge = ladder_challenge(
                    acting_user=acting_user,
                    season=season,
                    challenger=each.home,
                    defender=each.away,
                    at=at,
                )
                made.append(challenge)
        told.settle()
        opened = season.rounds.get()
    told = RowByRow()
    for number, (death_match, pairing) in enumerate(zip(made, pairings, strict=True)):
        if not pairing.ruleset:
            continue
        with told.of(number):
            legs.rules_set(
                acting_user=acting_user,
                death_match=death_match,
                ruleset=pairing.ruleset,
                variant=pairing.variant,
                at=at,
            )
    told.settle()
    times = [each.scheduled_at for each in pairings]
    return opened, list(zip(made, times, strict=True))


def _swiss_by_hand(
    season: Season, pairings: Sequence[Pairing], acting_user: User, at: datetime
) -> Round:
    must_be_running(season)
    opened = paired_format(season).round_begin(season=season, at=at)
    playing = {each.pk: each for each in season.contestants.in_round(opened.number)}
    enough(list(playing))
    sides = [side for pairing in pairings for side in (pairing.home, pairing.away)]
    must_not_play_in(playing.values(), acting_user)
    told = Together()
    for number, side in ((n, side) for n, each in enumerate(pairings) for side in each[:2]):
        if side.pk not in playing:
            sentence = f"{side.name} does not play in this round."
            told.note(Refusal("pairing.stranger", sentence), number)
    told.settle()
    resting = [each for pk, each in playing.items() if pk not in {side.pk for side in sides}]
    if len(resting) > 1:
        names = ", ".join(each.name for each in resting)
        raise Refusal("pairing.left-out", f"These have no opponent: {names}.")
    _must_be_new(season, pairings, resting)
    for pairing in pairings:
        deathmatches.death_match_create(
            round=opened, home=playing[pairing.home.pk], away=playing[pairing.away.pk], at=at
        )
    for each in resting:
        deathmatches.bye_create(round=opened, home=each, at=at)
    round_announce(opened=opened, at=at)
    # Nothing may be left to play: a round of byes is complete at once.
    results.round_settle(round=opened, at=at)
    audit_record(
        acting_user=acting_user,
        action="round.pair",
        target=opened,
        data={"season": season.pk, "round": opened.number, "by_hand": True},
    )
    return opened


def must_be_pairs(
    format_id: str, pairings: Sequence[tuple[Contestant | None, Contestant | None]] | None
) -> None:
    """Whether these can be paired by hand in a season of that format, however it stands: ``home``
    and ``away`` of each, None where that is not known; no pairings at all have the format pair.

    Raises Refusal ``pairing.needed``, ``pairing.not-by-hand``, and of rows ``pairing.twice`` and
    ``ladder.self``.
    """
    if format_id == Format.LADDER and not pairings:
        raise Refusal("pairing.needed", "On a ladder it must be said who challenges whom.")
    if pairings is None:
        return
    if format_id not in (Format.SWISS, Format.LADDER):
        raise Refusal("pairing.not-by-hand", "This format pairs by itself.")
    times = Counter(side.pk for sides in pairings for side in sides if side is not None)
    told = Together()
    for number, (home, away) in enumerate(pairings):
        if format_id == Format.LADDER and home is not None and away is not None:
            with told.of(number):
                ladder.must_be_two(home.pk, away.pk)
        for side in (home, away) if format_id == Format.SWISS else ():
            if side is not None and times[side.pk] > 1:
                sentence = f"{side.name} is paired twice in this round."
                told.note(Refusal("pairing.twice", sentence), number)
    told.settle()


def must_not_play_in(playing: Iterable[Contestant], acting_user: User) -> None:
    """Raises Refusal ``death-match.own`` where ``acting_user`` is one of those who are paired."""
    if any(each.user_id == acting_user.pk for each in playing):
        raise own_death_match()


def _must_be_new(
    season: Season, pairings: Sequence[Pairing], resting: Sequence[Contestant]
) -> None:
    # Known by the places, as the format knows it: who takes one over has met whom it has met.
    known = swiss.Field((), course_of(season).settled)
    told = Together()
    for number, pairing in enumerate(pairings):
        if known.met[frozenset({pairing.home.pk, pairing.away.pk})]:
            sentence = f"{pairing.home.name} and {pairing.away.name} have met before."
            told.note(Refusal("pairing.rematch", sentence), number)
    told.settle()
    for each in resting:
        if known.byes[each.pk]:
            raise Refusal("pairing.bye", f"{each.name} has had a bye before.")
