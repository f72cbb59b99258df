"""Sending frames to everybody who is connected, from any thread or process.

Broadcasts are hints: they carry versions, and a reader that missed one asks for a sync. So a
broker that is away costs nobody a move; it is logged, and readers catch up.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import redis
import structlog
from channels.layers import get_channel_layer
from django.conf import settings

log = structlog.get_logger("gauntlet.publish")


class Frame(NamedTuple):
    """An encoded frame and the channel group that it is for."""

    group: str
    text: str


def publish(frames: Iterable[Frame], *, kind: str = "match.frame") -> None:
    """Send frames to their groups in one round trip; consumers get them as messages of ``kind``.

    Call it after commit. The channel layer's own `group_send` would need an event loop; this
    speaks the same wire format from plain threads.
    """
    layer = get_channel_layer()
    try:
        pipe = _client().pipeline(transaction=False)
        for frame in frames:
            channel = f"{settings.REDIS_PREFIX}__group__{frame.group}"
            pipe.publish(channel, layer.serialize({"type": kind, "text": frame.text}))
        pipe.execute()
    except redis.RedisError as error:
        log.warning("publish.failed", error=type(error).__name__)


@cache
def _client() -> redis.Redis:
    return redis.Redis.from_url(
        settings.GAUNTLET_REDIS_ADDRESS,
        socket_timeout=3,
        socket_connect_timeout=3,
        max_connections=64,
    )
