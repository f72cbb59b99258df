"""What Daphne and Autobahn do with each frame, the short way.

Autobahn makes two texts for a debug log whenever bytes come or go, whether or not anybody reads
that log, and takes each frame through a dozen hooks, for fragments, compression, statistics and
timings that nobody uses here. And Twisted asks the system to be told when a socket can be written
to, and hears of it a round of the loop later, where nearly always it can at once. That was a fifth
of what a live turn cost the web process.

A whole text frame, which is all that ever comes and goes in a match, is taken apart and put
together here. Everything else (handshakes, pings, closing, fragments, mistakes) is Autobahn's as
ever: what is not plainly a whole frame is handed on to it, untouched.

This leans on the insides of pinned versions. `tests/infra/test_wire.py` says what it leans on, and
fails with a version that has it no more.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from typing import Any, Final

from daphne import ws_protocol
from twisted.internet import tcp

WHOLE_TEXT: Final = 0x81  # the frame is the message, and text
MASKED: Final = 0x80
# Messages that wait for the application before nothing more is read of a socket. It asks for none
# while it finds out who is there: who sends without end meanwhile would have a busy server do
# nothing but take their frames apart.
AHEAD: Final = 64
_NEXT_TWO, _NEXT_EIGHT = 126, 127
_SHORT, _MIDDLE = 125, 0xFFFF


class ShortProtocol(ws_protocol.WebSocketProtocol):  # type: ignore[misc]  # (untyped)
    """Daphne's protocol of one WebSocket."""

    # Is shown each text that comes, as a message for the application, before that hears of it.
    on_text: Callable[[dict[str, Any]], None] | None = None
    # Whether nothing is read of it for now, and what had been read before.
    is_held = False
    rest = b""
    data: bytes  # Autobahn's: what it has not taken apart yet
    # Whether the application has closed, and waits for the other side to answer. Nobody hears what
    # comes before that: who sends without end would have a busy server take frames apart that they
    # have sent since, and so be busier still.
    is_told_to_go = False

    def heed(self, call: Callable[[dict[str, Any]], None]) -> None:
        """Have ``call`` see each text the moment its last byte has come. It may put something of
        its own into the message that the application gets."""
        self.on_text = call

    def dataReceived(self, data: bytes) -> None:  # noqa: N802  (the library's name)
        """Bytes have come."""
        if self.rest:
            self.rest += data
            return
        # Nothing half done: neither a frame nor a message of several, no ping that waits for an
        # answer (any message will do for one), and nobody who is being got rid of.
        if (
            self.state == self.STATE_OPEN
            and not self.data
            and self.current_frame is None
            and not self.inside_message
            and self.autoPingTimeoutCall is None
            and not self.muted
        ):
            data = self._take_texts(data)
        elif self.is_told_to_go and self.state == self.STATE_CLOSING:
            data = self._without_texts(data)
        if data:
            self._dataReceived(data)
        if self.state == self.STATE_OPEN and self._is_full() and not self.is_held:
            self.is_held = True
            self.transport.pauseProducing()

    def _is_full(self) -> bool:
        return bool(self.application_queue.qsize() >= AHEAD)

    def took(self) -> None:
        """The application has taken a message. Who was held back is read again once little
        waits."""
        if self.is_held and self.application_queue.qsize() <= AHEAD // 2:
            self.is_held = False
            rest, self.rest = self.rest, b""
            if rest:
                self.dataReceived(rest)
            if not self.is_held and self.transport is not None:  # not gone meanwhile
                self.transport.resumeProducing()

    def serverClose(self, code: int | None = None) -> None:  # noqa: N802
        """The application closes."""
        self.is_told_to_go = True
        super().serverClose(code)

    def _without_texts(self, data: bytes) -> bytes:
        """Of what comes from whoever was told to go, what may be their answer."""
        if self.current_frame is not None:  # the rest of one that Autobahn has begun with
            size = self.current_frame.length - self.current_frame_masker.pointer()
            self._dataReceived(data[:size])
            data = data[size:]
        data, self.data = self.data + data, b""
        data = data[behind_texts(data, self.most) :]
        if begins_text(data, self.most):
            self.data = data  # until the rest of it has come
            return b""
        return data

    def _take_texts(self, data: bytes) -> bytes:
        """Hand on the whole texts that these bytes begin with; returns the rest."""
        at = 0
        while (found := text_in(data, at, self.most)) is not None:
            if self._is_full():
                self.rest = data[at:]
                return b""
            text, at = found
            self._take_text(text)
        return data[at:]

    def _take_text(self, text: str) -> None:
        self.last_ping = ws_protocol.time.time()  # of life, as Daphne has it
        message = {"type": "websocket.receive", "text": text}
        if self.on_text is not None:
            self.on_text(message)
        self.application_queue.put_nowait(message)

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N802, N803
        """A message has come the long way."""
        if isBinary or self.muted:
            super().onMessage(payload, isBinary)
        else:
            self._take_text(payload.decode())

    def send_text(self, text: bytes) -> None:
        """Send a text, as UTF-8. Nothing is sent to a socket that is closing."""
        if self.state == self.STATE_OPEN:
            self.sendData(text_frame(text))

    def serverSend(self, content: Any, binary: bool = False) -> None:  # noqa: N802
        """Send what an application sends the usual way."""
        if binary or self.state != self.STATE_OPEN or len(content) > self.most:
            super().serverSend(content, binary)  # which says what is wrong, too
        else:
            self.sendData(text_frame(content.encode()))

    def sendData(self, data: bytes, sync: bool = False, chopsize: int | None = None) -> None:  # noqa: N802
        """Write bytes."""
        if sync or chopsize or self.send_queue:
            super().sendData(data, sync, chopsize)
            return
        transport = self.transport
        if _writes_at_once(transport):
            written = transport.writeSomeData(data)
            if written == len(data):
                return
            if isinstance(written, int):
                data = data[written:]
        # The rest, or the mistake that is found again there, is the reactor's.
        transport.write(data)

    @property
    def most(self) -> int:
        """How many bytes (of what comes) or letters (of what goes) are no matter for a limit."""
        limits = [self.maxMessagePayloadSize or _MIDDLE, self.maxFramePayloadSize or _MIDDLE]
        return min(_MIDDLE, *limits)


