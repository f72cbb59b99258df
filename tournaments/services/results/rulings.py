"""Rulings that decide: who has won what was not played, or not to its end."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Refusal
from games.engine.decisions import Seat
from tournaments.lifecycle import PLAYABLE, SETTLED, DeathMatchStatus, How
from tournaments.models import Contestant, DeathMatch, Leg
from tournaments.rights import Right
from tournaments.services.deathmatches import death_match_move, seat_of_side, sides_of
from tournaments.services.guards import (
    death_match_fresh,
    death_match_lock_managed,
    instant,
    must_be_running,
    reason,
)
from tournaments.services.results.decisions import death_match_decide
from tournaments.services.results.running import running_end
from tournaments.services.results.settlement import leg_count, leg_finish


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

    Raises Refusal as `guards.season_lock_managed` does, ``season.not-running``,
    ``death-match.own``, ``why.*``, ``death-match.settled``, ``death-match.sides``,
    ``death-match.winner``.
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
    """Let somebody win because the other is not there. Raises Refusal as `death_match_declare`
    does."""
    return _rule(acting_user, death_match, winner, why, How.WALKOVER, at)


def _rule(
    acting_user: User,
    death_match: DeathMatch,
    winner: Contestant,
    why: str,
    how: How,
    at: datetime | None,
) -> DeathMatch:
    _season, fresh = death_match_lock_managed(death_match, acting_user, Right.MATCHES)
    must_be_decidable(fresh)
    why = reason(why)
    seat = seat_of_side(fresh, winner)
    running_end(fresh, winner=seat, how=how, acting_user=acting_user, why=why, at=instant(at))
    death_match_decide(
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
        running_end(fresh, winner=seat, how=How.WALKOVER, acting_user=acting_user, why=why, at=at)
    death_match_decide(fresh, winner=winner, how=How.WALKOVER, why=why, at=at, follows=follows)


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
    leg_finish(leg, winner=winner, how=How.WALKOVER, at=at)
    leg_count(leg, scores=(), why=why, at=at)
