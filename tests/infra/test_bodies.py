"""Bodies that are too large: refused before they are read, whoever sends them and however."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from daphne import http_protocol
from django.contrib.auth import SESSION_KEY
from django.db import connection
from django.test import Client
from twisted.internet import defer, task
from twisted.internet.testing import StringTransport

from accounts.models import User
from config import bodies, door
from core import sizes
from core.sizes import KIB, OF_ANYBODY, OF_NOBODY, most_at
from tournaments.photographs import BYTES_MAX as PICTURE_MAX

RESTORE = "/seasons/+import/"
COOKIE = b"Cookie: sessionid=abcdefgh\r\n"
# Where to, what comes along, and how many bytes are taken.
TOO_LARGE = [
    ("/accounts/login/", b"", OF_NOBODY),
    (RESTORE, b"", OF_NOBODY),
    ("/oauth/token/", b"", OF_NOBODY),
    ("/nowhere/", b"Cookie: theme=dark\r\n", OF_NOBODY),
    ("/api/v1/challenges/", b"", OF_NOBODY),
    ("/api/v1/challenges/?x=1", b"Authorization: Bearer x\r\n", OF_ANYBODY),
    ("/accounts/settings/", COOKIE, OF_ANYBODY),
    ("/nowhere/", COOKIE, OF_ANYBODY),
]


class Server:
    """Daphne's, as far as a request sees it."""

    proxy_forwarded_address_header = None
    root_path = ""
    request_buffer_size = 8192
    server_name = ""

    def __init__(self) -> None:
        self.made: list[Any] = []

    def protocol_connected(self, _protocol: Any) -> None:
        pass

    protocol_disconnected = protocol_connected

    def create_application(self, _protocol: Any, scope: Any) -> Any:
        self.made.append(scope)


