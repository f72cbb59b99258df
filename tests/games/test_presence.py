"""Who is looking at a match: what a crowd costs, and what processes know of each other.

Each process here is an event loop with a name of its own, on the real Valkey.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import redis
import redis.asyncio as aioredis
from django.conf import settings
from redis.asyncio.client import Pipeline

from core.broker import ask_all_again
from core.clock import now_ms
from games import presence
from games.engine.decisions import Audience

SECOND = 1000
_ids = itertools.count(80_000_000)


@pytest.fixture
def match() -> int:
    """The number of a match that nobody has looked at."""
    return next(_ids)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Stands still, but for what tests do to it."""
    clock = SimpleNamespace(at=now_ms())
    monkeypatch.setattr(presence, "now_ms", lambda: clock.at)
    return clock


class Process:
    """A web process."""

    def __init__(self, name: str, match: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.name = name
        self.match = match
        self.monkeypatch = monkeypatch
        self.runner = asyncio.Runner()

    def arrive(self, audience: Audience, *sockets: str) -> dict[str, Any]:
        """Sockets come, or ping; who is there after the last of them."""
        return self._run(self._each(presence.arrive, audience, sockets))

    def leave(self, audience: Audience, *sockets: str) -> dict[str, Any]:
        return self._run(self._each(presence.leave, audience, sockets))

    async def _each(
        self, call: Callable[..., Any], audience: Audience, sockets: Sequence[str]
    ) -> dict[str, Any]:
        there: dict[str, Any] = presence.NOBODY
        for socket in sockets:
            there = await call(self.match, audience, socket)
        return there

    def _run(self, coroutine: Any) -> dict[str, Any]:
        with self.monkeypatch.context() as named:
            named.setattr(presence, "process_name", lambda: self.name)
            there: dict[str, Any] = self.runner.run(coroutine)
            return there


@pytest.fixture
def processes(match: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Process, Process]]:
    one, two = (Process(name, match, monkeypatch) for name in ("one", "two"))
    yield one, two
    for process in (one, two):
        process.runner.close()


def there(first: bool, second: bool, spectators: int) -> dict[str, Any]:
    return {"seats": [first, second], "spectators": spectators}


