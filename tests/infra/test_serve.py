"""uvicorn's sockets as `config.serve` has them: however one ends, it ends, and with its code."""

from __future__ import annotations

import asyncio
import base64
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidMessage

from config import serve
from config.serve import Socket, configured, parse

KIB = 1024
Handler = Callable[["Ours"], Awaitable[None]]


class Ours:
    """The server's side of one socket, as an application sees it."""

    def __init__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scope, self.receive, self._send = scope, receive, send
        self.heard: list[Any] = []
        self.is_over = asyncio.Event()

    async def send(self, kind: str, **keys: Any) -> None:
        await asyncio.wait_for(self._send({"type": f"websocket.{kind}", **keys}), 10)

    @property
    def protocol(self) -> Socket:
        protocol: Socket = self._send.__self__
        return protocol


class Stand:
    """A listening uvicorn without the site."""

    def __init__(self, port: int, arrivals: asyncio.Queue[Ours]) -> None:
        self.port = port
        self.arrivals = arrivals

    async def opened(self, **options: Any) -> tuple[ClientConnection, Ours]:
        client = await connect(f"ws://127.0.0.1:{self.port}/x", proxy=None, **options)
        return client, await asyncio.wait_for(self.arrivals.get(), 10)

    async def raw(self) -> tuple[socket.socket, Ours]:
        """A client that does only what it is told to, and has hardly room for what it does not
        read."""
        client = self._connected()
        loop = asyncio.get_running_loop()
        key = base64.b64encode(os.urandom(16)).decode()
        await loop.sock_sendall(
            client,
            b"GET /x HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + key.encode() + b"\r\n\r\n",
        )
        assert (await loop.sock_recv(client, 12)) == b"HTTP/1.1 101"
        ours = await asyncio.wait_for(self.arrivals.get(), 10)
        kernels = ours.protocol.transport.get_extra_info("socket")
        kernels.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * KIB)
        return client, ours

    async def said_instead(self, request: bytes) -> bytes:
        """What the server says to a handshake that is none, until it closes."""
        client = self._connected()
        loop = asyncio.get_running_loop()
        with client:
            await loop.sock_sendall(client, request)
            said = b""
            while piece := await asyncio.wait_for(loop.sock_recv(client, 65536), 10):
                said += piece
        return said

    def _connected(self) -> socket.socket:
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * KIB)
        client.connect(("127.0.0.1", self.port))
        client.setblocking(False)
        return client


@asynccontextmanager
async def standing(handler: Handler | None = None, *options: str) -> AsyncIterator[Stand]:
    """``handler`` is what is done once a socket is open, before it hears anything."""
    arrivals: asyncio.Queue[Ours] = asyncio.Queue()

    async def application(scope: Any, receive: Any, send: Any) -> None:
        ours = Ours(scope, receive, send)
        assert (await receive())["type"] == "websocket.connect"
        if handler is not None:
            await handler(ours)
        else:
            await ours.send("accept")
        arrivals.put_nowait(ours)
        while not ours.is_over.is_set():
            ours.heard.append(await receive())
            if ours.heard[-1]["type"] == "websocket.disconnect":
                ours.is_over.set()

    config = configured(parse(list(options)))
    config.app = application
    config.load()
    state = ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: config.http_protocol_class(  # type: ignore[call-arg]
            config=config, server_state=state, app_state={}
        ),
        "127.0.0.1",
        0,
    )
    try:
        yield Stand(server.sockets[0].getsockname()[1], arrivals)
        assert not state.connections, "somebody is still connected"
    finally:
        server.close()
        for connection in list(state.connections):
            connection.transport.abort()


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110  (uvicorn tells nobody)
            await asyncio.sleep(0.01)


async def gone(ours: Ours) -> None:
    """Return once the connection is no more."""
    await until(lambda: ours.protocol.disconnected)


async def test_texts_are_shown_before_anybody_asks_for_them() -> None:
    """As many as a client sends in one go, and no endless number."""
    shown: list[tuple[str, int]] = []
    asks = asyncio.Event()

    async def busy(ours: Ours) -> None:
        await ours.send("accept")
        ours.scope["heed"](lambda message: shown.append((message["text"], len(ours.heard))))
        await asks.wait()

    async with standing(busy) as stand:
        client = await connect(f"ws://127.0.0.1:{stand.port}/x", proxy=None)
        texts = [str(number) for number in range(2 * serve.AHEAD)]
        for text in texts:
            await client.send(text)
        await until(lambda: len(shown) >= serve.AHEAD)
        await asyncio.sleep(0.1)
        # A packet that was read already may bring some more.
        at_once, asked = len(shown), {heard for _, heard in shown}
        assert asked == {0}
        asks.set()
        ours = await asyncio.wait_for(stand.arrivals.get(), 10)
        await until(lambda: len(shown) == len(texts))
        assert [text for text, _ in shown] == texts
        await until(lambda: len(ours.heard) == len(texts))
        assert at_once >= serve.AHEAD
        await client.close()
        await gone(ours)


