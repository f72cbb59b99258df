"""Who is looking at a match. Shown beside the clocks, and without any influence on them.

Each open socket is a member of a sorted set with the instant until which it counts as present;
pings push that on, so that sockets of a process that died are forgotten by themselves. A player's
that was closed stays in it for a while, present until then: what follows the end of a match asks
who saw it, and may come late.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import redis.asyncio as aioredis
import structlog
from django.conf import settings
from redis.exceptions import RedisError

from core.broker import AsyncRedis, Redis, client
from core.clock import now_ms
from games.engine.decisions import Audience

log = structlog.get_logger("gauntlet.presence")

PRESENT_FOR_MS = 35_000  # a little over three pings
KNOWN_FOR_MS = 3_600_000  # how long it is known who was there

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncRedis] = WeakKeyDictionary()

NOBODY: dict[str, Any] = {"seats": [False, False], "spectators": 0}


async def arrive(match_id: int, audience: Audience, socket: str) -> dict[str, Any]:
    """Count a socket as present from now on (again, on a ping); returns who is there."""
    return await _set_presence(match_id, f"{audience}:{socket}", now_ms() + PRESENT_FOR_MS)


async def leave(match_id: int, audience: Audience, socket: str) -> dict[str, Any]:
    """Forget a socket; returns who is there without it."""
    until = now_ms() if audience in (0, 1) else None
    return await _set_presence(match_id, f"{audience}:{socket}", until)


def look(match_id: int, audience: Audience, who: str) -> dict[str, Any]:
    """Count somebody without a socket, who has just asked how a match stands, as present for as
    long as a socket that was heard from; returns who is there. For outside of an event loop."""
    key = f"{settings.REDIS_PREFIX}:presence:{match_id}"
    try:
        pipe = _sync_client().pipeline(transaction=False)
        pipe.zadd(key, {f"{audience}:{who}": now_ms() + PRESENT_FOR_MS})
        pipe.pexpire(key, KNOWN_FOR_MS)
        pipe.zrangebyscore(key, f"({now_ms()}", "+inf")
        members: Any = pipe.execute()[-1]
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)
        return NOBODY
    return _summary_of(members)


def seats_there(match_id: int) -> tuple[bool, bool]:
    """Whether each player looks at the match now. Nobody does while that cannot be asked."""
    return seats_seen(match_id, since=now_ms())


def seats_seen(match_id: int, *, since: int) -> tuple[bool, bool]:
    """Whether each player has looked at the match after an instant (ms) that is no longer ago than
    `KNOWN_FOR_MS`. Nobody has while that cannot be asked."""
    key = f"{settings.REDIS_PREFIX}:presence:{match_id}"
    try:
        members: Any = _sync_client().zrangebyscore(key, f"({since}", "+inf")
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)
        return (False, False)
    first, second = _summary_of(members)["seats"]
    return (first, second)


# -- on the site at all --------------------------------------------------------------------------


async def seen(user_id: int) -> None:
    """Note that somebody is here: a page, a stream or a program of theirs has just said so."""
    try:
        pipe = _client().pipeline(transaction=False)
        _note(pipe, user_id)
        await pipe.execute()
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)


def seen_now(user_id: int) -> None:
    """The same, outside of an event loop."""
    try:
        pipe = _sync_client().pipeline(transaction=False)
        _note(pipe, user_id)
        pipe.execute()
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)


def away_of(user_ids: Iterable[int], *, for_s: int) -> set[int]:
    """Those of these users of whom nothing was seen for so long. Nobody while that is not known:
    Redis does not answer or has lost what it held, or the site itself was away."""
    ids = sorted(set(user_ids))
    try:
        ours = _sync_client()
        since = ours.get(_since_key())
        if not ids or since is None or int(since) > now_ms() - 1000 * for_s:
            if since is None:
                forget_since()
            return set()
        last = ours.mget([_seen_key(user_id) for user_id in ids])
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)
        return set()
    least = now_ms() - 1000 * for_s
    return {pk for pk, at in zip(ids, last, strict=True) if at is None or int(at) < least}


def forget_since() -> None:
    """Begin anew to count how long somebody was not seen."""
    try:
        _sync_client().set(_since_key(), now_ms())
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)


def _note(pipe: Any, user_id: int) -> None:
    pipe.set(_seen_key(user_id), now_ms(), ex=24 * 3600)


def _seen_key(user_id: int) -> str:
    return f"{settings.REDIS_PREFIX}:seen:{user_id}"


def _since_key() -> str:
    return f"{settings.REDIS_PREFIX}:seen-since"


@cache
def _sync_client() -> Redis:
    return client()


# -- shared --------------------------------------------------------------------------------------


async def may_announce(match_id: int) -> bool:
    """Whether a change of the audience may be told to everybody now: once a second, so that a
    crowd that arrives together does not flood itself. Pongs carry the numbers in any case."""
    try:
        key = f"{settings.REDIS_PREFIX}:presence-told:{match_id}"
        return bool(await _client().set(key, 1, nx=True, ex=1))
    except RedisError:
        return False


async def _set_presence(match_id: int, member: str, until: int | None) -> dict[str, Any]:
    key = f"{settings.REDIS_PREFIX}:presence:{match_id}"
    try:
        pipe = _client().pipeline(transaction=False)
        pipe.zremrangebyscore(key, "-inf", now_ms() - KNOWN_FOR_MS)
        if until is None:
            pipe.zrem(key, member)
        else:
            pipe.zadd(key, {member: until})
            pipe.pexpire(key, KNOWN_FOR_MS)
        pipe.zrangebyscore(key, f"({now_ms()}", "+inf")
        members = (await pipe.execute())[-1]
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)
        return NOBODY
    return _summary_of(members)


def _summary_of(members: Iterable[bytes]) -> dict[str, Any]:
    audiences = [name.split(b":", 1)[0] for name in members]
    return {
        "seats": [b"0" in audiences, b"1" in audiences],
        "spectators": audiences.count(b"room"),
    }


def _client() -> AsyncRedis:
    loop = asyncio.get_running_loop()
    if loop not in _clients:
        # A pool that lets wait: where hundreds come or go at the same moment, a connection for each
        # costs more than what is asked of it, and the usual pool fails when it has no more.
        _clients[loop] = AsyncRedis(
            connection_pool=aioredis.BlockingConnectionPool.from_url(
                settings.GAUNTLET_REDIS_ADDRESS,
                socket_timeout=3,
                socket_connect_timeout=3,
                max_connections=8,
                timeout=20,
            )
        )
    return _clients[loop]
