"""What workers do: look at a match when its time has come, and sweep up what was missed."""

from __future__ import annotations

from typing import Final

import structlog
from celery import shared_task

from core.clock import now_ms, now_utc
from core.jobs import guard
from core.queueing import enqueue
from games import presence
from games.jobs import (
    ADVISE,
    DRAW,
    FOLLOW_UP,
    MOVE_BOT,
    PUZZLES,
    STUDY,
    TELL_PREDICTIONS,
    TELL_RULING,
    TELL_TURN,
    WAKE,
    advice_begun,
    bot_begun,
    puzzles_begun,
    study_begun,
    study_enqueue,
)
from games.pictures.keeping import picture_draw
from games.publishing import notices
from games.puzzles.finding import SEARCHED, match_search, search_due, searches_hand_out
from games.ratings.services import ratings_take_in
from games.reading.processes import WORKERS_SWEEP
from games.services.aftermath import end_follow_up, ends_sweep
from games.services.announcing import ruling_announce, rulings_sweep, turn_announce
from games.services.challenges import challenges_abandon, challenges_expire
from games.services.hosting import hosted_begin_due, hosted_expire
from games.services.late import late_views_show
from games.services.outage import is_serving
from games.services.practice import MOVED, advice_find, bot_move, bots_hand_out
from games.services.predictions import predictions_tell
from games.services.seeks import seek_pair, seeks_expire
from games.services.studies import STUDIED, studies_hand_out, study_can_wait, study_next, study_work
from games.services.sweeping import WOKEN, match_wake_now, matches_hand_out

log = structlog.get_logger("gauntlet.tasks")

# A match that cannot be looked at yet is asked again: at first soon, since mostly a web process is
# about to say that it has nothing left; then less often, for two seconds; then the sweep has it.
AGAIN_S: Final = (0.05, 0.1, 0.15, 0.2, *[0.25] * 6)


@shared_task(name=WAKE)
def wake(match_id: int, tries: int = 0) -> None:
    """Look at one match now, or as soon as its row is free and nothing earlier may come."""
    looked = guard.attempt(WOKEN, match_id, lambda: match_wake_now(match_id), target="games.match")
    if looked is not False:
        return
    if tries < len(AGAIN_S):
        enqueue(WAKE, match_id, tries + 1, countdown=AGAIN_S[tries])
    else:
        log.info("wake.left-to-sweep", match=match_id)


@shared_task(name=WORKERS_SWEEP)
@guard.completed(WORKERS_SWEEP)
def sweep() -> None:
    """Enqueue the matches that are due within seconds, and look at once at those that are
    overdue; show spectators of matches that they see late what is old enough."""
    matches_hand_out()
    late_views_show(now=now_ms())


@shared_task(name="games.tasks.sweep_challenges")
@guard.completed("games.tasks.sweep_challenges")
def sweep_challenges() -> None:
    """Close the challenges that nobody took in time, and those whose owner has left."""
    challenges_expire(now=now_utc())
    if is_serving(now_ms()):
        challenges_abandon(now=now_utc())
    else:
        # Nobody can be seen while there is nothing to see them.
        presence.forget_since()


@shared_task(name="games.tasks.sweep_hosted")
@guard.completed("games.tasks.sweep_hosted")
def sweep_hosted() -> None:
    """Begin the hosted matches whose time has come, and close what not both have accepted."""
    hosted_begin_due(now=now_utc())
    hosted_expire(now=now_utc())


@shared_task(name=MOVE_BOT)
def move_bot(match_id: int) -> None:
    """Have a bot of the site's move in a match that waits for it."""
    bot_begun(match_id=match_id)
    # It thinks for long, and submits in a transaction of its own.
    guard.attempt(
        MOVED,
        match_id,
        lambda: bot_move(match_id=match_id),
        target="games.match",
        limited=False,
    )


@shared_task(name=ADVISE)
def advise(match_id: int, seat: int) -> None:
    """Find what the strong bot would play in somebody's place."""
    advice_begun()
    advice_find(match_id=match_id, seat=1 if seat else 0)


@shared_task(name=STUDY)
def study() -> None:
    """Do a piece of the study that has waited longest, and have the next one done."""
    study_begun()
    match_id = study_next()
    if match_id is None:
        return
    if study_can_wait(match_id):
        study_enqueue(later=True)
        return
    # It thinks for long, and what it finds is stored piece by piece.
    guard.attempt(
        STUDIED,
        match_id,
        lambda: study_work(match_id=match_id),
        target="games.match",
        limited=False,
    )
    if study_next() is not None:
        study_enqueue()


@shared_task(name=PUZZLES)
@guard.completed(PUZZLES)
def puzzles() -> None:
    """Look through a match for a puzzle, and have the next one looked through, until enough is done
    for the day. Called every hour: a night that was missed is made up for."""
    puzzles_begun()
    match_id = search_due()
    if match_id is None:
        return
    # It thinks for long, and adds what it finds in a transaction of its own.
    guard.attempt(
        SEARCHED,
        match_id,
        lambda: match_search(match_id=match_id),
        target="games.match",
        limited=False,
    )
    searches_hand_out()


@shared_task(name="games.tasks.sweep_bots")
@guard.completed("games.tasks.sweep_bots")
def sweep_bots() -> None:
    """Have bots move whose task was lost, and go on with what is studied."""
    bots_hand_out()
    studies_hand_out()


@shared_task(name="games.tasks.pair")
@guard.completed("games.tasks.pair")
def pair() -> None:
    """Pair those who wait for an opponent, and forget those who have gone."""
    seeks_expire(now=now_ms())
    seek_pair(now=now_ms())


@shared_task(name=FOLLOW_UP)
def follow_up(match_id: int) -> None:
    """Do what follows the end of a match."""
    end_follow_up(match_id=match_id)


@shared_task(name="games.tasks.sweep_ends")
@guard.completed("games.tasks.sweep_ends")
def sweep_ends() -> None:
    """Do what follows the ends that no worker was told of, tell of the rulings that are awaited,
    and take in results that wait."""
    ends_sweep()
    rulings_sweep()
    ratings_take_in()


@shared_task(name=DRAW)
def draw(match_id: int, kind: str, number: int, digest: str, release: str, until: int = 0) -> None:
    """Draw a picture of a match's position that somebody waits for."""
    picture_draw(
        match_id=match_id, kind=kind, number=number, digest=digest, release=release, until=until
    )


@shared_task(name=TELL_RULING)
def tell_ruling(match_id: int, seq: int, waits: bool) -> None:
    """Tell those who may rule on a match that it waits for them since its entry ``seq``, or no
    longer does."""
    notices.announce_ruling(match_id, waits=waits)
    if waits:
        ruling_announce(match_id=match_id, seq=seq)


@shared_task(name=TELL_TURN)
def tell_turn(match_id: int, seat: int, since: int) -> None:
    """Tell a player who does not look at a match that it waits for them."""
    turn_announce(match_id=match_id, seat=1 if seat else 0, since=since)


@shared_task(name=TELL_PREDICTIONS)
def tell_predictions(match_id: int) -> None:
    """Tell those who watch a match how many think that who will win."""
    predictions_tell(match_id)
