"""Who has the lobby open, over all processes. Hints, as in `games.presence`: nothing hangs on them.

Each process knows of its own sockets by itself, and keeps one member in a sorted set for each
person who has any here: until when they count as there. A ping pushes that on, the last socket that
closes takes it away, and what a process that died has said is over by itself.
"""

from __future__ import annotations

import asyncio
from typing import Final
from weakref import WeakKeyDictionary

import structlog
from django.conf import settings
from redis.exceptions import RedisError

from core.clock import now_ms
from games.presence import client_here, process_name, sync_client

log = structlog.get_logger("gauntlet.presence")

#: Browsers let a page that is out of sight speak once a minute.
HERE_FOR_MS: Final = 75_000
#: How often everybody there is told of those who come and go, at most.
TELL_EVERY_MS: Final = 1_000

# By event loop (one in a process, but in tests): the sockets of each person who has any here.
_sockets: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, set[str]]] = WeakKeyDictionary()


def _here() -> dict[int, set[str]]:
    return _sockets.setdefault(asyncio.get_running_loop(), {})


async def arrive(user_id: int, socket: str) -> bool:
    """Count somebody as there from now on (again, on a ping); whether that is new to this
    process."""
    sockets = _here().setdefault(user_id, set())
    new = not sockets
    sockets.add(socket)
    try:
        pipe = client_here().pipeline(transaction=False)
        pipe.zadd(_key(), {_member(user_id): now_ms() + HERE_FOR_MS})
        pipe.pexpire(_key(), HERE_FOR_MS)
        await pipe.execute()
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)
    return new


async def leave(user_id: int, socket: str) -> bool:
    """Forget a socket; whether it was the last of its owner in this process."""
    sockets = _here().get(user_id, set())
    sockets.discard(socket)
    if sockets:
        return False
    _here().pop(user_id, None)
    try:
        await client_here().zrem(_key(), _member(user_id))
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)
    return True


async def may_tell() -> bool:
    """Whether everybody may be told now who is there: of all processes one at a time may. Nobody
    may while that cannot be asked."""
    try:
        key = f"{settings.REDIS_PREFIX}:lobby-told"
        return bool(await client_here().set(key, 1, nx=True, px=TELL_EVERY_MS // 2))
    except RedisError:
        return False


def users_here() -> set[int]:
    """Who has the lobby open, in any process. For outside of an event loop. Nobody has while that
    cannot be asked."""
    try:
        pipe = sync_client().pipeline(transaction=False)
        pipe.zremrangebyscore(_key(), "-inf", now_ms())
        pipe.zrange(_key(), 0, -1)
        members = pipe.execute()[-1]
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)
        return set()
    return {int(member.decode().partition(":")[0]) for member in members}


def _member(user_id: int) -> str:
    return f"{user_id}:{process_name()}"


def _key() -> str:
    return f"{settings.REDIS_PREFIX}:lobby-here"
