"""Bodies that are too large: refused before they are read, whoever sends them and however."""

from __future__ import annotations

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
from config import door
from core import sizes
from core.sizes import KIB, OF_ANYBODY, OF_NOBODY, most_at

RESTORE = "/seasons/+import/"
COOKIE = b"Cookie: sessionid=abcdefgh\r\n"


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


@pytest.mark.parametrize(
    ("path", "headers", "most"),
    [
        ("/accounts/login/", b"", OF_NOBODY),
        (RESTORE, b"", OF_NOBODY),
        ("/oauth/token/", b"", OF_NOBODY),
        ("/nowhere/", b"Cookie: theme=dark\r\n", OF_NOBODY),
        ("/api/v1/challenges/", b"", OF_NOBODY),
        ("/api/v1/challenges/?x=1", b"Authorization: Bearer x\r\n", OF_ANYBODY),
        ("/accounts/settings/", COOKIE, OF_ANYBODY),
        ("/nowhere/", COOKIE, OF_ANYBODY),
    ],
)
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
    line.clock.advance(door.LINGER)
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
    assert door.is_signed_in(cookie)
    for other in ("", "sessionid=", "sessionid=abcdefgh", 'sessionid="aaaaaaaa\\000"'):
        assert not door.is_signed_in(other)
    User.objects.update(is_active=False)
    assert not door.is_signed_in(cookie)
