"""What a result leads to: death matches decided, ruled, voided and corrected, and what follows.

A death match is decided by its legs, or by a ruling; what follows for the season is the format's
(see `formats`). Everything that changes something runs under the season's lock. Long, since each
of these undoes what another has done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial

import structlog
from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Refusal
from games import store
from games.engine.decisions import Seat, other
from games.engine.errors import EngineFault
from games.models import Match, MatchEntry
from games.ratings.services import rating_correct, rating_exclude
from games.services.turns import match_organise, match_submit
from tournaments import lifecycle
from tournaments.formats.base import Follows, Walkover
from tournaments.formats.registry import course_of, format_of
from tournaments.lifecycle import (
    PLAYABLE,
    SETTLED,
    DeathMatchStatus,
    How,
    LegStatus,
    RoundStatus,
    SeasonStatus,
)
from tournaments.models import Contestant, DeathMatch, Leg, Round, Season
from tournaments.services import items, seasons
from tournaments.services.deathmatches import (
    death_match_move,
    round_close,
    seat_of_side,
    sides_of,
    wins_of,
)
from tournaments.services.events import season_event
from tournaments.services.guards import (
    death_match_fresh,
    death_match_lock_managed,
    instant,
    leg_lock_managed,
    must_be_running,
    must_be_running_or_finished,
    must_not_be_frozen,
    reason,
    season_lock,
    season_lock_managed,
)
from tournaments.services.legs import by_items, leg_words, ms, must_both_be_in

log = structlog.get_logger("gauntlet.seasons")


@transaction.atomic
def leg_settle(*, match_id: int) -> bool:
    """Take over the result of a match that has ended; whether there was anything to take over.

    Idempotent, and safe to call for any match: after each end, and from the sweep for what was
    missed. A match that was declared void is played again.
    """
    found = Leg.objects.filter(match=match_id).values("pk", "death_match__round__season").first()
    if found is None:
        return False
    season = season_lock(found["death_match__round__season"])
    leg = Leg.objects.get(pk=found["pk"])
    match = Match.objects.defer("snapshot").get(pk=match_id)
    if leg.status != LegStatus.RUNNING or not match.is_over:
        return False
    leg.death_match = death_match_fresh(leg.death_match_id)
    leg.death_match.round.season = season
    at = match.finished_at or instant(None)
    how = How.RULING if match.reason == "ruling" else How.PLAYED
    by, why = (None, "")
    if match.winner is None or how == How.RULING:
        by, why = last_ruling_of(match_id=match_id)
    if match.winner is None:
        why = why or "The match was declared void."
        _void_leg(leg, why=why, at=at, acting_user=by)
        return True
    _finish_leg(leg, winner=match.winner, how=how, at=at)
    _after_leg(leg, scores=match.scores, why=why, at=at, by=by)
    return True


def last_ruling_of(*, match_id: int) -> tuple[User | None, str]:
    """Who has last done something at the desk of a match, and the reason that was given; nobody
    where it was the site."""
    acts = MatchEntry.objects.filter(match=match_id, actor=MatchEntry.Actor.ORGANISER)
    last = acts.select_related("by").order_by("-seq").first()
    return (None, "") if last is None else (last.by, last.why)


def _finish_leg(leg: Leg, *, winner: Seat, how: How, at: datetime) -> None:
    leg.status = lifecycle.step(lifecycle.LEG, leg.status, LegStatus.FINISHED, "The match")
    leg.winner_seat = winner
    leg.how = how
    leg.finished_at = at
    leg.save(update_fields=["status", "winner_seat", "how", "finished_at"])
    items.items_leave(leg=leg, at=at)


def _after_leg(
    leg: Leg, *, scores: Sequence[int], why: str = "", at: datetime, by: User | None = None
) -> None:
    """Decide the death match where this leg has, else go on. ``why``: of a leg not played; ``by``:
    who ruled that it ended so."""
    death_match = leg.death_match
    wins = wins_of(death_match)
    home, away = sides_of(death_match)
    several = death_match.best_of > 1
    if several:
        winner = away if leg.winner_seat else home
        season_event(
            season=death_match.round.season,
            kind="death-match.leg",
            words=f"{winner.name} wins match {leg.number}: {wins[0]}:{wins[1]}.",
            data={"winner": winner.pk, "leg": leg.number, "score": list(wins)},
            leg=leg,
            at=at,
        )
    score = wins if several else _pair(scores)
    death_match.home_score, death_match.away_score = score
    death_match.save(update_fields=["home_score", "away_score"])
    leader = 0 if wins[0] > wins[1] else 1
    if wins[leader] * 2 > death_match.best_of:
        how = How(leg.how)
        if several:
            own = death_match.legs.filter(status=LegStatus.FINISHED, winner_seat=leader)
            how = How.PLAYED if own.exclude(how=How.WALKOVER).exists() else How.WALKOVER
        why = "" if how == How.PLAYED else why
        _decide(death_match, winner=(home, away)[leader], how=how, why=why, at=at, by=by)


def _pair(scores: Sequence[int]) -> tuple[int, int]:
    return (int(scores[0]), int(scores[1])) if len(scores) == 2 else (0, 0)


def _decide(
    death_match: DeathMatch,
    *,
    winner: Contestant,
    how: How,
    why: str,
    at: datetime,
    by: User | None = None,
    follows: str = "",
) -> None:
    """Decide a death match. ``by``: the organiser whose ruling it is. ``follows``: the kind of the
    event that has told of the same action."""
    for leg in death_match.legs.filter(status=LegStatus.PLANNED):
        # Not needed any more: nothing was played, so nothing is said.
        leg.declarations.all().delete()
        leg.status = lifecycle.step(lifecycle.LEG, leg.status, LegStatus.VOID, "The match")
        leg.save(update_fields=["status"])
    death_match_move(
        death_match, DeathMatchStatus.DECIDED, winner=winner, how=how, why=why, decided_at=at
    )
    home, away = death_match.home, death_match.away
    loser = away if home is not None and winner.pk == home.pk else home
    against = f" against {loser.name}" if loser is not None else ""
    said = {
        How.PLAYED: f"{winner.name} wins{against}.",
        How.WALKOVER: f"{winner.name} wins{against} without playing: {why}",
        How.RULING: f"{winner.name} is given the win{against}: {why}"
        if why
        else f"{winner.name} is given the win{against}.",
    }
    season_event(
        season=death_match.round.season,
        kind="death-match.decided",
        words=said[how],
        data={
            "winner": winner.pk,
            "loser": None if loser is None else loser.pk,
            "names": [each.name for each in (home, away) if each is not None],
            "how": how,
            "why": why,
            "score": [death_match.home_score, death_match.away_score],
            **({"follows": follows} if follows else {}),
        },
        death_match=death_match,
        contestant=winner,
        by=by,
        at=at,
    )
    items.items_expire(death_match=death_match, at=at)
    season = death_match.round.season
    follow(
        format_of(season.format).on_decided(death_match=death_match, at=at), season=season, at=at
    )
    round_settle(round=death_match.round, at=at)


@transaction.atomic
def death_match_declare(
    *,
    acting_user: User,
    death_match: DeathMatch,
    winner: Contestant,
    why: str,
    at: datetime | None = None,
) -> DeathMatch:
    """Rule who has won a death match that is not decided; a match that is being played ends.

    Refusals: those of `guards.season_lock_managed`, ``season.not-running``, ``death-match.own``,
    ``why.*``, ``death-match.settled``, ``death-match.sides``, ``death-match.winner``.
    """
    return _rule(acting_user, death_match, winner, why, How.RULING, at)


@transaction.atomic
def death_match_walkover(
    *,
    acting_user: User,
    death_match: DeathMatch,
    winner: Contestant,
    why: str,
    at: datetime | None = None,
) -> DeathMatch:
    """Let somebody win because the other is not there. Refusals as `death_match_declare`."""
    return _rule(acting_user, death_match, winner, why, How.WALKOVER, at)


def _rule(
    acting_user: User,
    death_match: DeathMatch,
    winner: Contestant,
    why: str,
    how: How,
    at: datetime | None,
) -> DeathMatch:
    _season, fresh = death_match_lock_managed(death_match, acting_user)
    must_be_decidable(fresh)
    why = reason(why)
    seat = seat_of_side(fresh, winner)
    _end_running(fresh, winner=seat, how=how, acting_user=acting_user, why=why, at=instant(at))
    _decide(
        fresh,
        winner=sides_of(fresh)[seat],
        how=how,
        why=why,
        at=instant(at),
        by=acting_user,
    )
    audit_record(
        acting_user=acting_user,
        action="death_match.declare" if how == How.RULING else "death_match.walkover",
        target=fresh,
        data={"winner": winner.pk, "why": why},
    )
    return fresh


def must_be_decidable(death_match: DeathMatch) -> None:
    """Whether it can be ruled who has won. Raises Refusal ``season.not-running``,
    ``death-match.settled`` and ``death-match.sides``."""
    must_be_running(death_match.round.season)
    if death_match.status not in PLAYABLE:
        raise Refusal(
            "death-match.settled" if death_match.status in SETTLED else "death-match.sides",
            f"This death match is “{death_match.get_status_display()}”.",
        )


def death_match_forfeit(
    death_match: DeathMatch,
    *,
    winner: Contestant,
    why: str,
    acting_user: User | None,
    at: datetime,
    follows: str = "",
) -> None:
    """Decide an open death match without playing on, as part of another action under the season's
    lock, of which an event of the kind ``follows`` has told. ``acting_user`` ends a match that is
    being played: an organiser by ruling, anybody else by the leaving player's concession."""
    fresh = death_match_fresh(death_match.pk)
    if fresh.status in SETTLED:
        return
    if fresh.home_id is not None and fresh.away_id is not None:
        seat = seat_of_side(fresh, winner)
        _end_running(fresh, winner=seat, how=How.WALKOVER, acting_user=acting_user, why=why, at=at)
    _decide(fresh, winner=winner, how=How.WALKOVER, why=why, at=at, follows=follows)


