"""A database that does not answer, as sockets tell of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any, NoReturn

import pytest
from channels.layers import get_channel_layer
from channels.routing import URLRouter
from django.db import OperationalError

from accounts.connections.sockets import Visitor
from accounts.models import User
from accounts.moderation.standing import Silence
from core.api.scopes import Credential
from games.audience import user_group_of
from games.publishing import frames
from games.services import outage
from games.sockets import consumers, crowd
from games.sockets import socket as sockets
from games.sockets.routing import websocket_urlpatterns
from tests.support.sockets import KnownVisitor, LocalSocket, shared_view


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


@pytest.mark.parametrize("path", ["/ws/v1/lobby/", "/ws/v1/matches/1/"])
async def test_coming_before_the_process_knows_what_time_it_is(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It began while the database was away, and knows of no outage either."""
    monkeypatch.setattr(outage.known, "is_awaited", True)
    socket = LocalSocket(URLRouter(websocket_urlpatterns), path)
    socket.scope["visitor"] = Visitor()
    await socket.connect()
    frame = json.loads(await socket.receive_from())
    assert (frame["type"], frame["code"]) == ("closing", "service.away")
    assert frame["retry_after"] > 0
    assert await socket.receive_output() == {"type": "websocket.close", "code": 4503}
    await socket.disconnect()


async def test_asking_while_the_database_is_away(
    socket: LocalSocket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The socket stays: it is worth asking again."""
    monkeypatch.setattr(consumers, "standing_of", lambda *_: ("room", False))
    monkeypatch.setattr(crowd, "room_view", lambda *_, **__: shared_view())
    connected, _ = await socket.connect()
    assert connected
    assert (await _next(socket))["type"] == "sync"
    monkeypatch.setattr(crowd, "room_view", away)
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


@pytest.mark.parametrize("credential", [None, Credential()])
@pytest.mark.parametrize("path", ["/ws/v1/lobby/", "/ws/v1/matches/1/"])
async def test_pages_hear_of_a_mute_and_programs_do_not(
    path: str, credential: Credential | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is between the moderators and the person; what holds a token may be another's."""

    async def at_once(call: Callable[..., Any], *args: Any, **more: Any) -> Any:
        return call(*args, **more)

    for module in (consumers, sockets):
        monkeypatch.setattr(module, "in_read_thread", at_once)
    monkeypatch.setattr(consumers, "standing_of", lambda *_: ("room", False))
    monkeypatch.setattr(crowd, "room_view", lambda *_, **__: shared_view())
    monkeypatch.setattr(consumers, "versions_of", lambda *_: (1, 1, 1))
    monkeypatch.setattr(sockets, "stands_of_socket", lambda _scope: None)
    monkeypatch.setattr(frames, "silence_of", lambda _user: Silence("You came muted."))
    monkeypatch.setattr(consumers, "matches_to_move", lambda _user: [])
    user = User(pk=70_009)
    socket = LocalSocket(URLRouter(websocket_urlpatterns), path)
    token = "" if credential is None else "one"
    socket.scope["visitor"] = KnownVisitor(user, credential, token)
    assert (await socket.connect())[0]
    coming = await _until_marked(socket, user)
    by_lobby = path == "/ws/v1/lobby/" and credential is None
    assert coming == (["You came muted."] if by_lobby else [])
    text = json.dumps({"type": "silenced", "why": "You are muted.", "left": None})
    message = {"type": "user.silenced", "text": text}
    await get_channel_layer().group_send(user_group_of(user.pk), message)
    assert await _until_marked(socket, user) == (["You are muted."] if credential is None else [])
    await socket.disconnect()
    await get_channel_layer().flush()


async def _until_marked(socket: LocalSocket, user: User) -> list[str]:
    """What a user's socket is told of mutes before something that is sent to the user now."""
    mark = {"type": "match.frame", "text": '{"type": "mark"}'}
    await socket.send_to('{"type": "ping", "at": 1}')  # answered once it is in its groups
    told: list[str] = []
    while (frame := json.loads(await socket.receive_from()))["type"] != "mark":
        if frame["type"] == "pong":
            await get_channel_layer().group_send(user_group_of(user.pk), mark)
        elif frame["type"] == "silenced":
            told.append(frame["why"])
    return told
