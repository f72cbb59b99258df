"""The tasks of `games`, by the names under which they are handed to workers: whoever asks for one
need not know what it does."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import structlog
from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError

from core.clock import now_ms
from core.queueing import enqueue
from games.engine.decisions import Seat

log = structlog.get_logger("gauntlet.tasks")

WAKE: Final = "games.tasks.wake"
FOLLOW_UP: Final = "games.tasks.follow_up"
TELL_RULING: Final = "games.tasks.tell_ruling"
TELL_TURN: Final = "games.tasks.tell_turn"
TELL_PREDICTIONS: Final = "games.tasks.tell_predictions"
DRAW: Final = "games.tasks.draw"
MOVE_BOT: Final = "games.bots.move"
ADVISE: Final = "games.bots.advise"
STUDY: Final = "games.bots.study"
PUZZLES: Final = "games.bots.puzzles"
RATE: Final = "games.ratings.rate"
REPAIR_RATINGS: Final = "games.ratings.repair"
LOOK_AT_PAIRS: Final = "games.ratings.pairs"


# How long after a bot's move its opponent may soon want another one.
PLAYING_S: Final = 4


def bot_enqueue(*, match_id: int) -> None:
    """Have a bot of the site's move in a match, in a moment: people like to see what they have done
    themselves. Enqueues once until that is begun (`bot_begun`); what is lost is found by the
    sweep."""
    wait_s = settings.GAUNTLET_BOT_QUEUE_SECONDS
    try:
        first = cache.add(f"bot:{match_id}", 1, timeout=wait_s)
    except RedisError as error:
        log.warning("bot.not-noted", match=match_id, error=type(error).__name__)
        return
    if first:
        pause = settings.GAUNTLET_BOT_PAUSE_MS / 1000
        if enqueue(MOVE_BOT, match_id, countdown=pause or None, expires=wait_s):
            _note_waiting()


def bot_begun(*, match_id: int) -> None:
    """What `bot_enqueue` has handed on is begun: what comes now is to be handed on anew."""
    try:
        cache.delete_many([f"bot:{match_id}", "bots:waiting"])
        cache.set("bots:playing", 1, timeout=PLAYING_S)
    except RedisError as error:
        log.warning("bot.not-noted", match=match_id, error=type(error).__name__)


def advice_enqueue(*, match_id: int, seat: Seat) -> bool:
    """Have a hint thought of; whether a worker will hear of it."""
    wait_s = settings.GAUNTLET_BOT_QUEUE_SECONDS
    if not enqueue(ADVISE, match_id, int(seat), expires=wait_s):
        return False
    _note_waiting()
    return True


def advice_begun() -> None:
    """What `advice_enqueue` has handed on is begun."""
    with suppress(RedisError):
        cache.delete("bots:waiting")


def bot_is_waited_for() -> bool:
    """Whether somebody waits for a bot's move or a hint, as far as is known: whoever thinks for
    longer on the same queue makes room for them."""
    try:
        return cache.get("bots:waiting") is not None
    except RedisError:
        return False


def bot_is_playing() -> bool:
    """Whether a bot has just moved, as far as is known: who plays it may ask for the next move
    within moments."""
    try:
        return cache.get("bots:playing") is not None
    except RedisError:
        return False


def _note_waiting() -> None:
    with suppress(RedisError):
        cache.set("bots:waiting", 1, timeout=settings.GAUNTLET_BOT_QUEUE_SECONDS)


def study_enqueue(*, later: bool = False) -> None:
    """Have a worker go on with the study that has waited longest, at once or ``later``, when nobody
    may play a bot any more. There is one piece on its way at a time, whatever is studied, so that
    bots who play wait behind no more; what is lost is found by the sweep."""
    _one_enqueue("study", STUDY, countdown=PLAYING_S if later else None)


def study_begun() -> None:
    """What `study_enqueue` has handed on is begun."""
    _one_begun("study")


def puzzles_enqueue() -> None:
    """Have a worker look through the next match for puzzles. As with studies there is one on its
    way at a time; what is lost is found an hour later."""
    _one_enqueue("puzzles", PUZZLES)


def puzzles_begun() -> None:
    """What `puzzles_enqueue` has handed on is begun."""
    _one_begun("puzzles")


def _one_enqueue(key: str, task: str, *, countdown: float | None = None) -> None:
    """Enqueue a task unless one is on its way, which is until it is begun or long enough ago to be
    lost."""
    wait_s = settings.GAUNTLET_BOT_QUEUE_SECONDS
    try:
        first = cache.add(key, 1, timeout=wait_s)
    except RedisError as error:
        log.warning("bots.not-noted", what=key, error=type(error).__name__)
        return
    if first:
        enqueue(task, countdown=countdown, expires=wait_s)


def _one_begun(key: str) -> None:
    try:
        cache.delete(key)
    except RedisError as error:
        log.warning("bots.not-noted", what=key, error=type(error).__name__)


def wake_enqueue(*, match_id: int, wake_at: int) -> None:
    """Have a worker look at a match at instant ``wake_at`` (ms), which must be near: a far one
    would wait in the broker. Enqueues once for the same instant. What is not enqueued is found by
    the sweep."""
    # A task that came a moment too early would find nothing to do and not be sent again.
    countdown = max(0, wake_at - now_ms() + 2) / 1000
    try:
        first = cache.add(f"wake:{match_id}:{wake_at}", 1, timeout=30)
    except RedisError as error:
        log.warning("wake.not-noted", match=match_id, error=type(error).__name__)
        return
    if first:
        enqueue(WAKE, match_id, countdown=countdown)
