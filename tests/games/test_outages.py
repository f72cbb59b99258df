"""Processes that die: nothing that was acknowledged is lost, nothing counts twice, and deadlines
happen once somebody is there to make them.

Processes are started from the test's own thread: one started in another would be killed with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from websockets.exceptions import ConnectionClosed

from config.shutdown import SERVICE_RESTART
from script.lib.processes import stop
from script.lib.services import Valkey
from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.support.site import Site

# Seconds within which a deadline happens once a worker is there: two or three on an idle machine,
# and this one may be busy with other tests.
SOON = 20.0


@pytest.fixture
def players(desk: Desk) -> tuple[Person, Person]:
    return desk.person(), desk.person()


def entries(desk: Desk, match: int) -> list[tuple[str, str, bool]]:
    """What the record holds: without notices that the service was away."""
    found = desk.rows(match)["entries"]
    told = [(entry["actor"], entry["text"], entry["timeout"]) for entry in found]
    return [entry for entry in told if entry[0] != "service"]


def queued(site: Site) -> int:
    """How many tasks for deadlines no worker has taken yet."""
    prefix = site.env["GAUNTLET_REDIS_PREFIX"]
    with redis.Redis.from_url(site.env["REDIS_URL"], db=2) as client:
        return int(client.llen(f"{prefix}.celery.deadlines"))


async def until(condition: Callable[[], Any], patience: float) -> float:
    """Wait for the condition; returns how long it took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < patience, f"waited {patience} s in vain"
        await asyncio.sleep(0.05)
    return time.monotonic() - began


async def back(site: Site, match: int, player: Person) -> Reader:
    """Come back as a browser does: again and again until somebody answers."""
    for _ in range(100):
        try:
            reader = await Reader.open(site, match, player)
            await reader.next("sync")
        except (OSError, ConnectionClosed, TimeoutError):
            await asyncio.sleep(0.1)
        else:
            return reader
    raise AssertionError("the site did not come back")


