"""Rooms of several processes on one broker: who is told what, by which way, and what nobody misses.

Each room here stands for a web process. They share this process's event loop, and what one of them
publishes goes past the others.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import redis
from channels_redis.pubsub import RedisPubSubLoopLayer
from django.conf import settings

from games.audience import group_of
from games.publishing import publish as publishing
from games.publishing.publish import VERSION, Frame, Heard, publish, shard_of
from games.sockets import rooms
from games.sockets.rooms import Line, Room
from script.lib.services import Valkey
from tests.support.site import PATIENCE

QUICK = {
    "TICK_S": 0.03, "TRUST_S": 0.25, "SETTLE_S": 0.3, "GATHER_S": 0.02, "RENEW_S": 0.5,
    "LISTEN_S": 1.0, "LATE_S": 0.9, "FORGET_S": 2.0, "AGAIN_S": 0.05, "PATIENCE_S": 2.0,
}  # fmt: skip


KINDS = ["match.frame", "user.changed", "match.frame"]


class Reader:
    """Somebody who listens, and what they know."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []

    def hear(self, heard: Heard) -> None:
        self.heard.append(heard)

    @property
    def version(self) -> int:
        return max((each.version or 0 for each in self.heard), default=0)

    def knows(self, version: int) -> bool:
        """Whether that is the newest that they know."""
        return self.version == version

    @property
    def texts(self) -> list[str]:
        return [each.data.decode() for each in self.heard if each.kind != VERSION]


