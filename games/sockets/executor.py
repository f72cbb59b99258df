"""The threads in which live turns run.

Channels would hop to one shared thread for every message, so that one slow query delays every
socket. Turns run here instead: a few threads, each with a database connection of its own that it
keeps. A connection that broke is dropped, and the call is made once more.

None of them waits for a match that somebody holds: a few that are held for long would otherwise
stop all others. The thread goes back, and the call is made again a moment later.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from core.collisions import done_again, was_answered
from games.remembered import forget_all
from games.sockets.threads import WatchedThreads
from games.store import RowHeldError, without_waiting

log = structlog.get_logger("gauntlet.sockets")

# How long a match that is held is waited for: as long as the database lets everybody else wait for
# a lock. And how long it is until the next look, at first and at most.
WAIT_S: Final = 10.0
FIRST_LOOK_S: Final = 0.005
LAST_LOOK_S: Final = 0.1

P = ParamSpec("P")
R = TypeVar("R")

_POOL = WatchedThreads(
    max_workers=settings.GAUNTLET_TURN_THREADS, thread_name_prefix="gauntlet-turn"
)


def turns_go_on() -> bool:
    """Whether the turn threads do what they are asked: see `WatchedThreads.go_on`."""
    return _POOL.go_on()


async def in_turn_thread(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a synchronous service in one of the turn threads.

    The call may run twice when the database connection breaks under it, so it must be idempotent:
    submissions are, by their client id. Raises RowHeldError where its match is held too long.
    """
    loop = asyncio.get_running_loop()
    bound = partial(_with_connection, call, *args, **kwargs)
    until, pause = time.monotonic() + WAIT_S, FIRST_LOOK_S
    while True:
        try:
            return await loop.run_in_executor(_POOL, bound)
        except RowHeldError:
            if time.monotonic() > until:
                raise
        await asyncio.sleep(pause)
        pause = min(2 * pause, LAST_LOOK_S)


def in_turn_thread_soon(call: Callable[[], Any]) -> None:
    """Have one of the turn threads make a call, which nobody waits for."""
    with suppress(RuntimeError):  # the process is ending
        _POOL.submit(_logging, call)


def _logging(call: Callable[[], Any]) -> None:
    try:
        _with_connection(call)
    except Exception:
        log.exception("turn-thread.failed")


def _with_connection(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    if connection.errors_occurred or connection.closed_in_transaction:
        connection.close()
    bound = partial(_without_waiting, call, *args, **kwargs)
    try:
        return done_again(bound)
    except (OperationalError, InterfaceError) as error:
        if was_answered(error):
            raise
        connection.close()
        forget_all()
        return bound()


def _without_waiting(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    with without_waiting():
        return call(*args, **kwargs)
