"""The short way of frames through Daphne: nobody on the line can tell it from the long one."""

from __future__ import annotations

import inspect
import json
import struct
import sys
from functools import partial
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from autobahn.exception import Disconnected
from autobahn.twisted.websocket import WebSocketAdapterProtocol
from autobahn.websocket import protocol as autobahn
from daphne import ws_protocol
from daphne.ws_protocol import WebSocketProtocol
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet import abstract, tcp
from twisted.internet.testing import StringTransport

from config import wire
from config.sockets import DaphneSockets
from config.wire import ShortProtocol

MASK = b"\x01\x80\xfe\x37"
HANDSHAKE = (
    b"GET /ws/v1/lobby/ HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)
MOST = 70_000


class Server:
    """Daphne's, as far as a socket sees it."""

    root_path = ""
    proxy_forwarded_address_header = None
    websocket_timeout = -1
    ping_interval = 20
    waiting = 0  # messages that the application has not taken yet

    def protocol_connected(self, _protocol: Any) -> None:
        pass

    protocol_disconnected = protocol_connected

    def log_action(self, *_given: Any) -> None:
        pass

    def create_application(self, _protocol: Any, _scope: Any) -> Any:
        self.heard: list[Any] = []
        return SimpleNamespace(put_nowait=self.heard.append, qsize=lambda: self.waiting)


class Line:
    """An open socket: what is sent to it, what its application hears, what it answers."""

    def __init__(self, kind: type[WebSocketProtocol]) -> None:
        self.server = Server()
        factory = ws_protocol.WebSocketFactory(self.server, server="")
        factory.protocol = kind
        factory.setProtocolOptions(
            autoPingTimeout=30, allowNullOrigin=True, openHandshakeTimeout=0,
            maxMessagePayloadSize=MOST, maxFramePayloadSize=MOST, closeHandshakeTimeout=0,
        )  # fmt: skip
        self.protocol: Any = factory.buildProtocol(None)
        self.protocol._raw_query_string = b""
        self.protocol.failByDrop = False  # as config.sockets has it
        self.transport = StringTransport()
        producer: Any = SimpleNamespace(stopProducing=lambda: None)
        self.transport.registerProducer(producer, True)  # the HTTP channel that it came in by
        self.protocol.makeConnection(self.transport)
        self.protocol.dataReceived(HANDSHAKE)
        self.protocol.handle_reply({"type": "websocket.accept"})
        self.transport.clear()

    def send(self, data: bytes) -> None:
        """Bytes for the server."""
        self.protocol.dataReceived(data)

    @property
    def outcome(self) -> tuple[Any, ...]:
        """All that anybody can see of it."""
        state = self.protocol.state, self.transport.disconnecting
        return self.server.heard, self.transport.value(), state


def frame(payload: bytes, *, first: int = 0x81, mask: bytes | None = MASK, size: int = 0) -> bytes:
    """A client's frame; ``size`` is how many bytes its length takes, by default as many as it
    needs."""
    least = 1 if len(payload) < 126 else 3 if len(payload) < 2**16 else 9
    size = size or least
    masked = 0 if mask is None else 0x80
    length = {
        1: lambda: bytes([masked | len(payload)]),
        3: lambda: struct.pack("!BH", masked | 126, len(payload)),
        9: lambda: struct.pack("!BQ", masked | 127, len(payload)),
    }[size]()
    key = mask or bytes(4)
    body = bytes(byte ^ key[at % 4] for at, byte in enumerate(payload))
    return bytes([first]) + length + (mask or b"") + body


PING = json.dumps({"type": "ping", "at": 1})
WHOLE = [
    frame(b""), frame(b"x"), frame(PING.encode()),
    frame("\U0001f600 é".encode()), frame(b"x" * 125), frame(b"y" * 126), frame(b"z" * 65_535),
    frame(b"w" * 65_536),
]  # fmt: skip
ODD = [
    frame(b"ping", first=0x89), frame(b"pong", first=0x8A), frame(b"\x03\xe8", first=0x88),
    frame(b"bytes", first=0x82), frame(b"first, ", first=0x01), frame(b"more", first=0x80),
    frame(b"\xff\xfe"), frame("é".encode()[:1]), frame(b"\xed\xa0\x80"),
    frame(b"compressed", first=0xC1), frame(b"bare", mask=None), frame(b"long", size=3),
    frame(b"longer", size=9), frame(b"x" * (MOST + 1)), frame(b"reserved", first=0x83),
    frame(b"", first=0x88), b"\x81",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    frames=st.lists(st.sampled_from([*WHOLE, *WHOLE[:4], *ODD]), min_size=1, max_size=6),
    cuts=st.lists(st.integers(0, 400), max_size=5),
)
def test_what_comes_is_taken_as_autobahn_takes_it(frames: list[bytes], cuts: list[int]) -> None:
    """Whole, in pieces, several at once, right or wrong."""
    data = b"".join(frames)
    places = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    pieces = [data[one:two] for one, two in pairwise(places)]
    long, short = Line(WebSocketProtocol), Line(ShortProtocol)
    for piece in pieces:
        long.send(piece)
        short.send(piece)
        assert short.outcome == long.outcome


@pytest.mark.parametrize("odd", range(len(ODD)))
@pytest.mark.parametrize("between", [b"", WHOLE[2]], ids=["first", "second"])
def test_each_oddity(odd: int, between: bytes) -> None:
    """So that none is left to chance."""
    long, short = Line(WebSocketProtocol), Line(ShortProtocol)
    for line in (long, short):
        line.send(between + ODD[odd])
        line.send(WHOLE[2])
    assert short.outcome == long.outcome
    for line in (long, short):
        line.send(WHOLE[1] + ODD[odd] + WHOLE[2])
    assert short.outcome == long.outcome


def test_each_text_is_shown_when_its_last_byte_is_there() -> None:
    """Before the application hears of it, and by whichever way it came."""
    line = Line(ShortProtocol)
    shown: list[tuple[str, int]] = []

    def show(message: dict[str, Any]) -> None:
        shown.append((message["text"], len(line.server.heard)))
        message["seen"] = len(shown)

    line.protocol.heed(show)
    one, two = frame(b"first, ", first=0x01), frame(b"more", first=0x80)
    line.send(WHOLE[1] + one)
    assert shown == [("x", 1)]  # after the handshake
    line.send(two[:-1])
    assert len(shown) == 1
    line.send(two[-1:] + frame(b"bytes", first=0x82) + WHOLE[1])
    assert shown == [("x", 1), ("first, more", 2), ("x", 4)]
    assert [message.get("seen") for message in line.server.heard[1:]] == [1, 2, None, 3]


TEXTS = ["x", "é" * 62, "x" * 125, "x" * 126, "é" * 63, "x" * 65_535, "x" * 65_536, "é" * 35_000]


@pytest.mark.parametrize("text", TEXTS)
def test_what_goes_is_what_autobahn_sends(text: str) -> None:
    long, short, shorter = Line(WebSocketProtocol), Line(ShortProtocol), Line(ShortProtocol)
    long.protocol.handle_reply({"type": "websocket.send", "text": text})
    short.protocol.handle_reply({"type": "websocket.send", "text": text})
    shorter.protocol.send_text(text.encode())
    assert short.outcome == shorter.outcome == long.outcome
    assert text.encode() in long.transport.value()


def test_nothing_follows_a_close() -> None:
    line = Line(ShortProtocol)
    line.protocol.handle_reply({"type": "websocket.close", "code": 4012})
    sent = line.transport.value()
    line.protocol.send_text(b"late")
    assert line.transport.value() == sent
    with pytest.raises(Disconnected):
        line.protocol.handle_reply({"type": "websocket.send", "text": "late"})


@pytest.mark.parametrize("cut", [0, 1, 2, 5, 6, 9])
@pytest.mark.parametrize("text", [WHOLE[2], WHOLE[5], WHOLE[6]], ids=len)
def test_who_is_told_to_go_is_not_heard_any_more(
    text: bytes, cut: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = Line(ShortProtocol)
    line.send(text[:cut])
    line.protocol.handle_reply({"type": "websocket.close", "code": 4429})
    before = len(line.server.heard)
    line.send(text[cut:] + text * 3)
    # What Autobahn had begun with, it ends.
    assert len(line.server.heard) <= before + (cut >= 6)
    before = len(line.server.heard)
    long_way: list[bytes] = []
    real = line.protocol._dataReceived
    monkeypatch.setattr(line.protocol, "_dataReceived", long_way.append)
    flood = text * 3 + text[:cut]
    for _time in range(3):
        line.send(flood)
        flood = text[cut:] + text * 3 + text[:cut]
    assert long_way == []
    assert len(line.server.heard) == before
    assert line.protocol.state == line.protocol.STATE_CLOSING
    # What they answer is.
    monkeypatch.setattr(line.protocol, "_dataReceived", real)
    answer = frame(struct.pack("!H", 4429), first=0x88)
    line.send(text[cut:] * bool(cut) + text + answer[:3])
    line.send(answer[3:])
    assert line.transport.disconnecting


def test_nothing_more_is_read_while_much_waits() -> None:
    """Also not while the application is still finding out who it is."""
    line = Line(ShortProtocol)
    line.server.waiting = wire.AHEAD - 1
    line.send(WHOLE[2])
    assert line.transport.producerState == "producing"
    line.server.waiting = wire.AHEAD
    before = len(line.server.heard)
    line.send(WHOLE[2] * 3)
    line.send(WHOLE[1])
    assert line.transport.producerState == "paused"
    assert len(line.server.heard) == before
    line.protocol.took()
    assert line.transport.producerState == "paused"
    line.server.waiting = wire.AHEAD // 2
    line.protocol.took()
    assert line.transport.producerState == "producing"
    # Nothing is lost.
    assert [each["text"] for each in line.server.heard[before:]] == [*[PING] * 3, "x"]
    assert line.protocol.rest == b""


async def test_the_application_says_what_it_takes() -> None:
    line = Line(ShortProtocol)
    line.send(WHOLE[2])
    line.server.waiting = wire.AHEAD
    line.send(WHOLE[1])
    line.server.waiting = 0
    taken: list[Any] = []

    async def application(_scope: Any, receive: Any, _send: Any) -> None:
        taken.append(await receive())

    async def receive() -> Any:
        return line.server.heard[-1]

    send = partial(application, line.protocol)
    await DaphneSockets(application)({"type": "websocket"}, receive, send)
    assert [each["text"] for each in taken] == [PING]
    assert line.server.heard[-1]["text"] == "x"
    assert line.transport.producerState == "producing"


def test_no_text_for_a_log_that_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    for module in (autobahn, inspect.getmodule(WebSocketAdapterProtocol)):
        monkeypatch.setattr(module, "hltype", made.append)
        monkeypatch.setattr(module, "hlval", made.append)
    line = Line(ShortProtocol)
    made.clear()
    line.send(WHOLE[2])
    line.protocol.send_text(b"one")
    line.protocol.handle_reply({"type": "websocket.send", "text": "two"})
    assert (len(line.server.heard), line.transport.value()) == (2, b"\x81\x03one\x81\x03two")
    assert made == []


class Sock:
    """A socket of the system that takes so many bytes at a time, or fails."""

    def __init__(self, *takes: int | OSError) -> None:
        self.takes = list(takes)
        self.taken = b""

    def send(self, data: memoryview) -> int:
        most = self.takes.pop(0)
        if isinstance(most, OSError):
            raise most
        self.taken += bytes(data[:most])
        return min(most, len(data))


def connection(sock: Sock) -> Any:
    transport: Any = tcp.Connection.__new__(tcp.Connection)
    reactor: Any = SimpleNamespace(writers=[])
    reactor.addWriter = reactor.writers.append
    abstract.FileDescriptor.__init__(transport, reactor)
    transport.connected, transport.socket = 1, sock
    return transport


@pytest.mark.parametrize(
    "takes", [[100], [3], [0], [BlockingIOError(11, "again")], [BrokenPipeError(32, "gone")]]
)
def test_written_at_once_as_far_as_it_goes(takes: list[int | OSError]) -> None:
    """What the system does not take waits its turn, and nothing overtakes it."""
    line = Line(ShortProtocol)
    transport = line.protocol.transport = connection(Sock(*takes))
    line.protocol.send_text(b"first")
    done = takes == [100]
    assert bool(transport.reactor.writers) is not done
    if done:
        transport.socket.takes = [100]
    line.protocol.send_text(b"second")
    waiting = b"".join([transport.dataBuffer, *transport._tempDataBuffer])
    assert transport.socket.taken + waiting == b"\x81\x05first\x81\x06second"
    assert bool(waiting) is not done


def test_never_past_a_transport_that_does_more() -> None:
    """TLS stands between: bytes that went past it would be in the clear."""

    class Wrapper:
        def __init__(self) -> None:
            self.inner = connection(Sock())
            self.written: list[bytes] = []

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

        def write(self, data: bytes) -> None:
            self.written.append(data)

    line = Line(ShortProtocol)
    wrapper = line.protocol.transport = Wrapper()
    line.protocol.send_text(b"secret")
    assert wrapper.written == [b"\x81\x06secret"]
    started = connection(Sock())
    started.TLS = True
    started.write = wrapper.write
    line.protocol.transport = started
    line.protocol.send_text(b"secret")
    assert len(wrapper.written) == 2


def test_the_pinned_versions_have_what_this_leans_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at `config.wire` again where this fails: what it goes around has changed."""
    received = inspect.getsource(WebSocketAdapterProtocol.dataReceived)
    assert received.rstrip().endswith("self._dataReceived(data)")
    assert received.count("self.") == received.count("self.log") + 3
    sent = inspect.getsource(autobahn.WebSocketProtocol.sendData)
    assert "hltype(self.sendData)" in sent
    for kind, name in (
        (WebSocketAdapterProtocol, "dataReceived"), (WebSocketProtocol, "serverSend"),
        (WebSocketProtocol, "serverClose"),
        (autobahn.WebSocketProtocol, "sendData"),
    ):  # fmt: skip
        theirs, ours = (inspect.signature(getattr(each, name)) for each in (kind, ShortProtocol))
        assert [*theirs.parameters] == [*ours.parameters], name
    received = inspect.getsource(WebSocketProtocol.onMessage)
    assert "self.last_ping = time.time()" in received
    assert '{"type": "websocket.receive", "text": payload.decode("utf8")}' in received
    line = Line(WebSocketProtocol)
    for name in (
        "state", "data", "current_frame", "inside_message", "autoPingTimeoutCall", "muted",
        "send_queue", "last_ping", "application_queue", "maxMessagePayloadSize",
        "maxFramePayloadSize",
    ):  # fmt: skip
        assert hasattr(line.protocol, name), name
    assert (line.protocol.maskServerFrames, line.protocol.autoFragmentSize) == (False, 0)
    assert line.protocol._perMessageCompress is None
    for name in ("TLS", "connected", "disconnecting", "dataBuffer", "_tempDataLen"):
        assert hasattr(connection(Sock()), name), name
    monkeypatch.setattr(ws_protocol.WebSocketFactory, "protocol", WebSocketProtocol)
    monkeypatch.setitem(sys.modules, "daphne.server", inspect)
    wire.install()
    built = ws_protocol.WebSocketFactory(Server(), server="").buildProtocol(None)
    assert isinstance(built, ShortProtocol)
