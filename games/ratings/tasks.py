"""What workers do for ratings: take in results, and look for those that were missed."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task

from core.clock import now_utc
from core.jobs import guard
from games.jobs import LOOK_AT_PAIRS, RATE, REPAIR_RATINGS
from games.ratings.course import match_judge_course
from games.ratings.pairs import match_look, pairs_sweep
from games.ratings.services import match_rate, ratings_repair, ratings_take_in
from games.ratings.winners import match_look_at_winner, winners_sweep

# How far back the frequent look reaches; the rare one looks at everything.
RECENT = timedelta(days=2)


@shared_task(name=RATE)
def rate() -> None:
    """Take in the results that wait, or what has become of them."""
    ratings_take_in()


@shared_task(name=REPAIR_RATINGS)
@guard.completed("games.ratings.repair")
def repair(everything: bool = False) -> None:
    """Take in results that nobody asked for, as after a change behind our back."""
    ratings_repair(since=None if everything else now_utc() - RECENT)


@shared_task(name=LOOK_AT_PAIRS)
@guard.completed(LOOK_AT_PAIRS)
def look_at_pairs() -> None:
    """Look for results that were farmed where no worker has, or where only later it could be told,
    as by a way in that two have shared since."""
    pairs_sweep(since=RECENT)
    winners_sweep(since=RECENT)


def on_match_ended(*, match_id: int, **_more: object) -> None:
    """A match has a result. This runs in a worker, and waits for no ladder."""
    match_judge_course(match_id=match_id)
    match_rate(match_id=match_id)
    match_look(match_id=match_id)
    match_look_at_winner(match_id=match_id)