def leg_forfeit(leg: Leg, *, winner: Seat, why: str, at: datetime, follows: str = "") -> None:
    """Give a leg that has not begun to the player who is there, as part of another action under the
    season's lock: the death match where it is the only one, else no more than this leg."""
    death_match = leg.death_match
    if death_match.best_of == 1:
        there = sides_of(death_match)[winner]
        death_match_forfeit(
            death_match, winner=there, why=why, acting_user=None, at=at, follows=follows
        )
        return
    # Nothing was brought: what was declared stays with its holder.
    leg.declarations.all().delete()
    if death_match.status == DeathMatchStatus.PLANNED:
        death_match_move(death_match, DeathMatchStatus.RUNNING)
    _finish_leg(leg, winner=winner, how=How.WALKOVER, at=at)
    _after_leg(leg, scores=(), why=why, at=at)


def _end_running(
    death_match: DeathMatch,
    *,
    winner: Seat,
    how: How,
    acting_user: User | None,
    why: str,
    at: datetime,
) -> None:
    """End the match that is being played, if there is one, and its leg with it."""
    leg = death_match.legs.filter(status=LegStatus.RUNNING).first()
    if leg is None or leg.match_id is None:
        return
    ended = _is_over_without_result(leg)
    loser = sides_of(death_match)[other(winner)].user
    if ended:
        if death_match.best_of == 1:
            _correct_rating(leg.match_id, winner, acting_user, why)
    elif acting_user is None or (loser is not None and loser.pk == acting_user.pk):
        if loser is None:
            raise EngineFault("a running match has a player without an account")
        with _of_a_running_match():
            match_submit(
                match_id=leg.match_id,
                seat=other(winner),
                acting_user=loser,
                client_id=f"season-{leg.pk}",
                text="concede",
                version=store.read(leg.match_id).readers.versions[other(winner)],
                at=ms(at),
            )
    else:
        _end_by_organiser(leg, acting_user, f"winner {winner}", why, at)
    leg.death_match = death_match
    _finish_leg(leg, winner=winner, how=how, at=at)
    score = (
        wins_of(death_match)
        if death_match.best_of > 1
        else _pair(Match.objects.values_list("scores", flat=True).get(pk=leg.match_id))
    )
    death_match.home_score, death_match.away_score = score
    death_match.save(update_fields=["home_score", "away_score"])