def _writes_at_once(transport: Any) -> bool:
    # Under TLS the transport is another one, which hands on what it does not know itself.
    return bool(
        isinstance(transport, tcp.Connection)
        and not transport.TLS
        and transport.connected
        and not transport.disconnecting
        and not transport.dataBuffer
        and not transport._tempDataLen  # noqa: SLF001  (it has no public word for it)
    )


def text_frame(text: bytes) -> bytes:
    """A text as the one frame of a server that it is on the wire."""
    size = len(text)
    if size <= _SHORT:
        return bytes((WHOLE_TEXT, size)) + text
    if size <= _MIDDLE:
        return struct.pack("!BBH", WHOLE_TEXT, _NEXT_TWO, size) + text
    return struct.pack("!BBQ", WHOLE_TEXT, _NEXT_EIGHT, size) + text


def text_in(data: bytes, at: int, most: int) -> tuple[str, int] | None:
    """The text that the whole, masked frame that begins there carries, and where the frame ends.
    None where anything else begins there, or a text of over ``most`` bytes."""
    found = _bounds(data, at, most)
    if found is None:
        return None
    begin, end = found
    try:
        return unmasked(data[begin - 4 : begin], data[begin:end]).decode(), end
    except UnicodeDecodeError:
        return None


def behind_texts(data: bytes, most: int) -> int:
    """Where the whole texts end that these bytes begin with, whatever they say."""
    at = 0
    while (found := _bounds(data, at, most)) is not None:
        at = found[1]
    return at


def begins_text(data: bytes, most: int) -> bool:
    """Whether these bytes are the beginning of a whole, masked frame of text."""
    if len(data) < 2 or data[0] != WHOLE_TEXT:
        return data in (b"", bytes([WHOLE_TEXT]))
    size = data[1] - MASKED
    if size == _NEXT_TWO and len(data) >= 4:
        size = int.from_bytes(data[2:4], "big")
    return 0 <= size <= most and data[1] - MASKED != _NEXT_EIGHT


def _bounds(data: bytes, at: int, most: int) -> tuple[int, int] | None:
    # Of what a whole, masked frame of text carries: where it begins, behind its mask, and ends.
    if len(data) < at + 6 or data[at] != WHOLE_TEXT or not data[at + 1] & MASKED:
        return None
    size, begin = data[at + 1] - MASKED, at + 6
    if size == _NEXT_TWO:
        size, begin = int.from_bytes(data[at + 2 : at + 4], "big"), at + 8
        if size <= _SHORT:
            return None  # not the shortest way to say it, which is a mistake
    elif size == _NEXT_EIGHT:
        return None
    end = begin + size
    return None if size > most or len(data) < end else (begin, end)


def unmasked(mask: bytes, payload: bytes) -> bytes:
    """What a client has masked so."""
    size = len(payload)
    key = (mask * (size // 4 + 1))[:size]
    word = int.from_bytes(payload, "little") ^ int.from_bytes(key, "little")
    return word.to_bytes(size, "little")


def install() -> None:
    """Have Daphne make its WebSockets this way, if this process runs it."""
    if "daphne.server" in sys.modules:
        ws_protocol.WebSocketFactory.protocol = ShortProtocol
