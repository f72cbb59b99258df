"""Sending frames to everybody who is connected, from any thread or process.

Who is connected to this process hears of them on its event loop, without a broker in between; the
broker takes them to the other processes, as far as anybody reads there (`games.sockets.rooms`).
That may be several servers, its shards: a group goes by one of them, always the same (`shard_of`).

Broadcasts are hints: they carry versions, and a reader that missed one asks for a sync. So a
broker that is away costs nobody a move; it is logged, and readers catch up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple, Protocol

import msgspec
import redis
import structlog
from channels.layers import get_channel_layer
from channels_redis.utils import _consistent_hash
from django.conf import settings

from core.aside import soon
from core.broker import Redis, publisher

log = structlog.get_logger("gauntlet.publish")

MATCH_FRAME = "match.frame"
#: Brings nothing but the version that is the newest by now.
VERSION = "match.version"

_ENCODER = msgspec.json.Encoder()


def encode(frame: Mapping[str, Any]) -> bytes:
    """A frame as JSON, in UTF-8."""
    return _ENCODER.encode(frame)


class Frame:
    """A frame and the channel group that it is for. It is made, and encoded, once, and only if
    there is anybody to read it. ``version``, where it tells of a step, is what its audience knows
    with it: who missed one finds that out, so that it need not go where nobody reads."""

    __slots__ = ("_data", "_made", "group", "version")

    def __init__(
        self,
        group: str,
        made: str | Mapping[str, Any] | Callable[[], Mapping[str, Any]],
        version: int | None = None,
    ) -> None:
        self.group = group
        self.version = version
        self._made = made
        self._data: bytes | None = None

    @property
    def data(self) -> bytes:
        """The frame as JSON, in UTF-8."""
        if self._data is None:
            made = self._made() if callable(self._made) else self._made
            self._data = made.encode() if isinstance(made, str) else encode(made)
        return self._data

    @property
    def text(self) -> str:
        """The frame as JSON."""
        return self.data.decode()


class Heard(NamedTuple):
    """A frame as those in its group hear it: as which kind of message, as JSON in UTF-8, and its
    version, where it has one."""

    kind: str
    data: bytes
    version: int | None = None


class Nearby(Protocol):
    """Those who are connected to this process."""

    id: str

    def take(self, frames: Sequence[Frame], kind: str) -> None:
        """Tell them, soon. Any thread may call this."""

    def reads(self, group: str) -> bool:
        """Whether somebody here is told what that group is. Any thread may call this."""

    def must_leave(self, frame: Frame) -> bool:
        """Whether somebody in another process may have to be told. Any thread may call this."""


# More than one only where there are several event loops in a process, as in tests.
_nearby: list[Nearby] = []


def attach(nearby: Nearby) -> None:
    """Have those who are connected here told directly from now on."""
    _nearby.append(nearby)


def detach(nearby: Nearby) -> None:
    """There is nobody any more."""
    _nearby.remove(nearby)


def make_ready(frames: Iterable[Frame]) -> None:
    """Make those frames that somebody here will read, before they are published."""
    for frame in frames:
        if any(room.reads(frame.group) for room in _nearby):
            _ = frame.data


def publish(frames: Iterable[Frame], *, kind: str = MATCH_FRAME) -> None:
    """Send frames to their groups in one round trip at most; consumers get them as messages of
    ``kind``. What leaves this process is sent beside whatever else it does (`core.aside`).

    Call it after commit. The channel layer's own `group_send` would need an event loop; this
    speaks the same wire format from plain threads.
    """
    told = list(frames)
    here = tell_here(told, kind=kind)
    if frames_left := leaving(told):
        soon(partial(tell_elsewhere, frames_left, told=here, kind=kind))


def tell_here(frames: Sequence[Frame], *, kind: str = MATCH_FRAME) -> list[str]:
    """Tell those who are connected to this process; returns the rooms they are in. Call it after
    commit; event loops may."""
    rooms = list(_nearby)
    for room in rooms:
        room.take(frames, kind)
    return [room.id for room in rooms]


def leaving(frames: Iterable[Frame]) -> list[Frame]:
    """Those frames of which somebody in another process may have to be told."""
    rooms = list(_nearby)
    return [f for f in frames if not rooms or any(room.must_leave(f) for room in rooms)]


def tell_elsewhere(
    frames: Sequence[Frame], *, told: Sequence[str], kind: str = MATCH_FRAME
) -> None:
    """Have the broker tell all processes but for the rooms that are ``told``: in one round trip to
    each shard that has to do with it. One that is away costs only what goes by it."""
    shards: dict[int, list[Frame]] = {}
    for frame in frames:
        shards.setdefault(shard_of(frame.group), []).append(frame)
    for shard, some in shards.items():
        _tell_shard(settings.GAUNTLET_LAYER_ADDRESSES[shard], some, told=told, kind=kind)


def _tell_shard(url: str, frames: Iterable[Frame], *, told: Sequence[str], kind: str) -> None:
    layer = get_channel_layer()
    heard_by = {"told": told} if told else {}
    try:
        pipe = _client(url).pipeline(transaction=False)
        for frame in frames:
            message: dict[str, Any] = {"type": kind, "text": frame.text, **heard_by}
            if frame.version is not None:
                message["version"] = frame.version
            pipe.publish(channel_of(frame.group), layer.serialize(message))
        pipe.execute()
    except redis.RedisError as error:
        log.warning("publish.failed", error=type(error).__name__)


def shard_of(group: str) -> int:
    """By which of `GAUNTLET_LAYER_ADDRESSES` goes what a group is told: as the channel layer itself
    has it, so that whoever uses that is heard by those who listen here."""
    count = len(settings.GAUNTLET_LAYER_ADDRESSES)
    return 0 if count == 1 else int(_consistent_hash(channel_of(group), count))


def channel_of(group: str) -> str:
    """The broker's channel for a group, as the channel layer has it."""
    return f"{settings.REDIS_PREFIX}__group__{group}"


@cache
def _client(url: str) -> Redis:
    # Nobody who is waited for waits here, and what is given up is lost. Where there are others, one
    # that hangs must not keep what goes by them.
    alone = len(settings.GAUNTLET_LAYER_ADDRESSES) == 1
    return publisher(url, socket_timeout=2 if alone else None, max_connections=64)
