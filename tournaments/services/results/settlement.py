"""Results as they come in: a match has ended, and its leg with it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from accounts.models import User
from games.engine.decisions import Seat
from games.models import Match, MatchEntry
from tournaments import lifecycle
from tournaments.lifecycle import How, LegStatus
from tournaments.models import Leg
from tournaments.services.deathmatches import sides_of, wins_of
from tournaments.services.events import season_event
from tournaments.services.guards import death_match_fresh, instant, season_lock
from tournaments.services.items import spending
from tournaments.services.legs import leg_begin
from tournaments.services.results.attempts import leg_replay
from tournaments.services.results.decisions import death_match_decide


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
    leg_begin(leg)
    how = How.RULING if match.reason == "ruling" else How.PLAYED
    by, why = (None, "")
    if match.winner is None or how == How.RULING:
        by, why = last_ruling_of(match_id=match_id)
    if match.winner is None:
        why = why or "The match was declared void."
        leg_replay(leg, why=why, at=at, acting_user=by)
        return True
    leg_finish(leg, winner=match.winner, how=how, at=at)
    leg_count(leg, scores=match.scores, why=why, at=at, by=by)
    return True


def last_ruling_of(*, match_id: int) -> tuple[User | None, str]:
    """Who has last done something at the desk of a match, and the reason that was given; nobody
    where it was the site."""
    acts = MatchEntry.objects.filter(match=match_id, actor=MatchEntry.Actor.ORGANISER)
    last = acts.select_related("by").order_by("-seq").first()
    return (None, "") if last is None else (last.by, last.why)


def leg_finish(leg: Leg, *, winner: Seat, how: How, at: datetime) -> None:
    """Give a leg its winner, and use up what was brought into it."""
    leg.status = lifecycle.step(lifecycle.LEG, leg.status, LegStatus.FINISHED, "The match")
    leg.winner_seat = winner
    leg.how = how
    leg.finished_at = at
    leg.save(update_fields=["status", "winner_seat", "how", "finished_at"])
    spending.items_leave(leg=leg, at=at)


def leg_count(
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
    score = wins if several else score_of(scores)
    death_match.home_score, death_match.away_score = score
    death_match.save(update_fields=["home_score", "away_score"])
    leader = 0 if wins[0] > wins[1] else 1
    if wins[leader] * 2 > death_match.best_of:
        how = How(leg.how)
        if several:
            own = death_match.legs.filter(status=LegStatus.FINISHED, winner_seat=leader)
            how = How.PLAYED if own.exclude(how=How.WALKOVER).exists() else How.WALKOVER
        why = "" if how == How.PLAYED else why
        death_match_decide(death_match, winner=(home, away)[leader], how=how, why=why, at=at, by=by)


def score_of(scores: Sequence[int]) -> tuple[int, int]:
    """The score of a death match of a single match, by seat; 0:0 where its match has none."""
    return (int(scores[0]), int(scores[1])) if len(scores) == 2 else (0, 0)