def _end_by_organiser(
    leg: Leg, acting_user: User | None, text: str, why: str, at: datetime
) -> None:
    if leg.match_id is None or acting_user is None:
        raise EngineFault("only an organiser ends a running match")
    with _of_a_running_match():
        match_organise(
            match_id=leg.match_id,
            acting_user=acting_user,
            client_id=f"season-{leg.pk}-{text.replace(' ', '-')}",
            text=text,
            why=why,
            at=ms(at),
        )


@contextmanager
def _of_a_running_match() -> Iterator[None]:
    """Raises Refusal ``leg.just-ended`` where it was over before."""
    try:
        yield
    except Refusal as refusal:
        if refusal.code == "match.over":
            raise _too_late() from refusal
        raise


def _too_late() -> Refusal:
    return Refusal("leg.just-ended", "This match has just ended by itself. Please look again.")


def _is_over_without_result(leg: Leg) -> bool:
    """Whether the match of a running leg is over and the season cannot take its result: there is
    nothing left to end, and it is for an organiser to say what becomes of the leg.

    Raises Refusal ``leg.just-ended`` for a result that is on its way: that one counts.
    """
    if leg.match_id is None or not Match.objects.defer("snapshot").get(pk=leg.match_id).is_over:
        return False
    try:
        # Only tried: what it changes, and would have told, is rolled back.
        with transaction.atomic():
            leg_settle(match_id=leg.match_id)
            transaction.set_rollback(True)
    except (Refusal, EngineFault) as error:
        log.warning("leg.not-taken", leg=leg.pk, match=leg.match_id, error=str(error))
        return True
    raise _too_late()


