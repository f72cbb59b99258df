"""Who is connected to this process, what they hear, and whether anybody reads elsewhere.

What is published in this process goes to its own sockets directly. To the broker it goes only as
far as another process may have readers, since nearly every turn has its readers where it is made.
Only frames with a version are kept from the broker: a reader who missed one can find that out. To
be right about it whatever comes late or gets lost, each room does its part:

- Who gets the first reader of an audience here listens to the broker, says so to all rooms
  (`_reach`), and only then lets the reader have a view. All of it is said anew every `RENEW_S`
  seconds, and forgotten after `FORGET_S` without.
- A room sends itself a tick through the same connection as all else. When it comes back, the room
  has heard everything that had been said when it was sent. A room whose last tick is older than
  `TRUST_S`, or which has not yet listened for as long as everybody needs to say everything anew,
  keeps nothing from the broker.
- So a turn that was kept from a new reader was committed within `TRUST_S` seconds of their being
  announced. The room that announced them looks `SETTLE_S` seconds later whether what they have is
  still the newest (`_look`), and so it does for all of its readers after its connection broke, or
  when it was late in saying everything anew.

The broker may be several servers, its shards. All of this is done with each of them by itself, by
a `Line` of its own, which knows of the groups that go by that shard and of nothing else: what is
said of a group, the ticks that prove that it was heard, and what the group is told go by the same
server.

A broker that is away costs only what others publish, and a shard only what they publish by it;
readers are told of it by their pongs.
"""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol
from weakref import WeakKeyDictionary

import msgspec
import structlog
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import InterfaceError, OperationalError
from redis.exceptions import ConnectionError as BrokerGoneError
from redis.exceptions import RedisError

from core.broker import breaker_of, publisher_on_loop
from core.on_loop import Connections
from games.audience import READINGS, Reading, group_of
from games.publishing.publish import (
    VERSION,
    Frame,
    Heard,
    attach,
    channel_of,
    detach,
    shard_of,
)
from games.reading.matches import versions_of
from games.remembered import forget_all
from games.sockets.executor import in_read_thread, in_turn_thread_soon

log = structlog.get_logger("gauntlet.rooms")

TICK_S = 0.4
TRUST_S = 1.0
SETTLE_S = 1.3  # later than `TRUST_S` after whatever was announced
GATHER_S = 0.2  # those who come within it are looked after at once
RENEW_S = 5.0
LISTEN_S = 2 * RENEW_S  # until everybody has said everything at least once
LATE_S = 8.0  # who took longer may not have been heard within that
FORGET_S = 4 * RENEW_S
PATIENCE_S = 3.0
# A connection by which not even our own ticks come is none.
SILENCE_S = 10.0
AGAIN_S = 0.5
LOOKED_AT_ONCE = 100

AWAY = (RedisError, OSError, TimeoutError)


class Listener(Protocol):
    """A socket or a stream, or whoever else wants to hear what groups are told."""

    def hear(self, heard: Heard) -> None:
        """Take a frame of a group; called on the event loop, and must not take long. One of the
        kind ``match.version`` brings nothing but the version that is the newest by now."""


class Elsewhere(NamedTuple):
    """What another room has said: where it has readers, and when (s)."""

    groups: set[str]
    at: float


class _Said(msgspec.Struct):
    """What rooms say to each other: where one has readers (all of it, or in addition), or that it
    is no more."""

    id: str
    groups: list[str]
    all: bool = False
    gone: bool = False


_SAID = msgspec.json.Decoder(_Said)