async def test_reading_stops_where_nobody_asks() -> None:
    shown: list[int] = []
    asks = asyncio.Event()

    async def busy(ours: Ours) -> None:
        await ours.send("accept")
        ours.scope["heed"](lambda message: shown.append(len(message["text"])))
        await asks.wait()

    async with standing(busy) as stand:
        client = await connect(f"ws://127.0.0.1:{stand.port}/x", proxy=None)
        large = "x" * (serve.AHEAD_BYTES // 2)
        sending = [asyncio.create_task(client.send(large)) for _ in range(12)]
        await until(lambda: len(shown) >= 2)
        await asyncio.sleep(0.2)
        assert sum(shown) < 12 * len(large)
        asks.set()
        ours = await asyncio.wait_for(stand.arrivals.get(), 10)
        await until(lambda: len(ours.heard) == 12)
        await asyncio.gather(*sending)
        await client.close()
        await gone(ours)


async def test_the_scope_has_what_daphnes_has() -> None:
    async with standing() as stand:
        client, ours = await stand.opened()
        ours.scope["write"](b"one")
        await ours.send("send", text="two")
        ours.scope["write"]("\u20ac".encode())
        assert [await client.recv() for _ in range(3)] == ["one", "two", "\u20ac"]
        assert (ours.scope["unsent"](), ours.scope["gone"]()) == (0, False)
        await client.close()
        await gone(ours)
        assert ours.scope["gone"]()
        ours.scope["write"](b"late")
        await ours.send("send", text="late")
        await ours.send("close", code=4000)
        assert ours.heard[-1]["code"] == 1000


async def test_a_close_is_the_last_that_is_sent_and_its_code_arrives() -> None:
    async with standing() as stand:
        client, ours = await stand.opened()
        await ours.send("close", code=4012)
        ours.scope["write"](b"late")
        await ours.send("send", text="late")
        await ours.send("close", code=4001)
        await client.wait_closed()
        assert (client.close_code, client.close_reason) == (4012, "")
        await gone(ours)


async def test_what_is_not_read_is_counted_and_holds_up_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serve, "LINGER", 0.3)
    async with standing() as stand:
        client, ours = await stand.raw()
        with client:
            for _ in range(20):
                ours.scope["write"](b"x" * 50 * KIB)
                await ours.send("send", text="y" * 10 * KIB)
            assert ours.scope["unsent"]() > 900 * KIB
            assert not ours.scope["gone"]()
            # The sockets let it go. It does not read that either, and is gone all the same.
            await ours.send("send", text='{"type": "closing"}')
            await ours.send("close", code=4408)
            await gone(ours)


async def test_who_reads_after_all_is_told_why() -> None:
    async with standing() as stand:
        client, ours = await stand.raw()
        with client:
            for _ in range(20):
                ours.scope["write"](b"x" * 50 * KIB)
            await ours.send("close", code=4408)
            loop = asyncio.get_running_loop()
            tail = b""
            while not tail.endswith(b"\x88\x02" + (4408).to_bytes(2, "big")):
                piece = await asyncio.wait_for(loop.sock_recv(client, 65536), 10)
                assert piece, "closed without a code"
                tail = (tail + piece)[-4:]
        await gone(ours)


async def test_far_more_than_is_ever_sent_is_not_kept() -> None:
    """Answers to pings are counted by nobody."""
    async with standing() as stand:
        client, ours = await stand.raw()
        with client:
            ping = b"\x89\xfd\0\0\0\0" + b"p" * 125
            loop = asyncio.get_running_loop()

            async def without_end() -> None:
                while True:
                    await loop.sock_sendall(client, ping * 500)

            with pytest.raises(ConnectionError):
                await asyncio.wait_for(without_end(), 60)
            await gone(ours)
            assert ours.is_over.is_set()


