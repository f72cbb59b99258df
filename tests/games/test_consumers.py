"""A database that does not answer, as sockets tell of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any, NoReturn

import pytest
from channels.layers import get_channel_layer
from channels.routing import URLRouter
from django.db import OperationalError

from accounts.sockets import Visitor
from games import consumers
from games.models import Match
from games.reading import Reader
from games.routing import websocket_urlpatterns
from tests.support.sockets import LocalSocket


def away(*_: Any, **__: Any) -> NoReturn:
    raise OperationalError("the connection is closed")


@pytest.fixture
async def socket() -> AsyncIterator[LocalSocket]:
    socket = LocalSocket(URLRouter(websocket_urlpatterns), "/ws/v1/matches/1/")
    socket.scope["visitor"] = Visitor()
    yield socket
    await socket.disconnect()
    await get_channel_layer().flush()


async def test_coming_while_the_database_is_away(
    socket: LocalSocket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "standing_of", away)
    connected, _ = await socket.connect()
    assert connected
    frame = json.loads(await socket.receive_from())
    assert (frame["type"], frame["code"]) == ("closing", "service.away")
    assert await socket.receive_output() == {"type": "websocket.close", "code": 4503}


async def test_asking_while_the_database_is_away(
    socket: LocalSocket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The socket stays: it is worth asking again."""
    there = Reader(Match(), "room", False, False, {"type": "sync", "view": {"phase": "play"}})
    monkeypatch.setattr(consumers, "standing_of", lambda *_: ("room", False))
    monkeypatch.setattr(consumers, "reader_of", lambda *_: there)
    connected, _ = await socket.connect()
    assert connected
    assert (await _next(socket))["type"] == "sync"
    monkeypatch.setattr(consumers, "reader_of", away)
    for _ in range(2):
        await socket.send_to(json.dumps({"type": "sync"}))
        frame = await _next(socket)
        assert (frame["type"], frame["code"]) == ("error", "service.away")


async def _next(socket: LocalSocket) -> dict[str, Any]:
    """The next frame that is not about who is there."""
    while True:
        frame: dict[str, Any] = json.loads(await socket.receive_from())
        if frame["type"] != "presence":
            return frame
