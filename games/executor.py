"""The threads in which live turns run.

Channels would hop to one shared thread for every message, so that one slow query delays every
socket. Turns run here instead: a few threads, each with a database connection of its own that it
keeps. A connection that broke is dropped, and the call is made once more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from config.collisions import done_again, was_answered

P = ParamSpec("P")
R = TypeVar("R")

_POOL = ThreadPoolExecutor(
    max_workers=settings.GAUNTLET_TURN_THREADS, thread_name_prefix="gauntlet-turn"
)


async def in_turn_thread(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a synchronous service in one of the turn threads.

    The call may run twice when the database connection breaks under it, so it must be idempotent:
    submissions are, by their client id.
    """
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_POOL, partial(_with_connection, call, *args, **kwargs))


def _with_connection(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    if connection.errors_occurred or connection.closed_in_transaction:
        connection.close()
    bound = partial(call, *args, **kwargs)
    try:
        return done_again(bound)
    except (OperationalError, InterfaceError) as error:
        if was_answered(error):
            raise
        connection.close()
        return bound()