class Houses:
    """Several rooms, and the versions of the matches, as the database would have them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.newest: dict[int, int] = {}
        self.rooms: list[Room] = []
        self.monkeypatch = monkeypatch
        monkeypatch.setattr(rooms, "versions_of", lambda pk: (0, 0, self.newest.get(pk, 0)))
        for name, value in QUICK.items():
            monkeypatch.setattr(rooms, name, value)

    async def open(self, *, trusted: bool = True) -> Room:
        """A room with somebody in it, who keeps it open."""
        room = Room()
        self.rooms.append(room)
        await room.join(Reader(), "lobby")
        if trusted:
            await until(partial(keeps, room))
        return room

    def send(self, room: Room, *frames: Frame, kind: str = "match.frame") -> None:
        """Publish, in the process of that room."""
        self.monkeypatch.setattr(publishing, "_nearby", [room])
        publish(frames, kind=kind)

    def turn(self, room: Room, match_id: int) -> int:
        """Commit a turn there, and publish it; returns the version."""
        version = self.newest[match_id] = self.newest.get(match_id, 0) + 1
        self.send(room, Frame(group_of(match_id, "room"), f"turn {version}", version))
        return version

    def view(self, reader: Reader, match_id: int) -> None:
        """Let a reader have a view."""
        reader.heard.append(Heard("sync", b"", self.newest.get(match_id, 0)))


def keeps(room: Room) -> bool:
    """Whether a room keeps from the broker what nobody reads elsewhere."""
    return not any(each.must_leave("match.0.room") for each in room.lines)


def line(room: Room) -> Line:
    """The only one that a room has, where the broker is one server."""
    (line,) = room.lines
    return line


def stand_still(seconds: float) -> None:
    """Let nothing happen on the loop."""
    time.sleep(seconds)


async def until(condition: Callable[[], Any], patience: float = PATIENCE) -> None:
    """Return once something holds."""
    ends = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < ends, "in vain"
        await asyncio.sleep(0.01)


@pytest.fixture
async def houses(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Houses]:
    monkeypatch.setattr(rooms, "attach", lambda _room: None)
    monkeypatch.setattr(rooms, "detach", lambda _room: None)
    houses = Houses(monkeypatch)
    yield houses
    for room in houses.rooms:
        for listener in list(room.memberships):
            await room.leave(listener)


class Tap:
    """What goes to the broker."""

    def __init__(self) -> None:
        self.client = redis.Redis.from_url(settings.GAUNTLET_REDIS_ADDRESS)
        self.pubsub = self.client.pubsub()
        self.pubsub.psubscribe(f"{settings.REDIS_PREFIX}__group__*")
        self.pubsub.get_message(timeout=30)

    def groups(self) -> list[str]:
        """To which groups, since the last call."""
        self.client.publish(publishing.channel_of("end"), b"")
        found: list[str] = []
        while True:
            channel = self.pubsub.get_message(timeout=30)["channel"].decode()
            group = channel.removeprefix(publishing.channel_of(""))
            if group == "end":
                return found
            found.append(group)


@pytest.fixture
def tap() -> Any:
    tap = Tap()
    yield tap
    tap.pubsub.close()
    tap.client.close()


# -- which way ------------------------------------------------------------------------------------


async def test_steps_leave_only_for_readers_elsewhere(houses: Houses, tap: Tap) -> None:
    here, there = await houses.open(), await houses.open()
    mine, theirs = Reader(), Reader()
    await here.watch(mine, 1, "room")
    await there.watch(theirs, 2, "room")
    await until(lambda: any("match.2.room" in each.groups for each in line(here).others.values()))
    for match_id in (1, 2, 3):
        houses.turn(here, match_id)
    assert tap.groups() == ["match.2.room"]
    await until(lambda: mine.texts and theirs.texts)
    assert (mine.texts, theirs.texts) == (["turn 1"], ["turn 1"])


async def test_nothing_is_encoded_that_nobody_reads(houses: Houses) -> None:
    here = await houses.open()
    frame = Frame("match.1.room", {"cannot": object()}, 1)
    houses.send(here, frame)
    with pytest.raises(TypeError):
        houses.send(here, Frame("match.1.room", {"cannot": object()}))


async def test_what_has_no_version_leaves_always_and_nobody_hears_it_twice(
    houses: Houses, tap: Tap
) -> None:
    here, there = await houses.open(), await houses.open()
    mine, theirs = Reader(), Reader()
    for room, reader in ((here, mine), (there, theirs)):
        await room.join(reader, "user.7", "match.1.chat.players")
    houses.send(here, Frame("match.1.chat.players", "chat"), Frame("nobody's", "x"))
    houses.send(here, Frame("user.7", ""), kind="user.changed")
    assert tap.groups() == ["match.1.chat.players", "nobody's", "user.7"]
    await until(lambda: len(theirs.heard) == 2)
    houses.send(there, Frame("user.7", "last"))
    await until(lambda: "last" in mine.texts)
    for reader in (mine, theirs):
        assert [each.kind for each in reader.heard] == KINDS
        assert reader.texts == ["chat", "", "last"]


async def test_a_process_without_sockets_publishes_everything(
    houses: Houses, tap: Tap, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, reader = await houses.open(), Reader()
    await room.watch(reader, 1, "room")
    monkeypatch.setattr(publishing, "_nearby", [])
    publish([Frame("match.1.room", "by a worker", 2), Frame("match.1.0", "x", 2)])
    assert tap.groups() == ["match.1.room", "match.1.0"]
    await until(lambda: reader.texts == ["by a worker"])
    assert reader.heard[-1].version == 2


async def test_nobody_is_trusted_from_the_first_moment(houses: Houses, tap: Tap) -> None:
    """Others have not said yet where they have readers."""
    here = await houses.open(trusted=False)
    houses.turn(here, 1)
    assert tap.groups() == ["match.1.room"]
    await until(lambda: not here.must_leave(Frame("match.1.room", "", 1)))
    houses.turn(here, 1)
    assert tap.groups() == []


async def test_frames_of_one_turn_come_in_one_step(
    houses: Houses, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, readers = await houses.open(), [Reader(), Reader()]
    for reader in readers:
        await here.join(reader, "a", "b")
    calls: list[Any] = []
    with monkeypatch.context() as patched:
        patched.setattr(here.loop, "call_soon_threadsafe", lambda *given: calls.append(given))
        frames = Frame("a", "1"), Frame("b", "2"), Frame("c", "3")
        thread = threading.Thread(target=houses.send, args=(here, *frames))
        thread.start()
        thread.join()
    ((call, told),) = calls
    assert [reader.texts for reader in readers] == [[], []]
    call(told)
    assert [reader.texts for reader in readers] == [["1", "2"]] * 2


async def test_what_is_told_on_the_loop_is_told_at_once(houses: Houses) -> None:
    here, reader = await houses.open(), Reader()
    await here.join(reader, "a")
    houses.send(here, Frame("a", "1"), Frame("c", "3"))
    assert reader.texts == ["1"]


# -- nobody sits in front of an old position ------------------------------------------------------


async def test_who_was_not_known_yet_is_told_a_moment_later(
    houses: Houses, tap: Tap, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = await houses.open(), await houses.open()
    await until(lambda: line(there).others)
    monkeypatch.setattr(line(here), "_note", lambda _said: None)  # it has not come to that yet
    reader = Reader()
    await there.watch(reader, 1, "room")
    houses.view(reader, 1)
    houses.turn(here, 1)
    assert tap.groups() == []
    await until(lambda: reader.version == 1, patience=5)
    assert reader.heard[-1] == Heard(VERSION, b"", 1)


async def test_a_room_that_lags_keeps_nothing(houses: Houses, tap: Tap) -> None:
    here = await houses.open()
    houses.turn(here, 1)
    assert tap.groups() == []
    stand_still(QUICK["TRUST_S"] + 0.05)
    houses.turn(here, 1)
    assert tap.groups() == ["match.1.room"]


async def test_readers_who_come_at_the_moment_of_a_turn(houses: Houses) -> None:
    """Many tries, while both rooms hear of each other late, each time by another while."""
    source = random.Random(13)
    here, there = await houses.open(), await houses.open()
    await until(lambda: line(here).others and line(there).others)
    kept = 0
    delays = {here.id: 0.0, there.id: 0.0}
    for room in (here, there):
        take = line(room)._take_message

        def late(message: dict[str, Any], take: Any = take, room: Room = room) -> None:
            # In order, as they would; sometimes all of it is held up for a while.
            room.loop.call_later(delays[room.id], take, message)

        line(room)._take_message = late  # type: ignore[method-assign]

    async def one(match_id: int) -> None:
        nonlocal kept
        reader = Reader()
        joined = asyncio.create_task(there.watch(reader, match_id, "room"))
        await asyncio.sleep(source.uniform(0, 0.02))
        for _ in range(3):
            houses.turn(here, match_id)
            await asyncio.sleep(source.uniform(0, 0.06))
        await joined
        houses.view(reader, match_id)
        if source.random() < 0.7:
            houses.turn(here, match_id)
        await asyncio.sleep(source.uniform(0, 0.3))
        kept += reader.version < houses.newest[match_id]
        await until(lambda: reader.version == houses.newest[match_id], patience=5)

    for round_ in range(6):
        for room in (here, there):
            delays[room.id] = source.choice([0.0, 0.05, 0.15])
        await asyncio.sleep(0.2)
        await asyncio.gather(*[one(100 * round_ + number) for number in range(1, 11)])
    assert kept, "nobody was told late: this tests nothing"


async def test_a_connection_that_broke(houses: Houses, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was told meanwhile is lost, and found out."""
    here, there = await houses.open(), await houses.open()
    reader = Reader()
    await there.watch(reader, 1, "room")
    houses.view(reader, 1)
    connect, may = line(there)._connect, asyncio.Event()

    async def at_last() -> None:
        await may.wait()
        await connect()

    monkeypatch.setattr(line(there), "_connect", at_last)
    with redis.Redis.from_url(settings.GAUNTLET_REDIS_ADDRESS) as admin:
        for client in admin.client_list(_type="pubsub"):
            if client["name"] == f"{settings.REDIS_PREFIX}-room":
                admin.client_kill_filter(_id=client["id"])
        names = [f"{settings.REDIS_PREFIX}-room"] * 2
        listening = [c["name"] for c in admin.client_list(_type="pubsub")]
        if listening != names:  # not by itself: redis-py connects anew where it can
            houses.turn(here, 1)
    may.set()
    await until(lambda: reader.version == houses.newest.get(1, 0))
    houses.turn(here, 1)
    await until(lambda: reader.version == houses.newest[1])
    for room in (here, there):
        await until(partial(keeps, room))
    houses.turn(here, 1)
    await until(lambda: reader.texts[-1] == f"turn {houses.newest[1]}")


