"""A leg that is void, and the attempt that is played in its place."""

from __future__ import annotations

from datetime import datetime

from accounts.models import User
from tournaments import lifecycle
from tournaments.lifecycle import DeathMatchStatus, LegStatus
from tournaments.models import DeathMatch, Leg
from tournaments.services.deathmatches import wins_of
from tournaments.services.events import season_event
from tournaments.services.items import spending
from tournaments.services.legs import by_items, leg_words
from tournaments.services.results.ratings import rating_leave_out


def leg_replay(leg: Leg, *, why: str, at: datetime, acting_user: User | None = None) -> Leg:
    """Void a leg and plan its next attempt; the death match goes on."""
    leg.status = lifecycle.step(lifecycle.LEG, leg.status, LegStatus.VOID, "The match")
    leg.winner_seat = None
    leg.how = ""
    leg.save(update_fields=["status", "winner_seat", "how"])
    if leg.match_id is not None:
        rating_leave_out(leg.match_id, acting_user, why)
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
    spending.items_return(leg=leg, at=at)
    attempts_plan(death_match)
    status_derive(death_match)
    return death_match.legs.exclude(status=LegStatus.VOID).get(number=leg.number)


def attempts_plan(death_match: DeathMatch) -> None:
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


def status_derive(death_match: DeathMatch) -> None:
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