def _correct_rating(match_id: int, winner: Seat, acting_user: User | None, why: str) -> None:
    _rule_if_rated(
        partial(
            rating_correct,
            match_id=match_id,
            acting_user=acting_user,
            winner=winner,
            why=why,
            authorised=True,
        )
    )


@transaction.atomic
def leg_void(*, acting_user: User | None, leg: Leg, why: str, at: datetime | None = None) -> Leg:
    """Declare a match void, running or finished, and have it played again; the next attempt.
    A format (``acting_user`` None) does so with finished ones only.

    What its result had led to is taken back. Refusals: those of `guards.season_lock_managed`,
    ``death-match.own``, ``why.*``, ``leg.nothing-played``, ``round.frozen``,
    ``death-match.side-left``, those of the format.
    """
    season, fresh = leg_lock_managed(leg, acting_user)
    must_be_replayable(fresh)
    why = reason(why)
    at = instant(at)
    if fresh.status == LegStatus.RUNNING:
        if not _is_over_without_result(fresh):
            _end_by_organiser(fresh, acting_user, "void", why, at)
    elif fresh.death_match.status == DeathMatchStatus.DECIDED:
        _take_back(season, fresh.death_match, at)
    # What an organiser has played again needs both; a format sees to that itself.
    if acting_user is not None:
        must_both_be_in(fresh.death_match)
    replay = _void_leg(fresh, why=why, at=at, acting_user=acting_user)
    audit_record(
        acting_user=acting_user,
        action="leg.void",
        target=fresh,
        data={"death_match": fresh.death_match_id, "number": fresh.number, "why": why},
    )
    return replay


def must_be_replayable(leg: Leg) -> None:
    """Whether a match can be declared void. Raises Refusal ``leg.nothing-played``,
    ``season.not-running`` and those of `must_be_reversible`."""
    if leg.status not in (LegStatus.RUNNING, LegStatus.FINISHED):
        raise Refusal("leg.nothing-played", "There is nothing here to be declared void.")
    season = leg.death_match.round.season
    must_be_running_or_finished(season)
    if leg.status == LegStatus.RUNNING:
        must_be_running(season)
    elif leg.death_match.status == DeathMatchStatus.DECIDED:
        must_be_reversible(leg.death_match)