@pytest.mark.parametrize("full", [False, True])
async def test_who_answers_no_ping_is_found_out(
    full: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with much that waits to be sent, which would keep the connection open for hours."""
    monkeypatch.setattr(serve, "LINGER", 0.3)
    async with standing(None, "--ping-interval", "0.2", "--ping-timeout", "0.2") as stand:
        client, ours = await stand.raw()
        with client:
            if full:
                ours.scope["write"](b"x" * 900 * KIB)
                assert ours.scope["unsent"]() > 500 * KIB
            await asyncio.wait_for(ours.is_over.wait(), 10)
            await gone(ours)


async def test_who_answers_pings_stays() -> None:
    async with standing(None, "--ping-interval", "0.1", "--ping-timeout", "1") as stand:
        client, ours = await stand.opened()
        await asyncio.sleep(1.5)
        await client.send("here")
        ours.scope["write"](b"too")
        assert await client.recv() == "too"
        await client.close()
        await gone(ours)
        assert [each.get("text") for each in ours.heard] == ["here", None]


@pytest.mark.parametrize("reads", [False, True])
async def test_who_says_goodbye_and_reads_nothing_is_gone(
    reads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "LINGER", 0.3)
    async with standing() as stand:
        client, ours = await stand.raw()
        loop = asyncio.get_running_loop()
        with client:
            ours.scope["write"](b"x" * 900 * KIB)
            await loop.sock_sendall(client, b"\x88\x82\0\0\0\0\x03\xe8")
            while reads and await loop.sock_recv(client, 65536):
                pass
            await gone(ours)
        assert ours.heard[-1]["code"] == 1000


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"\x81\xff" + (2**40).to_bytes(8, "big") + b"\0\0\0\0", 1009),
        (b"\x81\xff" + (serve.MESSAGE_AT_MOST + 1).to_bytes(8, "big") + b"\0\0\0\0", 1009),
        (b"\x83\x80\0\0\0\0", 1002),
        (b"\x81\x01a", 1002),
        (b"\x81\x81\0\0\0\0\xff\x01\xfe\xff\xff\0\0\0\0", 1007),
    ],
)
async def test_mistakes_have_a_code_whatever_follows_them(frame: bytes, code: int) -> None:
    async with standing() as stand:
        client, ours = await stand.raw()
        loop = asyncio.get_running_loop()
        with client:
            await loop.sock_sendall(client, frame + b"\0" * 300 * KIB)
            said = b""
            while b"\x88" not in said:
                piece = await asyncio.wait_for(loop.sock_recv(client, 65536), 10)
                assert piece, "closed without a code"
                said += piece
            assert said.partition(b"\x88")[2][1:3] == code.to_bytes(2, "big")
            assert ours.scope["gone"]()
        await gone(ours)
        assert ours.heard[-1]["code"] == code


@pytest.mark.parametrize(
    ("request_line", "more", "status"),
    [
        (b"GET /x", b"Cookie: " + b"x" * 9000 + b"\r\n", b"431"),
        (b"POST /x", b"", b"405"),
        (b"GET /x", b"", b"400"),  # of another version
    ],
)
async def test_what_is_no_handshake_is_answered_and_closed(
    request_line: bytes, more: bytes, status: bytes
) -> None:
    async with standing() as stand:
        said = await stand.said_instead(
            request_line + b" HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 12\r\nSec-WebSocket-Key: AAAA\r\n" + more + b"\r\n"
        )
        assert said[9:12] == status


async def test_a_handshake_has_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "HANDSHAKE", 0.2)

    async def waits(ours: Ours) -> None:
        ours.heard.append(await ours.receive())

    async with standing(waits) as stand:
        with pytest.raises(InvalidMessage):  # cut off
            await stand.opened(open_timeout=10)
        ours = await stand.arrivals.get()
        assert ours.heard[0]["type"] == "websocket.disconnect"
        ours.is_over.set()


async def test_an_application_that_fails_leaves_nobody_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serve, "LINGER", 0.3)
    there: list[Ours] = []

    async def fails(ours: Ours) -> None:
        await ours.send("accept")
        there.append(ours)
        ours.scope["write"](b"x" * 900 * KIB)
        raise RuntimeError

    async with standing(fails) as stand:
        client = stand._connected()
        with client:
            await asyncio.get_running_loop().sock_sendall(
                client,
                b"GET /x HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                + base64.b64encode(bytes(16))
                + b"\r\n\r\n",
            )
            await until(lambda: there)
            await gone(there[0])


def test_the_options_that_the_site_counts_on() -> None:
    config = configured(parse(["--port", "8001"]))
    assert (config.host, config.port, config.lifespan) == ("127.0.0.1", 8001, "on")
    assert not config.access_log
    assert not config.proxy_headers
    assert not config.ws_per_message_deflate
    assert config.ws_max_size == 1024 * 1024
    assert uvicorn.Config("x:y").ws_per_message_deflate, "uvicorn's own: look at it again"
