"""Who is looking at a match. Shown beside the clocks, and without any influence on them.

Each open socket is a member of a sorted set with the instant until which it counts as present;
pings push that on, so that sockets of a process that died are forgotten by themselves.
"""

from __future__ import annotations

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

import redis.asyncio as aioredis
import structlog
from django.conf import settings
from redis.exceptions import RedisError

from games.clock import now_ms
from games.engine.decisions import Audience

log = structlog.get_logger("gauntlet.presence")

PRESENT_FOR_MS = 35_000  # a little over three pings

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, aioredis.Redis] = WeakKeyDictionary()

NOBODY: dict[str, Any] = {"seats": [False, False], "spectators": 0}


async def arrive(match_id: int, audience: Audience, socket: str) -> dict[str, Any]:
    """Count a socket as present from now on (again, on a ping); returns who is there."""
    return await _counted(match_id, f"{audience}:{socket}", now_ms() + PRESENT_FOR_MS)


async def leave(match_id: int, audience: Audience, socket: str) -> dict[str, Any]:
    """Forget a socket; returns who is there without it."""
    return await _counted(match_id, f"{audience}:{socket}", None)


async def may_announce(match_id: int) -> bool:
    """Whether a change of the audience may be told to everybody now: once a second, so that a
    crowd that arrives together does not flood itself. Pongs carry the numbers in any case."""
    try:
        key = f"{settings.REDIS_PREFIX}:presence-told:{match_id}"
        return bool(await _client().set(key, 1, nx=True, ex=1))
    except RedisError:
        return False


async def _counted(match_id: int, member: str, until: int | None) -> dict[str, Any]:
    key = f"{settings.REDIS_PREFIX}:presence:{match_id}"
    try:
        pipe = _client().pipeline(transaction=False)
        pipe.zremrangebyscore(key, "-inf", now_ms())
        if until is None:
            pipe.zrem(key, member)
        else:
            pipe.zadd(key, {member: until})
            pipe.pexpire(key, PRESENT_FOR_MS)
        pipe.zrange(key, 0, -1)
        members = (await pipe.execute())[-1]
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)
        return NOBODY
    audiences = [name.split(b":", 1)[0] for name in members]
    return {
        "seats": [b"0" in audiences, b"1" in audiences],
        "spectators": audiences.count(b"room"),
    }


def _client() -> aioredis.Redis:
    loop = asyncio.get_running_loop()
    if loop not in _clients:
        _clients[loop] = aioredis.Redis.from_url(
            settings.GAUNTLET_REDIS_ADDRESS,
            socket_timeout=3,
            socket_connect_timeout=3,
            max_connections=64,
        )
    return _clients[loop]