class Spent:
    """What is asked of Redis, and how much goes either way."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.commands = self.size = 0
        execute: Any = Pipeline.execute
        single: Any = aioredis.Redis.execute_command

        async def counted(pipe: Any, *args: Any, **more: Any) -> Any:
            asked = list(pipe.command_stack)
            self._count(len(asked), asked)
            answer = await execute(pipe, *args, **more)
            self.size += len(repr(answer))
            return answer

        async def counted_single(client: Any, *args: Any, **more: Any) -> Any:
            if isinstance(client, Pipeline):
                return single(client, *args, **more)
            self._count(1, args)
            answer = await single(client, *args, **more)
            self.size += len(repr(answer))
            return answer

        monkeypatch.setattr(Pipeline, "execute", counted)
        monkeypatch.setattr(aioredis.Redis, "execute_command", counted_single)

    def _count(self, commands: int, asked: Any) -> None:
        self.commands += commands
        self.size += len(repr(asked))

    def taken(self) -> tuple[int, int]:
        """Commands and bytes since this was last asked."""
        spent = self.commands, self.size
        self.commands = self.size = 0
        return spent


def test_a_ping_costs_the_same_however_many_watch(
    clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    costs, spent = {}, Spent(monkeypatch)
    for count in (5, 500):
        process = Process("one", next(_ids), monkeypatch)
        process.arrive(0, "player")
        crowd = [f"socket-{number:03}" for number in range(count)]
        process.arrive("room", *crowd)
        clock.at += 10 * SECOND
        spent.taken()
        assert process.arrive("room", crowd[0]) == there(True, False, count)
        costs[count] = spent.taken()
        # All others within the same second; nobody else has to ask.
        process.arrive("room", *crowd[1:])
        process.arrive(0, "player")
        assert spent.taken() == (0, 0)
        process.runner.close()
    (few, small), (many, large) = costs[5], costs[500]
    assert few == many > 0
    # The number itself is written and read.
    assert large - small <= 2 * len("00")


def test_a_crowd_that_arrives_is_told_of_once(
    processes: tuple[Process, Process], clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = processes
    spent = Spent(monkeypatch)
    one.arrive(0, "player")
    cost = spent.taken()[0]
    assert one.arrive("room", *map(str, range(300))) == there(True, False, 300)
    assert spent.taken() == (0, 0)

    async def told() -> dict[str, Any]:
        async with asyncio.timeout(30):
            while spent.commands == 0 or presence._tasks:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        return presence.NOBODY

    # Soon after, and without anybody saying anything more.
    one._run(told())
    assert spent.taken()[0] <= cost + 2
    assert two.arrive("room", "other") == there(True, False, 301)


def test_processes_know_of_each_others_people(
    processes: tuple[Process, Process], clock: SimpleNamespace
) -> None:
    one, two = processes
    assert one.arrive(0, "a") == there(True, False, 0)
    # Whoever comes second finds both, wherever the other is: that begins a match.
    assert two.arrive(1, "b") == there(True, True, 0)
    assert one.arrive("room", "c", "d") == there(True, False, 2)  # asked a moment ago
    clock.at += SECOND
    assert one.arrive(0, "a") == there(True, True, 2)
    clock.at += SECOND
    assert two.arrive(1, "b") == there(True, True, 2)
    assert presence.seats_there(one.match) == (True, True)
    assert one.leave(0, "a") == there(False, True, 2)
    assert presence.seats_there(one.match) == (False, True)
    one.leave("room", "c", "d")
    clock.at += SECOND
    assert two.arrive(1, "b") == there(False, True, 0)


def test_a_player_who_comes_is_known_everywhere_at_once(
    processes: tuple[Process, Process], clock: SimpleNamespace
) -> None:
    """Though both processes have only just asked who is there: that begins a match."""
    one, two = processes
    one.arrive("room", "c")
    two.arrive("room", "d")
    assert one.arrive(0, "a")["seats"] == [True, False]
    assert presence.seats_there(one.match) == (True, False)
    assert two.arrive(1, "b")["seats"] == [True, True]
    assert presence.seats_there(one.match) == (True, True)


def test_somebody_without_a_socket_is_there_for_everybody(
    processes: tuple[Process, Process], clock: SimpleNamespace
) -> None:
    one, _ = processes
    one.arrive("room", "c")
    assert presence.look(one.match, 1, "asks-7") == there(False, True, 1)
    clock.at += SECOND
    assert one.arrive("room", "c") == there(False, True, 1)
    clock.at += presence.PRESENT_FOR_MS
    assert one.arrive("room", "c") == there(False, False, 1)


def test_the_sockets_of_a_process_that_died_are_forgotten(
    processes: tuple[Process, Process], clock: SimpleNamespace
) -> None:
    one, two = processes
    one.arrive(0, "a")
    clock.at += SECOND
    one.arrive("room", "c", "d")
    assert two.arrive(1, "b") == there(True, True, 1)  # of two that came within a second
    clock.at += SECOND
    one.arrive(0, "a")
    assert two.arrive(1, "b") == there(True, True, 2)
    for _ in range(4):  # and nobody of process one says anything more
        clock.at += 10 * SECOND
        found = two.arrive(1, "b")
    assert found == there(False, True, 0)
    assert presence.seats_there(one.match) == (False, True)
    # Another ping later nothing is kept of it but when its player was seen.
    for _ in range(4):
        clock.at += 10 * SECOND
        two.arrive(1, "b")
    with redis.Redis.from_url(settings.GAUNTLET_REDIS_ADDRESS) as client:
        assert client.hgetall(presence._counts_key(one.match)) == {}
    since = clock.at - 60 * SECOND
    assert presence.seats_seen(one.match, since=since) == (True, True)


def test_a_silent_player_is_not_kept_by_the_crowd_around(
    processes: tuple[Process, Process], clock: SimpleNamespace
) -> None:
    one, two = processes
    one.arrive(0, "a")
    one.arrive("room", "c", "gone")
    for _ in range(4):
        clock.at += 10 * SECOND
        found = one.arrive("room", "c")
    assert found == there(False, False, 1)
    assert two.arrive(1, "b") == there(False, True, 1)
    assert presence.seats_there(one.match) == (False, True)


def test_two_tabs_are_one_player(
    processes: tuple[Process, Process], clock: SimpleNamespace
) -> None:
    one, _ = processes
    one.arrive(0, "tab", "other tab")
    clock.at += SECOND
    assert one.leave(0, "tab") == there(True, False, 0)
    assert presence.seats_there(one.match) == (True, False)
    clock.at += SECOND
    left = clock.at
    assert one.leave(0, "other tab") == there(False, False, 0)
    assert presence.seats_there(one.match) == (False, False)
    # Who saw something is known for an hour.
    clock.at += presence.KNOWN_FOR_MS - 10 * SECOND
    assert presence.seats_seen(one.match, since=left - 1) == (True, False)
    assert presence.seats_seen(one.match, since=left) == (False, False)


def test_a_page_that_is_loaded_anew_is_there(
    processes: tuple[Process, Process], clock: SimpleNamespace
) -> None:
    """Its old socket closes before or after its new one opens."""
    one, _ = processes
    for first in (True, False):
        one.arrive(0, "old")
        if first:
            one.leave(0, "old")
        assert one.arrive(0, "new")["seats"] == [True, False]
        if not first:
            assert one.leave(0, "old")["seats"] == [True, False]
        assert presence.seats_there(one.match) == (True, False)
        one.leave(0, "new")
        assert presence.seats_there(one.match) == (False, False)
        clock.at += SECOND


def test_without_redis_a_process_knows_its_own(
    processes: tuple[Process, Process], clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = processes
    two.arrive(1, "b")
    one.arrive(0, "a")

    async def away(*_: Any, **__: Any) -> Any:
        raise redis.ConnectionError

    with monkeypatch.context() as broken:
        broken.setattr(Pipeline, "execute", away)
        clock.at += SECOND
        assert one.arrive(0, "a") == there(True, False, 0)
        one.leave(0, "a")
        one.arrive("room", "c")
        clock.at += SECOND
    ask_all_again()  # Redis answers again
    # What could not be told is told later.
    assert one.arrive("room", "c") == there(False, True, 1)


def test_everybody_is_told_of_a_crowd_once_a_second(
    match: int, clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    process, spent = Process("one", match, monkeypatch), Spent(monkeypatch)

    async def asked() -> dict[str, Any]:
        return {"told": [await presence.may_announce(match) for _ in range(200)]}

    assert sum(process._run(asked())["told"]) == 1
    assert spent.taken()[0] == 1
    process.runner.close()
