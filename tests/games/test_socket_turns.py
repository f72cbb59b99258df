"""One thing at a time: in which order a socket sends what it is told and what it was asked for."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import pytest
from channels.routing import URLRouter
from django.utils import timezone

from accounts.connections.sockets import Visitor
from accounts.models import User
from core.api.scopes import Credential
from games.audience import group_of
from games.publishing import publish as publishing
from games.publishing.publish import Frame, publish
from games.reading.shared import RoomView
from games.sockets import consumers, crowd, rooms, socket
from games.sockets.routing import websocket_urlpatterns
from tests.support.sockets import KnownVisitor, LocalSocket, shared_view

GROUP = group_of(1, "room")


class Table:
    """A match without a database, and one who watches it; `sent` is what the socket wrote."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, writes: bool) -> None:
        self.version = 1
        self.may_read = threading.Event()
        self.may_read.set()
        self.unsent = 0
        self.sent: list[dict[str, Any]] = []
        monkeypatch.setattr(publishing, "_nearby", [])
        monkeypatch.setattr(rooms, "versions_of", lambda _match: (0, 0, 0))
        monkeypatch.setattr(consumers, "standing_of", lambda *_: ("room", False))
        monkeypatch.setattr(crowd, "room_view", self.read)
        self.socket = LocalSocket(URLRouter(websocket_urlpatterns), "/ws/v1/matches/1/")
        self.socket.scope["visitor"] = Visitor()
        self.socket.scope["unsent"] = lambda: self.unsent
        if writes:
            self.socket.scope["write"] = lambda data: self.sent.append(json.loads(data))

    def read(self, *_given: Any, **_late: bool) -> RoomView:
        """A view, as things stand when it is begun."""
        view = shared_view(self.version)
        assert self.may_read.wait(30)
        return view

    async def turn(self, *versions: int) -> None:
        """Tell of these versions, and let that be done."""
        publish([Frame(GROUP, {"type": "step", "version": each}, each) for each in versions])
        await asyncio.sleep(0.02)

    async def told(self, *, until: Callable[[list[Any]], Any]) -> list[tuple[str, int]]:
        """The types and versions of what has come about the match, once that is enough."""
        async with asyncio.timeout(20):
            while not until(self.found()):
                if not self.socket.output_queue.empty():
                    output = await self.socket.receive_output()
                    if output["type"] == "websocket.send":
                        self.sent.append(json.loads(output["text"]))
                await asyncio.sleep(0.005)
        return self.found()

    def found(self) -> list[tuple[str, int]]:
        """What has come so far."""
        return [(f["type"], f.get("version", 0)) for f in self.sent if f["type"] != "presence"]


@pytest.fixture(params=[True, False], ids=["at once", "by the server's send"])
async def table(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Table]:
    table = Table(monkeypatch, writes=request.param)
    yield table
    await table.socket.disconnect()


async def connected(table: Table) -> None:
    assert (await table.socket.connect())[0]
    await table.told(until=lambda found: found == [("sync", 1)])


async def test_versions_never_go_backwards(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes late, or by both ways, is not sent."""
    await connected(table)
    await table.turn(2, 3)
    await table.turn(2)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(publishing, "_nearby", [])
        await table.turn(3)  # by the broker
    await table.turn(5, 4)
    await table.turn(6)
    steps = [("step", version) for version in (2, 3, 5, 6)]
    assert await table.told(until=lambda found: ("step", 6) in found) == [("sync", 1), *steps]


async def test_what_is_told_during_a_sync_follows_it(table: Table) -> None:
    await connected(table)
    table.may_read.clear()
    await table.socket.send_to('{"type": "sync"}')
    await asyncio.sleep(0.05)
    await table.turn(2, 3)
    table.version = 2  # read between the two
    assert table.found() == [("sync", 1)]
    table.may_read.set()
    # The sync was begun with what was the newest then.
    found = await table.told(until=lambda found: ("step", 3) in found)
    assert found == [("sync", 1), ("sync", 1), ("step", 2), ("step", 3)]
    table.may_read.clear()
    table.version = 4
    await table.socket.send_to('{"type": "sync"}')
    await asyncio.sleep(0.05)
    await table.turn(4, 5)
    table.may_read.set()
    found = await table.told(until=lambda found: ("step", 5) in found)
    assert found[4:] == [("sync", 4), ("step", 5)]


async def test_what_is_told_before_the_first_view_follows_it(table: Table) -> None:
    table.may_read.clear()
    assert (await table.socket.connect())[0]
    (line,) = rooms.here().lines
    async with asyncio.timeout(20):
        while GROUP not in line.reached or not line.reached[GROUP].done():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    await table.turn(1, 2)
    table.may_read.set()
    found = await table.told(until=lambda found: ("step", 2) in found)
    assert found == [("sync", 1), ("step", 2)]


async def test_a_slow_reader_is_let_go(table: Table) -> None:
    await connected(table)
    table.unsent = socket.UNSENT_BYTES_AT_MOST + 1
    await table.turn(2)
    found = await table.told(until=lambda found: found[-1][0] == "closing")
    assert found == [("sync", 1), ("closing", 0)]
    assert await table.socket.receive_output() == {"type": "websocket.close", "code": 4408}


async def test_so_is_one_that_never_says_what_it_has_read(table: Table) -> None:
    await connected(table)
    table.may_read.clear()
    await table.socket.send_to('{"type": "sync"}')
    await asyncio.sleep(0.05)
    for begin in range(2, 702, 100):  # all of it waits
        await table.turn(*range(begin, begin + 100))
    table.may_read.set()
    found = await table.told(until=lambda found: found[-1][0] == "closing")
    assert len(found) <= socket.UNREAD_FRAMES_AT_MOST + 3


async def test_nothing_is_sent_by_a_token_that_has_expired(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = Credential(expires_at=timezone.now() + timedelta(hours=1))
    table.socket.scope["visitor"] = KnownVisitor(User(pk=70_013), soon, "one")
    monkeypatch.setattr(socket, "stands_of_socket", lambda _scope: None)
    await connected(table)
    object.__setattr__(soon, "expires_at", timezone.now())
    await table.turn(2)
    found = await table.told(until=lambda found: found[-1][0] == "closing")
    assert found == [("sync", 1), ("closing", 0)]
