"""Telling the lobby who is there: once for all who come and go within a second, made by one of all
processes."""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

import structlog
from django.db import DatabaseError

from games.here import TELL_EVERY_MS, may_tell
from games.publishing.publish import publish
from games.reading.here import here_frames
from games.sockets.executor import in_read_thread

log = structlog.get_logger("gauntlet.sockets")

# By event loop, the telling that is under way.
_owing: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[None]] = WeakKeyDictionary()


def tell_soon() -> None:
    """Have everybody in the lobby told within a second or two who is there."""
    loop = asyncio.get_running_loop()
    if loop not in _owing:
        _owing[loop] = loop.create_task(_tell(loop))


async def _tell(loop: asyncio.AbstractEventLoop) -> None:
    # Whoever comes from here on is told of by the next.
    await asyncio.sleep(TELL_EVERY_MS / 1000)
    again = not await may_tell()
    del _owing[loop]
    if again:
        tell_soon()
        return
    try:
        await in_read_thread(_publish)
    except DatabaseError as error:
        log.warning("lobby.not-told", error=type(error).__name__)


def _publish() -> None:
    publish(here_frames())