class Line:
    """A connection, with what was asked of the database."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = task.Clock()
        self.asked: list[Any] = []

        def ask(cookies: str) -> Any:
            assert "sessionid=abcdefgh" in cookies
            self.asked.append(defer.Deferred())
            return self.asked[-1]

        monkeypatch.setattr(http_protocol, "WebRequest", door.LimitedRequest)
        monkeypatch.setattr(door.LimitedRequest, "ask", staticmethod(ask))
        self.server = Server()
        self.channel = http_protocol.HTTPFactory(self.server).buildProtocol(None)
        self.channel.callLater = self.clock.callLater
        channel = getattr(self.channel, "_channel", self.channel)
        channel.callLater = self.clock.callLater
        self.transport = StringTransport()
        self.channel.makeConnection(self.transport)

    def send(self, data: bytes) -> None:
        self.channel.dataReceived(data)

    def begin(self, path: str, headers: bytes = b"", length: int | None = None) -> None:
        size = b"Transfer-Encoding: chunked" if length is None else b"Content-Length: %d" % length
        self.send(b"POST %b HTTP/1.1\r\nHost: x\r\n%b%b\r\n\r\n" % (path.encode(), headers, size))

    def pieces(self, size: int) -> None:
        """A chunked body, 16 KiB at a time, as long as somebody takes it."""
        for _ in range(0, size, 16 * KIB):
            if self.status:
                return
            self.send(b"4000\r\n" + b"x" * 16 * KIB + b"\r\n")

    @property
    def status(self) -> str:
        code: bytes = self.transport.value()[9:12]
        return code.decode()

    @property
    def kept(self) -> int:
        request = getattr(self.channel, "_channel", self.channel).requests[0]
        return 0 if request.content.closed else int(request.content.tell())


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    return Line(monkeypatch)


@pytest.mark.parametrize(("path", "headers", "most"), TOO_LARGE)
@pytest.mark.parametrize("chunked", [False, True])
def test_too_large(path: str, headers: bytes, most: int, chunked: bool, line: Line) -> None:
    line.begin(path, headers, None if chunked else most + 1)
    if chunked:
        assert line.status == ""
        line.pieces(most + 64 * KIB)
    assert line.status == "413"
    head, _, body = line.transport.value().partition(b"\r\n\r\n")
    assert b"Connection: close" in head
    assert f"Content-Length: {len(body)}".encode() in head
    assert f"at most {most // KIB} KiB" in body.decode()
    if path.startswith("/api/"):
        assert json.loads(body)["code"] == "request.too-large"
    # Whatever still comes is thrown away, and the connection closed after a moment.
    line.send(b"4000\r\n" + b"x" * 16 * KIB + b"\r\n" if chunked else b"x" * 100_000)
    assert (line.kept, line.server.made, line.asked) == (0, [], [])
    assert not line.transport.disconnecting
    line.clock.advance(bodies.LINGER)
    assert line.transport.disconnecting


def test_what_is_small_enough_goes_through(line: Line) -> None:
    line.begin("/accounts/login/", b"", OF_NOBODY)
    line.send(b"x" * OF_NOBODY)
    assert [scope["path"] for scope in line.server.made] == ["/accounts/login/"]
    assert line.status == ""


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("known", [True, False, None])
def test_a_large_file_is_taken_from_those_who_are_signed_in(
    chunked: bool, known: bool | None, line: Line
) -> None:
    size = OF_ANYBODY + 32 * KIB
    line.begin(RESTORE, COOKIE, None if chunked else size)
    if chunked:
        line.pieces(size)
    (asked,) = line.asked
    assert line.transport.producerState == "paused"  # nothing is read meanwhile
    if known is None:
        asked.errback(RuntimeError())
    else:
        asked.callback(known)
    if not known:
        assert line.status == "413"
        return
    assert line.transport.producerState == "producing"
    line.send(b"0\r\n\r\n" if chunked else b"x" * size)
    assert len(line.server.made) == 1


def test_even_they_have_a_limit(line: Line) -> None:
    line.begin(RESTORE, COOKIE, most_at(RESTORE) + 1)
    assert (line.status, line.asked) == ("413", [])


def test_what_the_largest_uploads_need(settings: Any) -> None:
    """Each view that takes a file takes one as large as it says."""
    assert most_at(RESTORE) > settings.GAUNTLET_SEASON_MAX_BYTES
    assert most_at("/matches/1/paint/") > 5 * 1024 * KIB
    for page in ("picture/", "contestants/1/picture/", "desk/rounds/1/pictures/"):
        assert most_at(f"/seasons/autumn/{page}") > PICTURE_MAX
    assert most_at("/records/import/") == OF_ANYBODY
    assert settings.GAUNTLET_RECORD_MAX_BYTES + sizes.WRAPPING < OF_ANYBODY
    assert most_at("/api/v1/seasons/x/contestants/") == OF_ANYBODY > 512 * KIB


@pytest.mark.django_db
def test_who_is_signed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "close", lambda: None)
    user = User.objects.create_user("ada", password="x")
    browser = Client()
    browser.force_login(user)
    cookie = f"theme=dark; sessionid={browser.cookies['sessionid'].value}"
    assert SESSION_KEY in browser.session
    assert bodies.is_signed_in(cookie)
    for other in ("", "sessionid=", "sessionid=abcdefgh", 'sessionid="aaaaaaaa\\000"'):
        assert not bodies.is_signed_in(other)
    User.objects.update(is_active=False)
    assert not bodies.is_signed_in(cookie)


# -- servers that hand a body on piece by piece ----------------------------------------------------


class Asked:
    """Stands for the question whether somebody is signed in."""

    def __init__(self, known: bool) -> None:
        self.known = known
        self.cookies: list[str] = []

    def __call__(self, cookies: str) -> bool:
        self.cookies.append(cookies)
        return self.known


class Streamed:
    """A request whose body comes in pieces, through `LimitedBodies` to an application that reads
    all of it, as Django does."""

    def __init__(self, path: str, headers: bytes, length: int | None, size: int) -> None:
        named = [line.split(b": ", 1) for line in headers.split(b"\r\n") if line]
        told = (
            (b"transfer-encoding", b"chunked")
            if length is None
            else (b"content-length", b"%d" % length)
        )
        self.scope = {
            "type": "http",
            "path": path.partition("?")[0],
            "headers": [(b"host", b"x"), *((n.lower(), value) for n, value in named), told],
        }
        self.pieces = [b"x" * 16 * KIB] * (size // (16 * KIB)) + [b"x" * (size % (16 * KIB))]
        self.read = 0  # by the application
        self.taken = 0  # by anybody
        self.gone = False
        self.sent: list[Any] = []

    async def receive(self) -> dict[str, Any]:
        if not self.pieces:
            await asyncio.Event().wait()
        piece = self.pieces.pop(0)
        self.taken += len(piece)
        return {"type": "http.request", "body": piece, "more_body": bool(self.pieces)}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    async def application(self, scope: Any, receive: Any, send: Any) -> None:
        assert scope is self.scope
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.gone = True
                return
            self.read += len(message["body"])
            more = message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"fine"})

    async def run(self, known: bool = False) -> Asked:
        asked = Asked(known)
        middleware = bodies.LimitedBodies(self.application, ask=asked)
        await middleware(self.scope, self.receive, self.send)
        return asked

    @property
    def status(self) -> int:
        statuses = [each["status"] for each in self.sent if each["type"] == "http.response.start"]
        assert len(statuses) == 1
        assert not self.sent[-1].get("more_body", False)
        return int(statuses[0])

    @property
    def content(self) -> bytes:
        return b"".join(each.get("body", b"") for each in self.sent)


@pytest.mark.parametrize(("path", "headers", "most"), TOO_LARGE)
@pytest.mark.parametrize("chunked", [False, True])
async def test_too_large_in_pieces(path: str, headers: bytes, most: int, chunked: bool) -> None:
    size = most + 256 * KIB
    request = Streamed(path, headers, None if chunked else most + 1, size)
    asked = await request.run(known=True)
    assert request.status == 413
    assert f"at most {most // KIB} KiB" in request.content.decode()
    told = dict(request.sent[0]["headers"])
    assert told[b"connection"] == b"close"
    assert int(told[b"content-length"]) == len(request.content)
    if path.startswith("/api/"):
        assert json.loads(request.content)["code"] == "request.too-large"
    # The application has seen no more than it may; what still came was thrown away.
    assert request.read <= most
    assert request.gone is chunked
    assert request.taken == size
    assert asked.cookies == []


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("known", [True, False])
async def test_a_large_file_in_pieces(chunked: bool, known: bool) -> None:
    size = OF_ANYBODY + 32 * KIB
    request = Streamed(RESTORE, COOKIE, None if chunked else size, size)
    asked = await request.run(known)
    assert asked.cookies == ["sessionid=abcdefgh"]
    assert request.status == (200 if known else 413)
    assert (request.read == size) is known
    if not known:
        assert f"at most {OF_ANYBODY // KIB} KiB" in request.content.decode()


@pytest.mark.parametrize("chunked", [False, True])
async def test_even_they_have_a_limit_in_pieces(chunked: bool) -> None:
    most = most_at(RESTORE)
    request = Streamed(RESTORE, COOKIE, None if chunked else most + 1, most + 16 * KIB)
    await request.run(known=True)
    assert request.status == 413
    assert f"at most {most // KIB} KiB" in request.content.decode()


async def test_who_sends_on_without_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "LINGER", 0.05)
    request = Streamed("/", b"", None, OF_NOBODY + 16 * KIB)
    request.pieces.append(b"")

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"type": "http.request", "body": b"x" * 16 * KIB, "more_body": True}

    request.receive = receive  # type: ignore[method-assign]
    await asyncio.wait_for(request.run(), 20)
    assert request.status == 413


async def test_what_is_small_enough_goes_through_in_pieces() -> None:
    request = Streamed("/accounts/login/", b"", OF_NOBODY, OF_NOBODY)
    await request.run()
    assert (request.status, request.read) == (200, OF_NOBODY)
