"""The servers that operators may choose, Daphne and uvicorn: whichever serves, nobody can tell."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, closing
from typing import Any

import httpx
import pytest
import redis
from websockets.exceptions import ConnectionClosed

from games.engine.decisions import Seat
from games.rulesets.domino_black_white import benchmark
from tests.games.client import Frame, Reader, handshaken, spectators
from tests.games.desk import Desk
from tests.support.site import AnotherWeb, Site, Web, wait_for

pytestmark = pytest.mark.site

SERVERS = ["daphne", "uvicorn"]
# What `config.shutdown` waits for, what the server does after it, and a busy machine.
ENDED_WITHIN_S = 5 + 5 + 5

Opened = Callable[..., AnotherWeb]
Closed = tuple[int | None, str | None]


@pytest.fixture
def opened(site: Site) -> Iterator[Opened]:
    """`opened(server, *options)`: one more web process, for this test alone."""
    webs: list[AnotherWeb] = []

    def open_one(server: str, *options: str) -> AnotherWeb:
        webs.append(AnotherWeb(site, server, *options))
        webs[-1].web.start()
        return webs[-1]

    yield open_one
    for web in webs:
        web.stop()


async def view_after(reader: Reader, version: int) -> Frame:
    """The newest view that is newer than that version."""
    while True:
        told = [frame for frame in reader.frames if frame["type"] in ("sync", "step")]
        reader.frames = [frame for frame in reader.frames if frame not in told]
        if told and told[-1]["version"] > version:
            return told[-1]
        async with asyncio.timeout(30):
            reader.frames.append(reader._took(await reader.socket.recv()))


async def play(reader: Reader, seat: Seat, source: random.Random) -> dict[str, Any]:
    """Answer whatever is asked of a seat until the match is over; returns the result."""
    version = 0
    while True:
        frame = await view_after(reader, version)
        version, view = frame["version"], frame["view"]
        if view["result"] is not None:
            return dict(view["result"])
        for decision in view["decisions"]:
            if decision["seat"] == seat:
                game = json.dumps(view["game"]).encode()
                text = benchmark.answer(decision["kind"], seat, game, source.random)
                answer = await reader.submit(text, version=version)
                assert answer["type"] == "ack" or answer["code"] == "version.stale", answer


async def present(web: Web, match: int, count: int) -> None:
    """Return once so many sockets of the room are there."""
    await asyncio.to_thread(
        wait_for, lambda: spectators(web, match) == count, what=f"{count} in the room"
    )


@pytest.mark.parametrize("served", [("uvicorn", "uvicorn"), ("daphne", "uvicorn")])
async def test_a_match_is_played_to_its_end(
    served: tuple[str, str], site: Site, uvicorn_session: AnotherWeb, desk: Desk
) -> None:
    uvicorn_session.web.start()
    webs: dict[str, Web] = {"daphne": site, "uvicorn": uvicorn_session}
    players = (desk.person(), desk.person())
    match = desk.match(*players, ruleset="domino-black-white")
    source = random.Random(13)
    async with AsyncExitStack() as stack:
        readers = [
            await stack.enter_async_context(await Reader.open(webs[server], match, player))
            for server, player in zip(served, players, strict=True)
        ]
        guest = await stack.enter_async_context(await Reader.open(webs["uvicorn"], match))
        results = await asyncio.gather(
            *[play(reader, seat, source) for seat, reader in enumerate(readers)]
        )
        frame = await view_after(guest, 0)
        while frame["view"]["result"] is None:
            frame = await view_after(guest, frame["version"])
    assert results == [frame["view"]["result"]] * 2
    assert desk.record(match)["ok"]
    assert len(desk.rows(match)["entries"]) > 20


@pytest.mark.parametrize("server", SERVERS)
async def test_a_deploy_in_the_midst_of_play(server: str, opened: Opened, desk: Desk) -> None:
    """Everybody is told so by the same code, nothing that was acknowledged is lost, and who comes
    back finds it; the process ends in time, whoever reads or does not."""
    web = opened(server)
    orla = desk.person(role="organisers")
    matches = [desk.match(desk.person(), desk.person()) for _ in range(3)]
    acked = dict.fromkeys(matches, 0)

    async def act(match: int, reader: Reader) -> Closed:
        reader.ids = (f"{match}-{number}" for number in range(10**6))
        try:
            while True:
                answer = await reader.organise("resume" if acked[match] % 2 else "pause")
                assert answer["type"] == "ack", answer
                acked[match] += 1
        except ConnectionClosed:
            return reader.socket.close_code, reader.socket.close_reason

    async def listen(reader: Reader) -> Closed:
        await reader.closed()
        return reader.socket.close_code, reader.socket.close_reason

    async with AsyncExitStack() as stack:
        desks, guests = [], []
        for match in matches:
            desks.append(await stack.enter_async_context(await Reader.open(web, match, orla)))
            guests.append(await stack.enter_async_context(await Reader.open(web, match)))
        stack.enter_context(closing(await asyncio.to_thread(handshaken, web, matches[0])))
        idle = await stack.enter_async_context(httpx.AsyncClient())
        assert (await idle.get(f"{web.base_url}/healthz")).status_code == 200
        playing = [
            *[asyncio.ensure_future(act(*each)) for each in zip(matches, desks, strict=True)],
            *[asyncio.ensure_future(listen(guest)) for guest in guests],
        ]
        await asyncio.to_thread(desk.publish, matches[0], "room", frames=5, size=100_000)
        async with asyncio.timeout(60):
            while min(acked.values()) < 5:  # noqa: ASYNC110  (nobody tells)
                await asyncio.sleep(0.02)
        child = web.web.child
        assert isinstance(child, subprocess.Popen)
        began = time.monotonic()
        child.terminate()
        assert await asyncio.gather(*playing) == [(4012, "")] * 6
        assert await asyncio.to_thread(child.wait, 30) == 0
        assert time.monotonic() - began < ENDED_WITHIN_S
    assert "Traceback" not in web.web.log()
    web.web.start()
    for match in matches:
        async with await Reader.open(web, match, orla) as reader:
            sync = await reader.next("sync")
            # One may have been stored whose ack could not be sent any more.
            assert sync["version"] - 1 - acked[match] in (0, 1)


async def test_who_does_not_read_holds_up_nobody(web: Web, desk: Desk) -> None:
    orla = desk.person(role="organisers")
    match = desk.match(desk.person(), desk.person())
    async with await Reader.open(web, match, orla) as reader:
        await reader.next("sync")
        deaf = await asyncio.to_thread(handshaken, web, match)
        with closing(deaf):
            await present(web, match, 2)
            acts = 0
            while spectators(web, match) == 2:
                await asyncio.to_thread(desk.publish, match, "room", frames=5, size=100_000)
                async with asyncio.timeout(5):
                    answer = await reader.organise("resume" if acts % 2 else "pause")
                assert answer["type"] == "ack"
                await reader.say("ping", received=10**6)
                await asyncio.sleep(0.1)  # below the limit on frames
                acts += 1
                assert acts < 200, "the deaf one is never let go"
        await reader.say("sync")
        assert (await reader.next("sync", version=acts + 1))["version"] == acts + 1


@pytest.mark.parametrize("server", SERVERS)
async def test_a_dead_client_is_found_out(server: str, opened: Opened, desk: Desk) -> None:
    web = opened(server, "--ping-interval", "1", "--ping-timeout", "1")
    match = desk.match(desk.person(), desk.person())
    async with await Reader.open(web, match) as alive:
        await alive.next("sync")
        with closing(await asyncio.to_thread(handshaken, web, match)):
            for count in (2, 1):
                await present(web, match, count)
        await alive.pause(3)
        await alive.say("ping", at=1)
        await alive.next("pong", at=1)


@pytest.mark.parametrize("server", SERVERS)
def test_a_room_is_there_from_the_first_moment_to_the_last(
    server: str, opened: Opened, site: Site
) -> None:
    """One that opened with its first reader would not know yet where else there are any."""
    name = f"{site.env['GAUNTLET_REDIS_PREFIX']}-room"

    def rooms() -> int:
        listening = admin.client_list(_type="pubsub")
        return sum(client["name"] == name for client in listening)

    with redis.Redis.from_url(site.env["REDIS_URL"]) as admin:
        wait_for(lambda: rooms() == 1, what="the room of the site's own process")
        another = opened(server)
        wait_for(lambda: rooms() == 2, what="a room before anybody comes")
        another.web.terminate()
        assert rooms() == 1
    assert "Task was destroyed" not in another.web.log()


async def test_what_no_log_may_hold(web: Web) -> None:
    secret = "MzE-1wQ0zY-secret"
    async with httpx.AsyncClient(base_url=web.base_url, timeout=30) as client:
        assert (await client.get(f"/?token={secret}")).status_code == 200
        assert (await client.get(f"/accounts/confirm-email/{secret}/")).status_code in (200, 302)
        assert (await client.get(f"/accounts/password/reset/key/3-{secret}/")).status_code == 200
    async with await Reader.open(web, 0, path=f"/ws/v1/lobby/?token={secret}") as lobby:
        await lobby.say("ping", at=1)
        await lobby.next("pong")
    async with await Reader.open(web, 0, path=f"/ws/nowhere/?token={secret}") as nowhere:
        await nowhere.closed()
    web.web.wait_until_told("confirm-email/[hidden]")
    assert "secret" not in web.web.log()
