"""The threads in which live turns run, and those for whatever else sockets need a thread for.

Channels would hop to one shared thread for every message, so that one slow query delays every
socket. Turns run here instead: a few threads, each with a database connection of its own that it
keeps. A connection that broke is dropped, and the call is made again.

What a crowd asks for (syncs, what was said, who somebody is), and what people say to each other,
has threads of its own: a turn never waits behind it, however large the crowd.

None of them waits for a match that somebody holds: a few that are held for long would otherwise
stop all others. The thread goes back, and the call is made again a moment later.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from psycopg_pool import PoolTimeout

from core.collisions import done_again, was_answered
from games.intake import StillComingError
from games.remembered import forget_all
from games.sockets.threads import WatchedThreads
from games.store import RowHeldError, without_waiting

log = structlog.get_logger("gauntlet.sockets")

# How long a match that is held is waited for: as long as the database lets everybody else wait for
# a lock. And how long it is until the next look, at first and at most.
WAIT_S: Final = 10.0
FIRST_LOOK_S: Final = 0.005
LAST_LOOK_S: Final = 0.1
# How often a call is made whose connection breaks each time: whoever ends all sessions, one after
# the other, may well end the next one, too.
ATTEMPTS: Final = 4

P = ParamSpec("P")
R = TypeVar("R")

_TURNS = WatchedThreads(
    max_workers=settings.GAUNTLET_TURN_THREADS, thread_name_prefix="gauntlet-turn"
)
_READS = WatchedThreads(
    max_workers=settings.GAUNTLET_READ_THREADS, thread_name_prefix="gauntlet-read"
)


def turns_go_on() -> bool:
    """Whether the turn threads do what they are asked: see `WatchedThreads.go_on`."""
    return _TURNS.go_on()


async def in_turn_thread(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a synchronous service in one of the turn threads.

    The call may run several times when the database connection breaks under it, so it must be
    idempotent: submissions are, by their client id. Raises RowHeldError where its match is held too
    long.
    """
    return await _in_thread(_TURNS, call, *args, **kwargs)


async def in_read_thread(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """As `in_turn_thread`, for all that no clock waits for."""
    return await _in_thread(_READS, call, *args, **kwargs)


async def _in_thread(
    pool: WatchedThreads, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs
) -> R:
    loop = asyncio.get_running_loop()
    bound = partial(_with_connection, call, *args, **kwargs)
    until, pause = time.monotonic() + WAIT_S, FIRST_LOOK_S
    while True:
        try:
            return await loop.run_in_executor(pool, copy_context().run, bound)
        except (RowHeldError, StillComingError) as error:
            if time.monotonic() > until:
                raise RowHeldError(*error.args) from error
        await asyncio.sleep(pause)
        pause = min(2 * pause, LAST_LOOK_S)


def in_turn_thread_soon(call: Callable[[], Any]) -> None:
    """Have one of the turn threads make a call, which nobody waits for."""
    with suppress(RuntimeError):  # the process is ending
        _TURNS.submit(copy_context().run, _logging, call)


def _logging(call: Callable[[], Any]) -> None:
    try:
        _with_connection(call)
    except Exception:
        log.exception("turn-thread.failed")


def _with_connection(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    if connection.errors_occurred or connection.closed_in_transaction:
        connection.close()
    bound = partial(_without_waiting, call, *args, **kwargs)
    attempts = 0
    while True:
        attempts += 1
        try:
            return done_again(bound)
        except (OperationalError, InterfaceError) as error:
            # Where there is no connection, each attempt has waited for one.
            most = 2 if isinstance(error.__cause__, PoolTimeout) else ATTEMPTS
            if was_answered(error) or attempts >= most:
                raise
            connection.close()
            forget_all()


def _without_waiting(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    with without_waiting():
        return call(*args, **kwargs)
