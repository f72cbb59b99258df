"""How often Discord may be asked, kept in Redis for all processes together.

Discord says with each answer which bucket it counted against and what is left of that, so nothing
is known beforehand but that all requests together are at most fifty a second. What is left is
counted here, too, so that the next process need not ask in vain. Where Redis is away, each goes by
what Discord answers: it is asked too often now and then, and says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Final, NamedTuple

import structlog
from django.conf import settings
from redis.exceptions import RedisError

from core.broker import AwayError, Redis, client
from core.clock import now_ms

log = structlog.get_logger("gauntlet.discord")

# Of fifty a second that Discord takes: others may use the same token, for its commands say.
A_SECOND: Final = 45
# For how long it is remembered which bucket a route counts against.
_BUCKET_KEPT_S: Final = 24 * 3600


class Turn(NamedTuple):
    """A request that is to be made: its ``route``, which names no resource, and a digest of the
    top-level resource that it is about. ``counts``: whether it does among all requests; those by an
    interaction's token do not."""

    route: str
    major: str
    counts: bool

    @classmethod
    def of(cls, route: str, *resource: str, counts: bool) -> Turn:
        """The turn of a request. What it is about may be a secret."""
        return cls(route, hashlib.sha256("/".join(resource).encode()).hexdigest()[:20], counts)


def wait_of(turn: Turn) -> float:
    """How many seconds have to pass before a request may be made; 0 where it is its turn, which it
    then has taken."""
    try:
        return _wait_of(turn)
    except RedisError as error:
        _note(error)
        return 0.0


def _wait_of(turn: Turn) -> float:
    redis = _client()
    if turn.counts:
        paused = _left_s(redis, _key("pause"))
        if paused:
            return paused
    bucket: Any = redis.get(_key("bucket", turn.route))
    if bucket is not None:
        left = _key("left", bucket.decode(), turn.major)
        if redis.get(left) is not None and redis.decr(left) < 0:
            wait = _left_s(redis, left)
            if wait:
                return wait
            redis.delete(left)  # it was whole again just before it was counted
    if turn.counts:
        now = now_ms()
        second = _key("second", str(now // 1000))
        if redis.incr(second) > A_SECOND:
            return (1000 - now % 1000) / 1000
        redis.expire(second, 5)
    return 0.0


def note(turn: Turn, headers: Mapping[str, str]) -> None:
    """Keep what an answer says of its bucket."""
    bucket, left = headers.get("x-ratelimit-bucket"), headers.get("x-ratelimit-remaining", "")
    resets = _seconds(headers.get("x-ratelimit-reset-after"))
    if bucket is None or not left.isdigit() or not resets:
        return
    try:
        redis = _client()
        redis.set(_key("bucket", turn.route), bucket, ex=_BUCKET_KEPT_S)
        # Who is first of a window begins to count; all others have counted there before they asked.
        key, milliseconds = _key("left", bucket, turn.major), max(1, int(1000 * resets))
        if not redis.set(key, left, px=milliseconds, nx=True) and left == "0":
            redis.set(key, 0, px=milliseconds)
    except RedisError as error:
        _note(error)


def refused(turn: Turn, headers: Mapping[str, str], *, after: float, everything: bool) -> None:
    """Discord was asked too often: let nobody ask for so many seconds."""
    milliseconds = max(1, int(1000 * after))
    bucket = headers.get("x-ratelimit-bucket", "")
    with suppress(RedisError):
        if everything:
            _client().set(_key("pause"), 1, px=milliseconds)
        elif bucket:
            _client().set(_key("bucket", turn.route), bucket, ex=_BUCKET_KEPT_S)
            _client().set(_key("left", bucket, turn.major), 0, px=milliseconds)


def _left_s(redis: Redis, key: str) -> float:
    left: int = redis.pttl(key)
    return max(0, left) / 1000


def _seconds(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0


def _note(error: RedisError) -> None:
    if not isinstance(error, AwayError):
        log.warning("discord.limits-away", error=type(error).__name__)


def _key(*parts: str) -> str:
    return ":".join((settings.REDIS_PREFIX, "discord", *parts))


@cache
def _client() -> Redis:
    return client()