class Room:
    """Those who are connected to one event loop. Lasts from the first to the last of them, the
    server itself included (`keep_open`)."""

    def __init__(self) -> None:
        self.id = uuid.uuid4().hex
        self.loop = asyncio.get_running_loop()
        self.thread = threading.get_ident()
        self.database = Connections(
            settings.GAUNTLET_TURN_CONNECTIONS, in_turn_thread_soon, forget_all
        )
        self.closed = False
        self.listeners: dict[str, dict[Listener, None]] = {}
        self.memberships: dict[Listener, set[str]] = {}
        # Which groups are told of versions: of which match, and which of its own.
        self.watched: dict[str, tuple[int, int]] = {}
        self.gathering: set[str] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self.lines = [Line(self, url) for url in settings.GAUNTLET_LAYER_ADDRESSES]
        for line in self.lines:
            line.begin()
        attach(self)

    # -- who is here -----------------------------------------------------------------------------

    async def watch(self, listener: Listener, match_id: int, audience: Reading) -> None:
        """Have a listener hear of every step of a match that its audience may know of, from now on.
        Whoever reads a view after this misses nothing of what follows it."""
        group = group_of(match_id, audience)
        self.watched[group] = (match_id, READINGS.index(audience))
        await self.join(listener, group)

    async def join(self, listener: Listener, *groups: str) -> None:
        """Have a listener hear what groups are told from now on. Where the broker is away, that is
        what this process tells them, until it is back."""
        memberships = self.memberships.setdefault(listener, set())
        memberships.update(groups)
        by_line: dict[Line, list[str]] = {}
        for group in groups:
            self.listeners.setdefault(group, {})[listener] = None
            by_line.setdefault(self.line_of(group), []).append(group)
        under_way: set[asyncio.Task[None]] = set()
        for line, some in by_line.items():
            under_way |= line.reach(some)
        if under_way:
            await asyncio.wait(under_way)

    async def leave(self, listener: Listener) -> None:
        """Tell a listener nothing more. The room closes behind the last one."""
        for group in self.memberships.pop(listener, ()):
            there = self.listeners[group]
            del there[listener]
            if not there:
                del self.listeners[group]
        if not self.memberships and not self.closed:
            await self._close()

    def line_of(self, group: str) -> Line:
        """By which of its lines the room hears what a group is told. Any thread may call this."""
        return self.lines[shard_of(group)]

    # -- telling them ----------------------------------------------------------------------------

    def take(self, frames: Sequence[Frame], kind: str) -> None:
        """Tell those who are here, in one step for all of it: at once on their event loop, and soon
        from any other thread."""
        # Whoever comes later reads a view that has what is told here.
        ours = [
            (frame.group, Heard(kind, frame.data, frame.version))
            for frame in frames
            if self.reads(frame.group)
        ]
        if ours and threading.get_ident() == self.thread:
            self._tell_all(ours)
        elif ours:
            with suppress(RuntimeError):  # the loop is closed: nobody is here any more
                self.loop.call_soon_threadsafe(self._tell_all, ours)

    def reads(self, group: str) -> bool:
        """Whether anybody here is in that group. Any thread may call this."""
        return group in self.listeners

    def must_leave(self, frame: Frame) -> bool:
        """Whether somebody in another process may have to be told. Any thread may call this, after
        commit."""
        return frame.version is None or self.line_of(frame.group).must_leave(frame.group)

    def _tell_all(self, told: Iterable[tuple[str, Heard]]) -> None:
        for group, heard in told:
            self.tell(group, heard)

    def tell(self, group: str, heard: Heard) -> None:
        """Tell those who are in a group here. For the room's own event loop."""
        for listener in tuple(self.listeners.get(group, ())):
            listener.hear(heard)

    # -- whether what readers have is the newest -------------------------------------------------

    def look_later(self, groups: Iterable[str]) -> None:
        """Look after these readers once nothing can be kept from them any more."""
        if not self.gathering:
            self.loop.call_later(GATHER_S, self._gathered)
        self.gathering.update(groups)

    def _gathered(self) -> None:
        groups, self.gathering = self.gathering, set()
        self.loop.call_later(SETTLE_S, self._look_now, groups)

    def _look_now(self, groups: set[str]) -> None:
        if not self.closed:
            self.run(self._look(groups))

    async def _look(self, groups: set[str]) -> None:
        there = [group for group in groups if group in self.listeners and group in self.watched]
        ids = sorted({self.watched[group][0] for group in there})
        for begin in range(0, len(ids), LOOKED_AT_ONCE):
            some = ids[begin : begin + LOOKED_AT_ONCE]
            try:
                found = await in_read_thread(_versions_of_all, some)
            except (OperationalError, InterfaceError) as error:
                log.warning("rooms.away", error=type(error).__name__)
                self.loop.call_later(RENEW_S, self._look_now, groups)
                return
            for group in there:
                match_id, which = self.watched.get(group, (None, 0))
                if match_id in found:
                    self.tell(group, Heard(VERSION, b"", found[match_id][which]))

    # -- beginning and end -----------------------------------------------------------------------

    def run(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Have something done on the room's event loop, until the room closes."""
        task = self.loop.create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("rooms.failed", exc_info=task.exception())

    async def _close(self) -> None:
        self.closed = True
        detach(self)
        for line in self.lines:
            line.known_until = float("-inf")  # for a thread that had us in hand
        self.database.close()
        tasks = set(self.tasks)
        while tasks:
            for task in tasks:
                task.cancel()  # which gets lost where it comes while the client waits for itself
            _done, tasks = await asyncio.wait(tasks, timeout=TICK_S)
        await asyncio.gather(*[line.end() for line in self.lines])


class Line:
    """What a room hears and says by one shard of the broker."""

    def __init__(self, room: Room, url: str) -> None:
        self.room = room
        self.breaker = breaker_of(url)
        # The groups that are listened to, with what had to be done for that.
        self.reached: dict[str, asyncio.Task[None]] = {}
        self.confirmations: dict[str, asyncio.Future[None]] = {}
        self.others: dict[str, Elsewhere] = {}
        self.known_until = self.trusted_from = float("-inf")
        self.renewed_at = time.monotonic()
        self.unsure = False  # whether others know of our readers, and we what they did
        self.away = False  # whether the shard is
        self.tick_channel = f"{settings.REDIS_PREFIX}:rooms:{room.id}"
        self.said_channel = f"{settings.REDIS_PREFIX}:rooms"
        self.client = publisher_on_loop(
            url,
            socket_timeout=PATIENCE_S,
            socket_keepalive=True,
            max_connections=4,
            timeout=PATIENCE_S,
            client_name=f"{settings.REDIS_PREFIX}-room",
        )
        self.pubsub: Any = None
        self.writing = asyncio.Lock()  # commands of the subscription go one at a time
        self.saying = asyncio.Lock()  # and so does what is said, lest old news follow new

    def begin(self) -> None:
        """Listen, and keep it proven that everything is heard."""
        self.room.run(self._listen())
        self.room.run(self._keep())

    async def end(self) -> None:
        """Say that there is nobody any more, and let go."""
        with suppress(*AWAY):
            async with asyncio.timeout(PATIENCE_S):
                await self._say(_Said(self.room.id, [], gone=True))
        await self._disconnect()
        await self.client.aclose()
        await self.client.connection_pool.disconnect()

    def reach(self, groups: list[str]) -> set[asyncio.Task[None]]:
        """Listen to these groups; returns what has to be waited for until that is so."""
        fresh = [group for group in groups if group not in self.reached]
        if fresh:
            for group in fresh:
                self.confirmations[channel_of(group)] = self.room.loop.create_future()
            task = self.room.run(self._reach(fresh))
            self.reached.update(dict.fromkeys(fresh, task))
        return {self.reached[group] for group in groups if not self.reached[group].done()}

    def must_leave(self, group: str) -> bool:
        """Whether somebody in that group may be connected to another process. Any thread may call
        this, after commit."""
        # In this order: what was heard before the tick is there when the tick is.
        known_until, now = self.known_until, time.monotonic()
        if now - known_until >= TRUST_S or now < self.trusted_from:
            return True
        return any(group in other.groups for other in tuple(self.others.values()))

    # -- what others say -------------------------------------------------------------------------

    async def _listen(self) -> None:
        while not self.room.closed:
            try:
                await self._connect()
                while not self.room.closed:
                    message = await self.pubsub.get_message(timeout=SILENCE_S)
                    if message is None:
                        raise BrokerGoneError("silent")
                    self._take_message(message)
            except AWAY as error:
                log.warning("rooms.away", error=type(error).__name__)
            self.known_until, self.away = float("-inf"), True
            await self._disconnect()
            await asyncio.sleep(AGAIN_S)

    async def _connect(self) -> None:
        async with self.writing:
            self.pubsub = self.client.pubsub()
            groups = [channel_of(group) for group in self.reached]
            await self.pubsub.subscribe(self.tick_channel, self.said_channel, *groups)

    async def _disconnect(self) -> None:
        async with self.writing:
            pubsub, self.pubsub = self.pubsub, None
            if pubsub is not None:
                with suppress(*AWAY):
                    await pubsub.aclose()

    def _take_message(self, message: dict[str, Any]) -> None:
        channel = message["channel"].decode()
        if message["type"] == "subscribe":
            waiting = self.confirmations.pop(channel, None)
            if waiting is not None and not waiting.done():
                waiting.set_result(None)
            if channel == self.tick_channel:
                self._begin_to_listen()
        elif message["type"] != "message":
            return
        elif channel == self.tick_channel:
            self.known_until = float(message["data"])
        elif channel == self.said_channel:
            self._note(_SAID.decode(message["data"]))
        else:
            said = get_channel_layer().deserialize(message["data"])
            if self.room.id not in said.get("told", ()):
                heard = Heard(said["type"], said.get("text", "").encode(), said.get("version"))
                self.room.tell(channel.removeprefix(channel_of("")), heard)

    def _begin_to_listen(self) -> None:
        """The connection is new, or made anew: who knows what was said meanwhile."""
        self.breaker.close()
        self.trusted_from = time.monotonic() + LISTEN_S
        self.known_until, self.away = float("-inf"), False
        self.unsure = True

    def _note(self, said: _Said) -> None:
        if said.id == self.room.id:
            return
        before = self.others.get(said.id)
        if said.gone:
            self.others.pop(said.id, None)
        elif said.all or before is None:
            self.others[said.id] = Elsewhere(set(said.groups), time.monotonic())
        else:
            before.groups.update(said.groups)

    # -- what we say -----------------------------------------------------------------------------

    async def _reach(self, groups: list[str]) -> None:
        """Listen to these groups, and say that there are readers."""
        if self.away:
            return  # all of it is done when it is back
        confirmations = [self.confirmations[channel_of(group)] for group in groups]
        try:
            # Of a broker that hangs all of it is wished for, and whoever comes is let in.
            async with asyncio.timeout(
                settings.GAUNTLET_REDIS_PATIENCE_MS / 1000 if self.breaker.is_open else PATIENCE_S
            ):
                async with self.writing:
                    if self.pubsub is not None:
                        await self.pubsub.subscribe(*map(channel_of, groups))
                await asyncio.wait(confirmations)
                readers = [group for group in groups if group in self.room.watched]
                if readers:
                    async with self.saying:
                        await self._say(_Said(self.room.id, readers))
                    self._look_later(readers)
        except AWAY as error:
            log.warning("rooms.away", error=type(error).__name__)
            self.unsure = True

    async def _say(self, said: _Said) -> None:
        await self.client.publish(self.said_channel, msgspec.json.encode(said))

    async def _keep(self) -> None:
        while not self.room.closed:
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await self._tick()
            except AWAY as error:
                log.info("rooms.late", error=type(error).__name__)
            await asyncio.sleep(TICK_S)

    async def _tick(self) -> None:
        now = time.monotonic()
        await self.client.publish(self.tick_channel, repr(now))
        if self.unsure or now - self.renewed_at >= RENEW_S:
            await self._renew(now)
        for other, said in list(self.others.items()):
            if now - said.at > FORGET_S:
                del self.others[other]

    async def _renew(self, now: float) -> None:
        await self._forget_empty()
        unsure, self.unsure = self.unsure, False
        try:
            async with self.saying:
                groups = [group for group in self.reached if group in self.room.watched]
                await self._say(_Said(self.room.id, groups, all=True))
        except AWAY:
            self.unsure = True
            raise
        late = time.monotonic() - self.renewed_at > LATE_S
        self.renewed_at = now
        if unsure or late:
            self._look_later(groups, surely=True)

    async def _forget_empty(self) -> None:
        """Listen no more to groups that nobody is in. Not at once: a page that is loaded anew comes
        back within a moment."""
        empty = [
            group
            for group, task in self.reached.items()
            if group not in self.room.listeners and task.done()
        ]
        for group in empty:
            del self.reached[group]
            self.room.watched.pop(group, None)
            self.confirmations.pop(channel_of(group), None)
        if empty:
            # Whoever comes meanwhile waits behind us to be listened for.
            async with self.writing:
                if self.pubsub is not None:
                    await self.pubsub.unsubscribe(*map(channel_of, empty))

    def _look_later(self, groups: Iterable[str], *, surely: bool = False) -> None:
        """Have these readers looked after. Nothing was kept from them where there is no other room
        that could have; ``surely`` looks all the same."""
        now = time.monotonic()
        alone = now - self.known_until < TRUST_S and now >= self.trusted_from and not self.others
        if surely or not alone:
            self.room.look_later(groups)


def _versions_of_all(match_ids: Sequence[int]) -> dict[int | None, tuple[int, ...]]:
    return {match_id: versions_of(match_id) for match_id in match_ids}


_rooms: WeakKeyDictionary[asyncio.AbstractEventLoop, Room] = WeakKeyDictionary()


class _Server:
    """Is in a room for no other reason than that somebody may come."""

    def hear(self, heard: Heard) -> None:
        """It is in no group, and hears nothing."""


_SERVER: Final = _Server()


def keep_open() -> None:
    """Have the room of the running event loop open until `let_close`, whoever comes and leaves: one
    that is new has to listen for `LISTEN_S` before it keeps anything from the broker."""
    here().memberships[_SERVER] = set()


async def let_close() -> None:
    """Close the room of the running event loop, behind whoever is still in it."""
    room = _rooms.get(asyncio.get_running_loop())
    if room is not None:
        await room.leave(_SERVER)


def here() -> Room:
    """The room of the running event loop. Join it before anything else is waited for: it closes
    behind whoever leaves last."""
    loop = asyncio.get_running_loop()
    room = _rooms.get(loop)
    if room is None or room.closed:
        room = _rooms[loop] = Room()
    return room