def _void_later(later: DeathMatch, *, because: DeathMatch, at: datetime) -> None:
    """Void what was played of a later death match, and what rests on that in turn."""
    why = f"The result of {because} did not stand."
    finished = list(later.legs.filter(status=LegStatus.FINISHED))
    for leg in finished:
        leg_void(acting_user=None, leg=leg, why=why, at=at)
    if not finished and later.status == DeathMatchStatus.DECIDED:
        death_match_reopen(acting_user=None, death_match=later, why=why, at=at)


def _void_leg(leg: Leg, *, why: str, at: datetime, acting_user: User | None = None) -> Leg:
    """Void a leg and plan its next attempt; the death match goes on."""
    leg.status = lifecycle.step(lifecycle.LEG, leg.status, LegStatus.VOID, "The match")
    leg.winner_seat = None
    leg.how = ""
    leg.save(update_fields=["status", "winner_seat", "how"])
    if leg.match_id is not None:
        _exclude_from_rating(leg.match_id, acting_user, why)
    death_match = leg.death_match
    season_event(
        season=death_match.round.season,
        kind="death-match.void",
        words=f"{leg_words(leg).rstrip(',')} is void and will be played again: {why}",
        data={"leg": leg.number, "attempt": leg.attempt, "match": leg.match_id, "why": why},
        leg=leg,
        by=acting_user,
        at=at,
    )
    items.items_return(leg=leg, at=at)
    _complete_legs(death_match)
    _derive_status(death_match)
    return death_match.legs.exclude(status=LegStatus.VOID).get(number=leg.number)


def _exclude_from_rating(match_id: int, acting_user: User | None, why: str) -> None:
    _rule_if_rated(
        partial(
            rating_exclude, match_id=match_id, acting_user=acting_user, why=why, authorised=True
        )
    )


def _rule_if_rated(rule: Callable[[], object]) -> None:
    """Rule on a rating, unless there is nothing to rule: the match counts for nobody, or so
    already."""
    try:
        rule()
    except Refusal as refusal:
        if refusal.code not in ("rating.excluded", "rating.no-accounts", "rating.same-winner"):
            raise


def _complete_legs(death_match: DeathMatch) -> None:
    """Plan the next attempt of every leg that has none that counts."""
    own = list(death_match.legs.order_by("number", "attempt"))
    latest = {leg.number: leg for leg in own}
    for leg in latest.values():
        if leg.status != LegStatus.VOID:
            continue
        Leg.objects.create(
            death_match=death_match,
            number=leg.number,
            attempt=leg.attempt + 1,
            ruleset=leg.ruleset,
            variant=leg.variant,
            options=leg.options,
            # What was prepared has been seen if it was played; an organiser supplies it anew.
            prepared={} if leg.match_id else leg.prepared,
            prepared_by=None if leg.match_id else leg.prepared_by,
            advantage=None if by_items(leg) else leg.advantage,
        )


def _derive_status(death_match: DeathMatch) -> None:
    """Bring an undecided death match's state and score into line with its legs."""
    begun = death_match.legs.filter(status__in=[LegStatus.RUNNING, LegStatus.FINISHED]).exists()
    then = DeathMatchStatus.RUNNING if begun else DeathMatchStatus.PLANNED
    if death_match.status != then:
        death_match.status = lifecycle.step(
            lifecycle.DEATH_MATCH, death_match.status, then, "The death match"
        )
    wins = wins_of(death_match) if death_match.best_of > 1 else (0, 0)
    death_match.home_score, death_match.away_score = wins
    death_match.save(update_fields=["status", "home_score", "away_score"])


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
    items.items_unexpire(death_match=death_match, at=at)
    death_match_move(
        death_match,
        DeathMatchStatus.PLANNED,
        winner=None,
        how="",
        why="",
        decided_at=None,
    )