async def test_a_server_killed_in_the_middle_of_a_turn(
    site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    """The player cannot know whether the move was stored, and sends it again with the same id."""
    match = desk.match(*players)
    for number, seat in enumerate((0, 1)):
        reader = await back(site, match, players[seat])
        frame = {"id": "once", "match": match, "version": reader.version, "text": "pick T"}
        await reader.say("submit", **frame)
        await asyncio.sleep(0.004 * number)  # before it is read, or in the middle of it
        site.web.kill()
        await reader.closed()
        site.web.start()
        reader = await back(site, match, players[seat])
        await reader.say("submit", **frame)
        ack = await reader.answer("once")
        assert ack["type"] == "ack"
        await reader.say("submit", **frame)
        assert await reader.answer("once") == ack
        await reader.socket.close()
    assert entries(desk, match) == [("0", "pick T", False), ("1", "pick T", False)]


async def test_a_server_that_is_told_to_end_says_so(
    site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    match = desk.match(*players)
    first = await back(site, match, players[0])
    guest = await Reader.open(site, match)
    await guest.next("sync")
    await first.submit("pick T")
    ending = asyncio.create_task(asyncio.to_thread(site.web.terminate))
    for reader in (first, guest):
        assert (await reader.closed())[0] == SERVICE_RESTART
    await ending
    assert "Traceback" not in site.web.log()
    site.web.start()
    again = await back(site, match, players[0])
    assert again.version == first.version
    await again.socket.close()


async def test_a_deadline_outlives_the_worker(
    site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    """Killed with the task for the deadline in its hands: a new worker finds that it was done."""
    match = desk.match(*players, pick_time=5)
    await asyncio.sleep(4)  # it has been told by now
    site.deadlines.kill()
    async with await Reader.open(site, match) as guest:
        await guest.next("sync")
        await until(lambda: len(entries(desk, match)) == 4, SOON)
        step = await guest.next("step")
        assert step["view"]["game"]["pieces"] is not None
    assert queued(site)
    site.deadlines.start()
    await until(lambda: not queued(site), SOON)
    # Once, and by nobody else a second time.
    assert [entry[0] for entry in entries(desk, match)] == ["0", "chance", "1", "chance"]


async def test_a_deadline_outlives_the_scheduler(
    site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    site.beat.kill()
    await until(lambda: not queued(site), SOON)
    await asyncio.sleep(1)  # and the last sweep has ended
    # Of a match that begins no worker is told but by the scheduler.
    match = desk.match(*players, pick_time=1)
    await until(lambda: len(entries(desk, match)) == 4, SOON)
    site.beat.start()
    other = desk.match(*players, pick_time=1)
    await until(lambda: len(entries(desk, other)) == 4, SOON)


async def test_a_near_deadline_needs_no_scheduler(
    site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    """Blitz: the move itself hands the next deadline to the worker."""
    site.beat.kill()
    match = desk.match(*players, choice_time=1)
    for seat in (0, 1):
        async with await Reader.open(site, match, players[seat]) as reader:
            await reader.next("sync")
            assert (await reader.submit("pick T"))["type"] == "ack"
    await until(lambda: entries(desk, match)[-1] == ("0", "", True), SOON)
    site.beat.start()


async def test_everything_is_killed_and_comes_back(
    site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    match = desk.match(*players)
    reader = await back(site, match, players[0])
    await reader.submit("pick T")
    before = desk.rows(match)
    for process in site.processes:
        process.kill()
    await reader.closed()
    for process in site.processes:
        process.start()
    after = desk.rows(match)
    after["entries"] = [each for each in after["entries"] if each["actor"] != "service"]
    for rows in (before, after):
        # Clocks are set right after an outage, and the log says so.
        for name in ("snapshot", "seq", "deadline_at", "made_good_until"):
            rows["match"].pop(name)
    assert after == before
    again = await back(site, match, players[0])
    await again.say("sync")
    decisions = (await again.next("sync"))["view"]["decisions"]
    assert decisions[0]["sealed"] == "pick T"
    await again.socket.close()


@pytest.fixture
def frail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Site, Valkey, Desk]]:
    """A web process whose broker is its own, to be killed."""
    valkey = Valkey(tmp_path / "valkey", Path(sys.executable))
    valkey.start()
    monkeypatch.setenv("REDIS_URL", valkey.url)
    site = Site(tmp_path)
    site.processes = [site.web]
    site.start()
    yield site, valkey, Desk(site)
    site.stop()
    valkey.stop()


async def test_a_broker_that_dies_costs_nobody_a_move(frail: tuple[Site, Valkey, Desk]) -> None:
    site, valkey, desk = frail
    players = (desk.person(), desk.person())
    match = desk.match(*players, choice_time=2)
    async with (
        await Reader.open(site, match, players[0]) as first,
        await Reader.open(site, match, players[1]) as second,
    ):
        await first.next("sync")
        await second.next("sync")
        assert valkey.child is not None
        stop(valkey.child, signal.SIGKILL, 5)
        began = time.monotonic()
        assert (await first.submit("pick T"))["type"] == "ack"
        # This one makes a deadline that is near, which a worker should be told of.
        assert (await second.submit("pick L"))["type"] == "ack"
        assert time.monotonic() - began < 3
        await second.say("chat", id="x", room="players", text="hello?")
        # Nobody counts how much is said meanwhile, and all who are here hear it.
        assert (await first.next("chat"))["message"]["text"] == "hello?"
        assert (await second.next("chat"))["message"]["text"] == "hello?"
        await second.say("ping")
        # Of those who are connected to it the process knows by itself.
        assert (await second.next("pong"))["presence"] == {"seats": [True, True], "spectators": 0}
        await second.say("sync")
        assert (await second.next("sync"))["version"] == 2
        valkey.start()

        async def moves_are_heard_again() -> None:
            for number in range(100):
                await first.say("chat", id=f"again-{number}", room="players", text="again")
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(0.5):
                        await second.next("chat")
                        return
            raise AssertionError("frames do not arrive any more")

        await moves_are_heard_again()
        assert (await second.submit("concede"))["type"] == "ack"
        assert (await first.next("step", resync=True))["view"]["result"]["winner"] == 0