async def test_a_room_that_died_is_forgotten_and_one_that_closes_at_once(
    houses: Houses, tap: Tap
) -> None:
    here, there, third = await houses.open(), await houses.open(), await houses.open()
    await there.watch(Reader(), 1, "room")
    await third.watch(Reader(), 2, "room")
    await until(lambda: len([e for e in line(here).others.values() if len(e.groups) == 1]) == 2)
    for task in there.tasks:
        task.cancel()  # as kill -9 would
    for listener in list(third.memberships):
        await third.leave(listener)
    await until(lambda: len(line(here).others) == 1)
    houses.turn(here, 1)
    houses.turn(here, 2)
    assert tap.groups() == ["match.1.room"]
    await until(lambda: not line(here).others)
    houses.turn(here, 1)
    assert tap.groups() == []


async def test_who_was_late_in_saying_everything_looks_after_its_readers(houses: Houses) -> None:
    here, there = await houses.open(), await houses.open()
    reader = Reader()
    await there.watch(reader, 1, "room")
    houses.view(reader, 1)
    await asyncio.sleep(2 * QUICK["SETTLE_S"])
    line(there).renewed_at -= 10
    houses.newest[1] = 4  # kept from it, by one that came meanwhile
    await until(lambda: reader.version == 4)
    assert line(here).others


