"""Results taken back: matches declared void, death matches reopened, corrected and called off.

What a result has led to is taken back with it; where a later round rests on it, an organiser has to
reopen the round first.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Refusal
from tournaments import lifecycle
from tournaments.formats.registry import format_of
from tournaments.lifecycle import DeathMatchStatus, How, LegStatus, RoundStatus, SeasonStatus
from tournaments.models import Contestant, DeathMatch, Leg, Round, Season
from tournaments.services import seasons
from tournaments.services.deathmatches import death_match_move, seat_of_side, sides_of, wins_of
from tournaments.services.events import season_event
from tournaments.services.guards import (
    death_match_lock_managed,
    heirs_of,
    instant,
    leg_lock_managed,
    must_be_running,
    must_be_running_or_finished,
    reason,
    season_lock_managed,
)
from tournaments.services.items import spending
from tournaments.services.ledger import stakes
from tournaments.services.legs import must_both_be_in
from tournaments.services.results.attempts import attempts_plan, leg_replay, status_derive
from tournaments.services.results.decisions import death_match_decide, round_settle
from tournaments.services.results.ratings import rating_leave_out, rating_set_right
from tournaments.services.results.running import end_by_organiser, is_over_without_result


@transaction.atomic
def leg_void(*, acting_user: User | None, leg: Leg, why: str, at: datetime | None = None) -> Leg:
    """Declare a match void, running or finished, and have it played again; the next attempt.
    A format (``acting_user`` None) does so with finished ones only.

    What its result had led to is taken back. Raises Refusal as `guards.season_lock_managed` does,
    ``death-match.own``, ``why.*``, ``leg.nothing-played``, ``round.frozen``,
    ``death-match.side-left``, and as the format does.
    """
    season, fresh = leg_lock_managed(leg, acting_user)
    must_be_replayable(fresh)
    why = reason(why)
    at = instant(at)
    if fresh.status == LegStatus.RUNNING:
        if not is_over_without_result(fresh):
            end_by_organiser(fresh, acting_user, "void", why, at)
    elif fresh.death_match.status == DeathMatchStatus.DECIDED:
        _take_back(season, fresh.death_match, at)
    # What an organiser has played again needs both; a format sees to that itself.
    if acting_user is not None:
        must_both_be_in(fresh.death_match)
    replay = leg_replay(fresh, why=why, at=at, acting_user=acting_user)
    audit_record(
        acting_user=acting_user,
        action="leg.void",
        target=fresh,
        data={"death_match": fresh.death_match_id, "number": fresh.number, "why": why},
    )
    return replay


def must_be_replayable(leg: Leg) -> None:
    """Whether a match can be declared void. Raises Refusal ``leg.nothing-played``,
    ``season.not-running`` and as `must_be_reversible` does."""
    if leg.status not in (LegStatus.RUNNING, LegStatus.FINISHED):
        raise Refusal("leg.nothing-played", "There is nothing here to be declared void.")
    season = leg.death_match.round.season
    must_be_running_or_finished(season)
    if leg.status == LegStatus.RUNNING:
        must_be_running(season)
    elif leg.death_match.status == DeathMatchStatus.DECIDED:
        must_be_reversible(leg.death_match)


@transaction.atomic
def death_match_reopen(
    *, acting_user: User | None, death_match: DeathMatch, why: str, at: datetime | None = None
) -> DeathMatch:
    """Take back that a death match was decided, and have what is left of it played: after a
    walkover or a ruling that was a mistake.

    Raises Refusal as `guards.season_lock_managed` does, ``death-match.own``, ``why.*``,
    ``season.not-running``, ``death-match.undecided``, ``death-match.bye``,
    ``death-match.played-out`` (its matches decide it: one of them must be declared void, or the
    result corrected), ``round.frozen``, ``death-match.side-left``, and as the format does.
    """
    season, fresh = death_match_lock_managed(death_match, acting_user)
    must_be_reopenable(fresh)
    why = reason(why)
    at = instant(at)
    _take_back(season, fresh, at)
    if acting_user is not None:
        must_both_be_in(fresh)
    attempts_plan(fresh)
    status_derive(fresh)
    season_event(
        season=season,
        kind="ruling",
        words=f"{fresh} is to be played after all: {why}",
        data={"why": why},
        death_match=fresh,
        by=acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user, action="death_match.reopen", target=fresh, data={"why": why}
    )
    return fresh


@transaction.atomic
def death_match_correct(
    *,
    acting_user: User,
    death_match: DeathMatch,
    winner: Contestant,
    why: str,
    at: datetime | None = None,
) -> DeathMatch:
    """Give a decided death match to the other side, with all that follows from it.

    Raises Refusal as `guards.season_lock_managed` does, ``death-match.own``, ``why.*``,
    ``season.not-running``, ``death-match.undecided``, ``death-match.bye``, ``death-match.winner``,
    ``death-match.same-winner``, ``round.frozen``, and as the format does.
    """
    season, fresh = death_match_lock_managed(death_match, acting_user)
    must_be_correctable(fresh)
    why = reason(why)
    at = instant(at)
    seat = seat_of_side(fresh, winner)
    before = fresh.winner
    if before is None or before.pk == winner.pk:
        raise Refusal("death-match.same-winner", f"{winner.shown_name} has won it already.")
    _take_back(season, fresh, at)
    if fresh.best_of == 1:
        played = fresh.legs.filter(status=LegStatus.FINISHED, match__isnull=False)
        for match_id in played.values_list("match", flat=True):
            rating_set_right(match_id, seat, acting_user, why)
    season_event(
        season=season,
        kind="death-match.corrected",
        words=f"The result of {fresh} is corrected: {winner.name} has won. {why}",
        data={"winner": winner.pk, "loser": before.pk, "name": winner.name, "why": why},
        death_match=fresh,
        contestant=winner,
        by=acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="death_match.correct",
        target=fresh,
        data={"from": before.pk, "to": winner.pk, "why": why},
    )
    death_match_decide(
        fresh,
        winner=sides_of(fresh)[seat],
        how=How.RULING,
        why=why,
        at=at,
        by=acting_user,
        follows="death-match.corrected",
    )
    return fresh


@transaction.atomic
def death_match_void(
    *, acting_user: User, death_match: DeathMatch, why: str, at: datetime | None = None
) -> DeathMatch:
    """Call a death match off as a whole, with whatever was played of it: it counts for nothing.
    In an episode the EC chooses again.

    Raises Refusal as `guards.season_lock_managed` does, ``death-match.own``, ``why.*``,
    ``season.not-running``, ``lifecycle.step``, ``round.frozen``, and as the format does.
    """
    season, fresh = death_match_lock_managed(death_match, acting_user)
    must_be_voidable(fresh)
    why = reason(why)
    at = instant(at)
    if fresh.status == DeathMatchStatus.DECIDED:
        _take_back(season, fresh, at)
    for leg in fresh.legs.exclude(status=LegStatus.VOID):
        if leg.status == LegStatus.RUNNING and not is_over_without_result(leg):
            end_by_organiser(leg, acting_user, "void", why, at)
        if leg.match_id is not None:
            rating_leave_out(leg.match_id, acting_user, why)
        leg.status = lifecycle.step(lifecycle.LEG, leg.status, LegStatus.VOID, "The match")
        leg.winner_seat = None
        leg.how = ""
        leg.save(update_fields=["status", "winner_seat", "how"])
        leg.death_match = fresh
        spending.items_return(leg=leg, at=at)
        leg.declarations.all().delete()
    death_match_move(fresh, DeathMatchStatus.VOID, home_score=0, away_score=0)
    stakes.stakes_call_off(fresh, why="The death match is called off.", at=at)
    season_event(
        season=season,
        kind="death-match.void",
        words=f"{fresh} is void: {why}",
        data={"why": why},
        death_match=fresh,
        by=acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user, action="death_match.void", target=fresh, data={"why": why}
    )
    format_of(season.format).on_voided(death_match=fresh, at=at)
    round_settle(round=fresh.round, at=at)
    return fresh


def must_be_decided(death_match: DeathMatch) -> None:
    """Whether there is a decision. Raises Refusal ``season.not-running`` and
    ``death-match.undecided``."""
    must_be_running_or_finished(death_match.round.season)
    if death_match.status != DeathMatchStatus.DECIDED:
        raise Refusal("death-match.undecided", "This death match is not decided.")


def must_be_correctable(death_match: DeathMatch) -> None:
    """Whether it can be given to the other side. Raises Refusal as `must_be_decided` and
    `must_be_reversible` do."""
    must_be_decided(death_match)
    must_be_reversible(death_match)


def must_be_reopenable(death_match: DeathMatch) -> None:
    """Whether its decision can be taken back. Raises Refusal as `must_be_correctable` does, and
    ``death-match.played-out``."""
    must_be_decided(death_match)
    if max(wins_of(death_match)) * 2 > death_match.best_of:
        raise Refusal(
            "death-match.played-out",
            "It was decided by what was played: declare a match void, or correct the result.",
        )
    must_be_reversible(death_match)


def must_be_voidable(death_match: DeathMatch) -> None:
    """Whether it can be called off as a whole. Raises Refusal ``season.not-running``,
    ``lifecycle.step``, ``round.frozen`` and as the format does."""
    season = death_match.round.season
    must_be_running_or_finished(season)
    lifecycle.step(
        lifecycle.DEATH_MATCH, death_match.status, DeathMatchStatus.VOID, "The death match"
    )
    format_of(season.format).must_be_voidable(death_match=death_match)
    if death_match.status == DeathMatchStatus.DECIDED:
        must_be_reversible(death_match)


def must_be_reversible(death_match: DeathMatch) -> None:
    """Whether what a result has led to can be taken back. Raises Refusal ``death-match.bye``,
    ``round.frozen`` and as the format does."""
    if death_match.how == How.BYE:
        raise Refusal("death-match.bye", "A bye was not played: there is nothing to take back.")
    must_not_be_frozen(death_match)
    format_of(death_match.round.season.format).must_be_undoable(death_match=death_match)


def must_not_be_frozen(death_match: DeathMatch) -> None:
    """Raises Refusal ``round.frozen`` where what came later rests on this result, unless an
    organiser has reopened its round."""
    if _is_frozen(death_match):
        played = death_match.round
        raise Refusal(
            "round.frozen",
            f"{played.name} {played.verb} frozen: what came after rests on these results. "
            "Reopen the round first, if they must change.",
        )


def _is_frozen(death_match: DeathMatch) -> bool:
    """A complete round is frozen by the next, which has been opened on its results. Where all
    rounds are there from the beginning, it is what one of the two has played on."""
    played = death_match.round
    if played.status != RoundStatus.CLOSED:
        return False
    if not format_of(played.season.format).rounds_ahead:
        return Round.objects.filter(season=played.season_id, number__gt=played.number).exists()
    sides = {each for each in (death_match.home_id, death_match.away_id) if each is not None}
    sides |= heirs_of(sides)
    later = DeathMatch.objects.filter(
        Q(home__in=sides) | Q(away__in=sides),
        round__season=played.season_id,
        round__number__gt=played.number,
    )
    begun = Q(legs__status__in=[LegStatus.RUNNING, LegStatus.FINISHED])
    return later.filter(Q(status=DeathMatchStatus.DECIDED) | begun).exists()


def _take_back(season: Season, death_match: DeathMatch, at: datetime) -> None:
    """Take back that a death match is decided, with all that followed from it; it must be
    reversible."""
    if season.status == SeasonStatus.FINISHED:
        seasons.season_reopen(season=season, at=at)
        death_match.round.season = season
    if death_match.round.status == RoundStatus.CLOSED:
        _reopen_round(death_match.round, why="", at=at)
    format_ = format_of(season.format)
    for later in format_.rests_on(death_match=death_match):
        _void_later(later, because=death_match, at=at)
    format_.on_undone(death_match=death_match, at=at)
    stakes.stakes_take_back(death_match, why="The result did not stand.", at=at)
    spending.items_unexpire(death_match=death_match, at=at)
    death_match_move(
        death_match,
        DeathMatchStatus.PLANNED,
        winner=None,
        how="",
        why="",
        decided_at=None,
    )


def _void_later(later: DeathMatch, *, because: DeathMatch, at: datetime) -> None:
    """Void what was played of a later death match, and what rests on that in turn."""
    why = f"The result of {because} did not stand."
    finished = list(later.legs.filter(status=LegStatus.FINISHED))
    for leg in finished:
        leg_void(acting_user=None, leg=leg, why=why, at=at)
    if not finished and later.status == DeathMatchStatus.DECIDED:
        death_match_reopen(acting_user=None, death_match=later, why=why, at=at)


@transaction.atomic
def round_reopen(
    *,
    acting_user: User,
    round: Round,  # noqa: A002
    why: str,
    at: datetime | None = None,
) -> Round:
    """Allow the results of a complete round to be changed, though others rest on them. Raises
    Refusal as `guards.season_lock_managed` does, ``why.*``, ``season.not-running``,
    ``lifecycle.step``."""
    season = season_lock_managed(round.season, acting_user)
    fresh = Round.objects.get(pk=round.pk)
    fresh.season = season
    must_be_closed(fresh)
    why = reason(why)
    _reopen_round(fresh, why=why, at=instant(at), acting_user=acting_user)
    audit_record(
        acting_user=acting_user,
        action="round.reopen",
        target=fresh,
        data={"season": season.pk, "why": why},
    )
    return fresh


def must_be_closed(played: Round) -> None:
    """Whether a round can be reopened. Raises Refusal ``season.not-running`` and
    ``lifecycle.step``."""
    must_be_running_or_finished(played.season)
    _status_after_reopening(played)


def _status_after_reopening(played: Round) -> RoundStatus:
    return lifecycle.step(lifecycle.ROUND, played.status, RoundStatus.REOPENED, played.name)


def _reopen_round(
    played: Round, *, why: str, at: datetime, acting_user: User | None = None
) -> None:
    played.status = _status_after_reopening(played)
    played.closed_at = None
    played.save(update_fields=["status", "closed_at"])
    season_event(
        season=played.season,
        kind="round.reopened",
        words=f"{played.name} {played.verb} reopened{f': {why}' if why else '.'}",
        data={"round": played.number, "why": why},
        round=played,
        by=acting_user,
        at=at,
    )