def must_be_reversible(death_match: DeathMatch) -> None:
    """Whether what a result has led to can be taken back. Raises Refusal ``death-match.bye``,
    ``round.frozen`` and those of the format."""
    if death_match.how == How.BYE:
        raise Refusal("death-match.bye", "A bye was not played: there is nothing to take back.")
    must_not_be_frozen(death_match)
    format_of(death_match.round.season.format).must_be_undoable(death_match=death_match)


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
    ``lifecycle.step``, ``round.frozen`` and those of the format."""
    season = death_match.round.season
    must_be_running_or_finished(season)
    lifecycle.step(
        lifecycle.DEATH_MATCH, death_match.status, DeathMatchStatus.VOID, "The death match"
    )
    format_of(season.format).must_be_voidable(death_match=death_match)
    if death_match.status == DeathMatchStatus.DECIDED:
        must_be_reversible(death_match)


@transaction.atomic
def death_match_reopen(
    *, acting_user: User | None, death_match: DeathMatch, why: str, at: datetime | None = None
) -> DeathMatch:
    """Take back that a death match was decided, and have what is left of it played: after a
    walkover or a ruling that was a mistake.

    Refusals: those of `guards.season_lock_managed`, ``death-match.own``, ``why.*``,
    ``season.not-running``, ``death-match.undecided``, ``death-match.bye``,
    ``death-match.played-out`` (its matches decide it: one of them must be declared void, or the
    result corrected), ``round.frozen``, ``death-match.side-left``, those of the format.
    """
    season, fresh = death_match_lock_managed(death_match, acting_user)
    must_be_reopenable(fresh)
    why = reason(why)
    at = instant(at)
    _take_back(season, fresh, at)
    if acting_user is not None:
        must_both_be_in(fresh)
    _complete_legs(fresh)
    _derive_status(fresh)
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

    Refusals: those of `guards.season_lock_managed`, ``death-match.own``, ``why.*``,
    ``season.not-running``, ``death-match.undecided``, ``death-match.bye``, ``death-match.winner``,
    ``death-match.same-winner``, ``round.frozen``, those of the format.
    """
    season, fresh = death_match_lock_managed(death_match, acting_user)
    must_be_correctable(fresh)
    why = reason(why)
    at = instant(at)
    seat = seat_of_side(fresh, winner)
    before = fresh.winner
    if before is None or before.pk == winner.pk:
        raise Refusal("death-match.same-winner", f"{winner.name} has won it already.")
    _take_back(season, fresh, at)
    if fresh.best_of == 1:
        played = fresh.legs.filter(status=LegStatus.FINISHED, match__isnull=False)
        for match_id in played.values_list("match", flat=True):
            _correct_rating(match_id, seat, acting_user, why)
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
    _decide(
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

    Refusals: those of `guards.season_lock_managed`, ``death-match.own``, ``why.*``,
    ``season.not-running``, ``lifecycle.step``, ``round.frozen``, those of the format.
    """
    season, fresh = death_match_lock_managed(death_match, acting_user)
    must_be_voidable(fresh)
    why = reason(why)
    at = instant(at)
    if fresh.status == DeathMatchStatus.DECIDED:
        _take_back(season, fresh, at)
    for leg in fresh.legs.exclude(status=LegStatus.VOID):
        if leg.status == LegStatus.RUNNING and not _is_over_without_result(leg):
            _end_by_organiser(leg, acting_user, "void", why, at)
        if leg.match_id is not None:
            _exclude_from_rating(leg.match_id, acting_user, why)
        leg.status = lifecycle.step(lifecycle.LEG, leg.status, LegStatus.VOID, "The match")
        leg.winner_seat = None
        leg.how = ""
        leg.save(update_fields=["status", "winner_seat", "how"])
        leg.death_match = fresh
        items.items_return(leg=leg, at=at)
        leg.declarations.all().delete()
    death_match_move(fresh, DeathMatchStatus.VOID, home_score=0, away_score=0)
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


def follow(follows: Follows, *, season: Season, at: datetime) -> None:
    """Do what a format's step has said is to be done, under the season's lock."""
    for each in follows.walkovers:
        _give(each, at)
    if follows.settles is not None:
        round_settle(round=follows.settles, at=at)
    if follows.concludes:
        _conclude_if_clear(Season.objects.get(pk=season.pk), at)


def _give(walkover: Walkover, at: datetime) -> None:
    """Whoever has left lost what they were playing before their format was asked: nothing of what
    it gives away has to be ended."""
    fresh = death_match_fresh(walkover.death_match.pk)
    if fresh.status in SETTLED:
        return
    if fresh.legs.filter(status=LegStatus.RUNNING).exists():
        raise EngineFault("a format gives away no match that is being played")
    _decide(fresh, winner=walkover.winner, how=How.WALKOVER, why=walkover.why, at=at)


def _conclude_if_clear(season: Season, at: datetime) -> None:
    """End the season after its last result, unless an organiser has to say who has won."""
    if season.status != SeasonStatus.RUNNING:
        return
    try:
        tied = len(course_of(season).first) > 1
    except Refusal:
        return  # everybody has left: organisers decide what becomes of it
    if not tied:
        season_conclude(acting_user=None, season=season, at=at)


def round_settle(*, round: Round, at: datetime) -> None:  # noqa: A002
    """Have the format do its next step where nothing of a round is left to be played; under the
    season's lock."""
    fresh = Round.objects.select_related("season").get(pk=round.pk)
    if fresh.status == RoundStatus.CLOSED or fresh.season.status != SeasonStatus.RUNNING:
        return
    if fresh.death_matches.exclude(status__in=SETTLED).exists():
        return
    if fresh.death_matches.filter(status=DeathMatchStatus.DECIDED).exists():
        season = fresh.season
        follow(format_of(season.format).complete(round=fresh, at=at), season=season, at=at)


@transaction.atomic
def round_reopen(
    *,
    acting_user: User,
    round: Round,  # noqa: A002
    why: str,
    at: datetime | None = None,
) -> Round:
    """Allow the results of a complete round to be changed, though others rest on them.
    Refusals: those of `guards.season_lock_managed`, ``why.*``, ``season.not-running``,
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
    _reopened(played)


def _reopened(played: Round) -> RoundStatus:
    return lifecycle.step(lifecycle.ROUND, played.status, RoundStatus.REOPENED, played.name)


def _reopen_round(
    played: Round, *, why: str, at: datetime, acting_user: User | None = None
) -> None:
    played.status = _reopened(played)
    played.closed_at = None
    played.save(update_fields=["status", "closed_at"])
    season_event(
        season=played.season,
        kind="round.reopened",
        words=f"{played.name} is reopened: {why}" if why else f"{played.name} is reopened.",
        data={"round": played.number, "why": why},
        round=played,
        by=acting_user,
        at=at,
    )


# -- the end of a season -------------------------------------------------------------------------


def season_end(
    *,
    acting_user: User,
    season: Season,
    winner: Contestant | None = None,
    at: datetime | None = None,
) -> Season:
    """End a running season as its format ends: by its order, or with whoever is left. Refusals:
    those of `season_conclude` or `seasons.season_finish`."""
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

    Brackets, round robins and Swiss seasons conclude by themselves with their last result, but for
    a tie at the top that no metric has broken: then an organiser says which of the tied has won. A
    ladder ends whenever its organisers say so. Refusals: those of `guards.season_lock_managed`,
    ``season.not-running``, ``season.not-concluded`` (rounds or matches are missing, or an
    elimination season), ``season.tied`` (``winner`` must be said), ``season.not-first``,
    ``season.own`` (by one of the tied).
    """
    locked = season_lock_managed(season, acting_user)
    must_be_running(locked)
    at = instant(at)
    course = course_of(locked)
    first = course.first
    if winner is not None and winner.pk not in first:
        raise Refusal("season.not-first", f"{winner.name} does not stand first.")
    for refusal in course.tie(acting_user):
        if winner is None or refusal.code != "season.tied":
            raise refusal
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