async def test_nobody_looks_where_nothing_could_have_been_kept(
    houses: Houses, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def versions_of(match_id: int) -> tuple[int, ...]:
        asked.append(match_id)
        return (0, 0, 0)

    monkeypatch.setattr(rooms, "versions_of", versions_of)
    here = await houses.open()
    await here.watch(Reader(), 1, "room")
    await asyncio.sleep(2 * QUICK["SETTLE_S"])
    assert asked == []
    there = await houses.open(trusted=False)
    await until(lambda: line(here).others)
    await here.watch(Reader(), 2, "room")
    await here.watch(Reader(), 2, "room")
    await until(lambda: asked == [2])
    await asyncio.sleep(2 * QUICK["SETTLE_S"])
    assert asked == [2]
    assert line(there).others


# -- coming and going -----------------------------------------------------------------------------


async def test_coming_back_within_a_moment(houses: Houses) -> None:
    """Groups that nobody is in are left at some time; who comes just then is told all the same."""
    here, there = await houses.open(), await houses.open()
    for number in range(25):
        reader = Reader()
        await there.watch(reader, 1, "room")
        houses.view(reader, 1)
        version = houses.turn(here, 1)
        await until(partial(reader.knows, version), patience=5)
        await there.leave(reader)
        await asyncio.sleep(0.04 * (number % 7))
    await until(lambda: "match.1.room" not in line(there).reached)
    assert "match.1.room" not in there.watched
    await until(lambda: not any("match.1.room" in e.groups for e in line(here).others.values()))


async def test_nothing_is_left_behind(houses: Houses) -> None:
    room = await houses.open()
    (keeper,) = room.memberships
    await room.watch(Reader(), 1, 0)
    for listener in list(room.memberships):
        await room.leave(listener)
    await room.leave(keeper)  # again
    assert (room.closed, room.listeners, room.tasks) == (True, {}, set())
    name = f"{settings.REDIS_PREFIX}-room"
    with redis.Redis.from_url(settings.GAUNTLET_REDIS_ADDRESS) as admin:
        await until(lambda: name not in [client["name"] for client in admin.client_list()])


def test_a_room_that_is_kept_open_is_there_until_it_is_let_close(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def visit(room: Room) -> Reader:
        reader = Reader()
        assert rooms.here() is room
        await room.join(reader, "a")
        return reader

    async def serve(*, leaves_first: bool) -> None:
        rooms.keep_open()
        room = rooms.here()
        assert publishing._nearby == [room]
        for _ in range(2):
            await room.leave(await visit(room))
            assert not room.closed
        reader = await visit(room)
        for leave in (partial(room.leave, reader), rooms.let_close)[:: 1 if leaves_first else -1]:
            assert not room.closed
            await leave()
        assert (room.closed, publishing._nearby) == (True, [])
        await rooms.let_close()  # again

    monkeypatch.setattr(publishing, "_nearby", [])
    for leaves_first in (True, False):
        asyncio.run(serve(leaves_first=leaves_first))


def test_one_room_for_a_loop_and_another_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def twice() -> None:
        room, reader = rooms.here(), Reader()
        await room.join(reader, "a")
        assert rooms.here() is room
        assert publishing._nearby == [room]
        publish([Frame("a", "hello")])
        await until(lambda: reader.texts == ["hello"])
        await room.leave(reader)
        assert publishing._nearby == []
        again = rooms.here()
        assert again is not room
        await again.join(reader, "a")
        await again.leave(reader)

    monkeypatch.setattr(publishing, "_nearby", [])
    asyncio.run(twice())
    asyncio.run(twice())


# -- a broker that is away ------------------------------------------------------------------------


async def test_without_a_broker_those_who_are_here_are_told(
    houses: Houses, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    valkey = Valkey(tmp_path / "valkey", Path(sys.executable))
    valkey.start()
    publishing._client.cache_clear()
    settings.GAUNTLET_LAYER_ADDRESSES = [valkey.url]
    try:
        here, there = await houses.open(), await houses.open()
        reader, other = Reader(), Reader()
        await here.watch(reader, 1, "room")
        await there.watch(other, 1, "room")
        await asyncio.to_thread(valkey.stop)
        await until(lambda: line(here).away and line(there).away)
        late = Reader()
        async with asyncio.timeout(PATIENCE):
            with monkeypatch.context() as patient:
                # Whoever waits for the broker does so for longer than this test.
                patient.setattr(rooms, "PATIENCE_S", 10 * PATIENCE)
                await here.watch(late, 2, "room")
        houses.turn(here, 1)
        houses.turn(here, 2)
        await until(lambda: reader.texts == ["turn 1"] and late.texts == ["turn 1"])
        assert other.texts == []
        await asyncio.to_thread(valkey.start)
        await until(lambda: other.version == 1)
        # Otherwise a turn would come to the late one as a version, and not as a frame.
        await until(lambda: not line(here).away and line(there).must_leave("match.2.room"))
        houses.turn(there, 2)
        await until(lambda: late.texts == ["turn 1", "turn 2"])
        for room in houses.rooms:
            for listener in list(room.memberships):
                await room.leave(listener)
    finally:
        publishing._client.cache_clear()
        await asyncio.to_thread(valkey.stop)


# -- a broker of several shards -------------------------------------------------------------------


@pytest.fixture
async def second(tmp_path: Path, settings: Any, houses: Houses) -> AsyncIterator[Valkey]:
    """The second of two shards. The first is the server that there is."""
    valkey = Valkey(tmp_path / "second", Path(sys.executable))
    valkey.start()
    publishing._client.cache_clear()
    settings.GAUNTLET_LAYER_ADDRESSES = [settings.GAUNTLET_REDIS_ADDRESS, valkey.url]
    yield valkey
    for room in houses.rooms:
        for listener in list(room.memberships):
            await room.leave(listener)
    publishing._client.cache_clear()
    await asyncio.to_thread(valkey.stop)


def knows_only(line: Line, group: str) -> bool:
    """Whether a line has heard of that group, and of no other."""
    return [each.groups for each in line.others.values() if each.groups] == [{group}]


def has_heard(reader: Reader, texts: list[str]) -> bool:
    """Whether a reader has been told this, and nothing else."""
    return reader.texts == texts


def match_by(shard: int, *, after: int = 0) -> int:
    """A match of which the room is told by that shard."""
    return next(
        number
        for number in itertools.count(after + 1)
        if shard_of(group_of(number, "room")) == shard
    )


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_a_shard_is_the_one_that_the_channel_layer_itself_takes(count: int, settings: Any) -> None:
    hosts = [f"redis://127.0.0.1:{number}" for number in range(1, count + 1)]
    settings.GAUNTLET_LAYER_ADDRESSES = hosts
    layer = RedisPubSubLoopLayer(hosts=hosts, prefix=settings.REDIS_PREFIX)
    groups = [group_of(number, "room") for number in range(200)]
    theirs = [layer._get_shard(layer._get_group_channel_name(group)) for group in groups]
    assert [layer._shards[shard_of(group)] for group in groups] == theirs
    assert {shard_of(group) for group in groups} == set(range(count))


async def test_readers_of_every_shard_are_told(houses: Houses, second: Valkey, tap: Tap) -> None:
    here, there = await houses.open(), await houses.open()
    matches = [match_by(0), match_by(1)]
    readers = [Reader(), Reader()]
    for reader, match in zip(readers, matches, strict=True):
        await there.watch(reader, match, "room")
    # Each is known to the line that has to do with it, and to no other.
    for line_, match in zip(here.lines, matches, strict=True):
        await until(partial(knows_only, line_, group_of(match, "room")))
    for match in matches:
        houses.turn(here, match)
    both = [Frame(group_of(match, "room"), "to all") for match in matches]
    houses.send(here, *both)
    for reader in readers:
        await until(partial(has_heard, reader, ["turn 1", "to all"]))
    assert tap.groups() == [group_of(matches[0], "room")] * 2  # of the first shard


async def test_only_what_goes_by_a_shard_that_lags_has_to_leave(
    houses: Houses, second: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = await houses.open()
    frames = [Frame(group_of(match_by(shard), "room"), "", 1) for shard in (0, 1)]
    assert [here.must_leave(frame) for frame in frames] == [False, False]
    for lagging in (0, 1):
        with monkeypatch.context() as patched:
            patched.setattr(here.lines[lagging], "known_until", float("-inf"))
            found = [here.must_leave(frame) for frame in frames]
            assert found == [lagging == 0, lagging == 1]


async def test_a_shard_that_is_away_costs_what_goes_by_it_until_it_is_back(
    houses: Houses, second: Valkey
) -> None:
    here, there = await houses.open(), await houses.open()
    near, far = match_by(0), match_by(1)
    mine, theirs = {near: Reader(), far: Reader()}, {near: Reader(), far: Reader()}
    for room, readers in ((here, mine), (there, theirs)):
        for match, reader in readers.items():
            await room.watch(reader, match, "room")
    await asyncio.sleep(2 * QUICK["SETTLE_S"])  # nobody looks any more because they have come
    await asyncio.to_thread(second.stop)
    await until(lambda: here.lines[1].away and there.lines[1].away)
    late = Reader()
    began = time.monotonic()
    await there.watch(late, match_by(1, after=far), "room")
    assert time.monotonic() - began < QUICK["PATIENCE_S"]
    for match in (far, near, near):
        houses.turn(here, match)
    await until(lambda: theirs[near].texts == ["turn 1", "turn 2"])
    assert mine[far].texts == ["turn 1"]
    assert theirs[far].texts == []
    assert [line_.away for line_ in here.lines] == [False, True]
    await asyncio.to_thread(second.start)
    await until(lambda: theirs[far].version == 1, patience=10)
    await until(partial(keeps, here))
    houses.turn(here, far)
    await until(lambda: theirs[far].texts == ["turn 2"])
