"""Connections that wait: who is too slow is let go, and a crowd of idle ones keeps nobody out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from daphne import http_protocol
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from config import door, patience
from config.patience import BODY_BYTES, BODY_S, HEAD_S, TOO_SLOW, WAITING, Patience

_ports = itertools.count(1)


_Transport: Any = StringTransport


class Line(_Transport):  # type: ignore[misc]  # (untyped)
    """A connection that remembers how it ended."""

    aborted = False

    def __init__(self, host: str) -> None:
        super().__init__()
        self.host = host

    def getPeer(self) -> Any:  # noqa: N802  (the library's name)
        return type("Peer", (), {"host": self.host, "port": next(_ports)})()

    def abortConnection(self) -> None:  # noqa: N802
        self.aborted = True


class Client:
    """Somebody at Daphne's door, without a reactor."""

    def __init__(self, clock: Clock, host: str = "8.8.8.8") -> None:
        self.line = Line(host)
        factory = http_protocol.HTTPFactory(_Server())
        self.protocol = factory.buildProtocol(None)
        self.channel = self.protocol._channel
        self.channel.callLater = clock.callLater
        self.channel.factory = factory
        self.protocol.makeConnection(self.line)

    def send(self, data: bytes) -> None:
        self.protocol.dataReceived(data)

    @property
    def is_let_go(self) -> bool:
        return bool(self.line.aborted or self.line.disconnecting)


class _Server:
    """What Daphne's protocols ask of their server."""

    http_timeout = None
    root_path = ""
    proxy_forwarded_address_header = None
    proxy_forwarded_port_header = None
    proxy_forwarded_proto_header = None
    request_buffer_size = 8192

    def protocol_connected(self, protocol: Any) -> None: ...
    def protocol_disconnected(self, protocol: Any) -> None: ...
    def create_application(self, protocol: Any, scope: Any) -> Any: ...
    def log_action(self, *args: Any) -> None: ...


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    monkeypatch.setattr(http_protocol, "WebRequest", door.LimitedRequest)
    monkeypatch.setattr(http_protocol.HTTPFactory, "protocol", staticmethod(door.patient_protocol))
    WAITING.of.clear()
    yield Clock()
    WAITING.of.clear()


@pytest.fixture
def connect(clock: Clock) -> Callable[..., Client]:
    return lambda host="8.8.8.8": Client(clock, host)


HEAD = b"GET /watch/ HTTP/1.1\r\nHost: testserver\r\n"
BODY = b"POST /watch/ HTTP/1.1\r\nHost: testserver\r\nContent-Length: 60000\r\n\r\n"


def test_a_head_has_to_come_in_time(clock: Clock, connect: Callable[..., Client]) -> None:
    """However often a letter of it comes."""
    client = connect()
    for letter in HEAD[: int(HEAD_S) - 1]:
        clock.advance(1)
        client.send(bytes([letter]))
        assert not client.is_let_go
    clock.advance(1)
    assert client.is_let_go
    assert client.line.value() == TOO_SLOW


def test_who_says_nothing_is_let_go(clock: Clock, connect: Callable[..., Client]) -> None:
    client = connect()
    clock.advance(HEAD_S)
    assert client.is_let_go


def test_a_body_has_to_come_on(clock: Clock, connect: Callable[..., Client]) -> None:
    client, slow = connect(), connect()
    client.send(BODY)
    slow.send(BODY)
    for _time in range(3):
        client.send(b"x" * BODY_BYTES)
        slow.send(b"x" * 100)
        clock.advance(BODY_S)
        assert not client.is_let_go
    assert slow.is_let_go


def test_what_is_answered_has_time(clock: Clock, connect: Callable[..., Client]) -> None:
    client = connect()
    client.send(HEAD + b"\r\n")
    for _time in range(100):
        clock.advance(HEAD_S)
    assert not client.is_let_go


def test_the_next_request_has_to_come_in_time_too(
    clock: Clock, connect: Callable[..., Client]
) -> None:
    client = connect()
    client.send(HEAD + b"\r\n")
    client.channel.patience.answered()
    clock.advance(HEAD_S)
    assert not client.is_let_go  # it is idle, which the server itself bounds
    client.send(b"G")
    clock.advance(HEAD_S)
    assert client.is_let_go


def test_those_that_have_waited_longest_make_room(
    connect: Callable[..., Client], settings: Any
) -> None:
    settings.GAUNTLET_WAITING_PER_ADDRESS = 3
    busy, elsewhere = connect(), connect("8.8.4.4")
    busy.send(HEAD + b"\r\n")  # it is answered, and waits no more
    idle = [connect() for _ in range(5)]
    assert [client.is_let_go for client in idle] == [True, True, False, False, False]
    assert not busy.is_let_go
    assert not elsewhere.is_let_go


def test_a_line_is_one_and_a_proxy_is_none(connect: Callable[..., Client], settings: Any) -> None:
    settings.GAUNTLET_WAITING_PER_ADDRESS = 1
    one, two = connect("2001:4860:1:2::1"), connect("2001:4860:1:2::2")
    assert one.is_let_go
    assert not two.is_let_go
    assert not any(client.is_let_go for client in [connect("127.0.0.1") for _ in range(3)])
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
    assert not any(client.is_let_go for client in [connect("9.9.9.9") for _ in range(3)])


def test_nothing_is_kept_of_those_that_are_gone(
    clock: Clock, connect: Callable[..., Client], settings: Any
) -> None:
    client = connect()
    assert WAITING.of
    client.channel.connectionLost(None)
    assert not WAITING.of
    assert not clock.getDelayedCalls()


def test_patience_knows_no_server() -> None:
    """What uvicorn's protocol tells of a connection leads to the same."""
    later = Clock()
    said: list[bytes] = []
    waits = Patience("8.8.8.8", later.callLater, said.append, lambda: said.append(b"abort"))
    waits.head_came()
    waits.came(BODY_BYTES)
    later.advance(BODY_S)
    assert said == []
    later.advance(BODY_S)
    assert said == [TOO_SLOW]
    assert not patience.WAITING.of
