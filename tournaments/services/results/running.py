"""A match that is being played, ended because its season rules on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import structlog
from django.db import transaction

from accounts.models import User
from core.refusals import Refusal
from games import store
from games.engine.decisions import Seat, other
from games.engine.errors import EngineFault
from games.models import Match
from games.reasons import WHY_MAX
from games.services.arrivals import match_still_waits, match_void_waiting
from games.services.turns import match_organise, match_submit
from tournaments.lifecycle import How, LegStatus
from tournaments.models import DeathMatch, Leg
from tournaments.services.deathmatches import sides_of, wins_of
from tournaments.services.legs import leg_begin, ms
from tournaments.services.results.ratings import rating_set_right
from tournaments.services.results.settlement import leg_finish, leg_settle, score_of

log = structlog.get_logger("gauntlet.seasons")


def running_end(
    death_match: DeathMatch,
    *,
    winner: Seat,
    how: How,
    acting_user: User | None,
    why: str,
    at: datetime,
) -> None:
    """End the match that is being played, if there is one, and its leg with it. One that waits for
    its players is void: nobody can have won it, and the leg is won without it."""
    leg = death_match.legs.filter(status=LegStatus.RUNNING).first()
    if leg is None or leg.match_id is None:
        return
    ended = is_over_without_result(leg)
    leg_begin(leg)
    sides = sides_of(death_match)
    loser = sides[other(winner)].user
    own = acting_user is None or (loser is not None and loser.pk == acting_user.pk)
    if ended:
        if death_match.best_of == 1:
            rating_set_right(leg.match_id, winner, acting_user, why)
    elif match_still_waits(match_id=leg.match_id):
        told = f"{sides[winner].name} wins without playing: {why}"[:WHY_MAX]
        if own:
            match_void_waiting(match_id=leg.match_id, why=told, at=ms(at))
        else:
            end_by_organiser(leg, acting_user, "void", told, at)
    elif own:
        if loser is None:
            raise EngineFault("a running match has a player without an account")
        _concede(leg.match_id, f"season-{leg.pk}", loser, other(winner), at)
    else:
        end_by_organiser(leg, acting_user, f"winner {winner}", why, at)
    leg.death_match = death_match
    leg_finish(leg, winner=winner, how=how, at=at)
    score = (
        wins_of(death_match)
        if death_match.best_of > 1
        else score_of(Match.objects.values_list("scores", flat=True).get(pk=leg.match_id))
    )
    death_match.home_score, death_match.away_score = score
    death_match.save(update_fields=["home_score", "away_score"])


def end_by_organiser(leg: Leg, acting_user: User | None, text: str, why: str, at: datetime) -> None:
    """Do an organiser's act, ``text``, that ends the match of a leg. Raises Refusal
    ``leg.just-ended``."""
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


def _concede(match_id: int, client_id: str, loser: User, seat: Seat, at: datetime) -> None:
    with _of_a_running_match():
        match_submit(
            match_id=match_id,
            seat=seat,
            acting_user=loser,
            client_id=client_id,
            text="concede",
            version=store.read(match_id).readers.versions[seat],
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


def is_over_without_result(leg: Leg) -> bool:
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
