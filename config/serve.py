"""The site by uvicorn, for operators who choose it instead of Daphne.

    python -m config.serve [--host 127.0.0.1] [--port 8000]

uvicorn is installed by `requirements-uvicorn.txt`. Started by its own command it would serve the
site, too, but without what is here: what uvicorn has to be told, and what Daphne does for sockets
and uvicorn does not.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import socket
import sys
from asyncio import BaseTransport, TimerHandle
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.protocol import State

from config.patience import Patience
from config.shutdown import GracefulShutdown

APPLICATION: Final = "config.asgi:application"
# Bytes of one message that are taken in; the sockets themselves say what is too large, and why.
MESSAGE_AT_MOST: Final = 1024 * 1024
# Bytes that may wait in this process to be sent to one socket. Sockets let go of who reads too
# slowly long before that; this is for what nobody counts, such as answers to pings.
WAITING_AT_MOST: Final = 4 * 1024 * 1024
# Messages, and bytes of them, that are taken in before the application asks for them: when one came
# is known only once it is taken in.
AHEAD: Final = 64
AHEAD_BYTES: Final = 256 * 1024
# Seconds: until a handshake is answered; until who was told to go has to be gone; that a connection
# stays open for the next request, longer than proxies keep theirs; that the end takes at most,
# after what `GracefulShutdown` waits for.
HANDSHAKE: Final = 20.0
LINGER: Final = 3.0
KEPT_ALIVE: Final = 75
LAST_MOMENTS: Final = 5


class Incoming(asyncio.Queue[Any]):
    """Messages for the application, in order; ``on_text`` is shown each text before that."""

    on_text: Callable[[dict[str, Any]], None] | None = None
    size = 0

    @property
    def is_full(self) -> bool:
        """Whether nothing more need be read for now."""
        return self.qsize() >= AHEAD or self.size >= AHEAD_BYTES

    def _put(self, item: Any) -> None:
        if self.on_text is not None and "text" in item:
            self.on_text(item)
        self.size += _size_of(item)
        super()._put(item)

    def _get(self) -> Any:
        item = super()._get()
        self.size -= _size_of(item)
        return item


def _size_of(message: dict[str, Any]) -> int:
    return len(message.get("text") or message.get("bytes") or "")


class Socket(WebSocketsSansIOProtocol):
    """uvicorn's protocol of one WebSocket. In the scope of each stand the functions that
    `config.sockets.DaphneSockets` puts there for Daphne's; and however a socket ends, it is gone a
    moment later, also where nobody reads what waits to be sent."""

    is_broken = False
    handshake_timer: TimerHandle | None = None
    queue: Incoming

    def connection_made(self, transport: BaseTransport) -> None:
        """Somebody wants a socket."""
        self.queue = Incoming()
        super().connection_made(transport)
        # Sends never wait: who reads too slowly is let go by what waits, and told so.
        self.transport.set_write_buffer_limits(high=WAITING_AT_MOST)
        self.handshake_timer = self.loop.call_later(HANDSHAKE, self._check_handshake)

    def connection_lost(self, exc: Exception | None) -> None:
        """They are gone."""
        if self.handshake_timer is not None:
            self.handshake_timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes have come. What follows a mistake is thrown away: a connection that is closed with
        something unread would take the close code with it."""
        if self.is_broken:
            return
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            # It was no handshake, and there is nothing that uvicorn would have been told of.
            self.is_broken = True
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.transport.close()

    def send_receive_event_to_app(self) -> None:
        """A message has come. uvicorn would read nothing more before the application has asked for
        it, and so would not know when the next has come."""
        paused, self.read_paused = self.read_paused, True  # so that it does not
        super().send_receive_event_to_app()
        self.read_paused = paused
        if not paused and not self.is_broken and self.queue.is_full:
            self.read_paused = True
            self.transport.pause_reading()

    def heed(self, call: Callable[[dict[str, Any]], None]) -> None:
        """Have ``call`` see each text the moment its last byte has come. It may put something of
        its own into the message that the application gets."""
        self.queue.on_text = call

    def handle_parser_exception(self) -> None:
        """What came breaks the protocol, or is too large: close with the code that says so."""
        self.is_broken = self.close_sent = True
        if (close := self.conn.close_sent) is not None:
            told = {"type": "websocket.disconnect", "code": close.code, "reason": close.reason}
            self.queue.put_nowait(told)
        self.transport.write(b"".join(self.conn.data_to_send()))
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        self._end_soon()

    def handle_close(self, event: Frame) -> None:
        """A close frame has come."""
        super().handle_close(event)
        self._end_soon()

    def keepalive_timeout(self) -> None:
        """No pong has come."""
        super().keepalive_timeout()
        self._end_soon()

    def pause_writing(self) -> None:
        """Far too much waits to be sent."""
        self.transport.abort()

    def shutdown(self) -> None:
        """The server ends. Who was told so already has a moment to answer."""
        self.stop_keepalive()
        if not self.close_sent:
            super().shutdown()

    async def run_asgi(self) -> None:
        """Hand the socket to the application."""
        scope: Any = self.scope
        scope["unsent"] = self.transport.get_write_buffer_size
        scope["gone"] = self.is_gone
        scope["write"] = self.write_text
        scope["heed"] = self.heed
        await super().run_asgi()
        self._end_soon()

    async def send(self, message: Any) -> None:
        """Send what an application sends the usual way, unless the socket is closing: a frame can
        meet the other side's close, and a consumer has to live to hear of the disconnect."""
        if self.close_sent:
            return
        with suppress(ClientDisconnected):
            await super().send(message)
        if self.close_timer is not None:
            self._end_soon()

    def is_gone(self) -> bool:
        """Whether the client has left, or has to."""
        return self.disconnected or self.close_sent or self.transport.is_closing()

    def write_text(self, text: bytes) -> None:
        """Send a text, as UTF-8, at once. Nothing is sent to a socket that is closing."""
        if self.conn.state is State.OPEN and not self.is_gone():
            self.conn.send_text(text)
            self.transport.write(b"".join(self.conn.data_to_send()))

    def _check_handshake(self) -> None:
        if not self.handshake_complete:
            self.transport.abort()

    def _end_soon(self) -> None:
        """Wait a moment for the other side's answer. uvicorn would then wait until all is read that
        was sent before, which may be never."""
        if self.close_timer is not None:
            self.close_timer.cancel()
        if not self.disconnected:
            self.close_timer = self.loop.call_later(LINGER, self.transport.abort)


class Requests(H11Protocol):
    """uvicorn's protocol of one connection, whose requests have to come in time
    (`config.patience`)."""

    patience: Patience | None = None
    _stage = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has connected."""
        super().connection_made(transport)
        host = self.client[0] if self.client else ""
        self.patience = Patience(host, self.loop.call_later, self._say, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        assert self.patience is not None  # noqa: S101  (made with the connection)
        self.patience.came(len(data))
        super().data_received(data)
        self._note()

    def on_response_complete(self) -> None:
        """A request is answered. What has come behind it meanwhile is taken up at once."""
        if self.patience is not None:
            self.patience.answered()
        self._stage = ""
        super().on_response_complete()
        self._note()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """It is a socket from here on."""
        if self.patience is not None:
            self.patience.end()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """They are gone."""
        if self.patience is not None:
            self.patience.end()
        super().connection_lost(exc)

    def _note(self) -> None:
        cycle, patience = self.cycle, self.patience
        if cycle is None or cycle.response_complete or patience is None:
            return
        stage = "body" if cycle.more_body else "whole"
        if stage != self._stage:
            self._stage = stage
            (patience.head_came if stage == "body" else patience.request_came)()

    def _say(self, answer: bytes) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(answer)
            self.transport.close()
        else:  # an application waits for the rest, and is told that nobody is there
            self.transport.abort()


class Server(uvicorn.Server):
    """uvicorn, which closes the sockets as Daphne does here before it does anything else to end."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Tell everybody, wait for what is under way, and end."""
        if GracefulShutdown.installed is not None:
            await GracefulShutdown.installed.close()
        await super().shutdown(sockets)


def configured(options: argparse.Namespace) -> uvicorn.Config:
    """How uvicorn has to be set up to serve the site."""
    return uvicorn.Config(
        options.application,
        host=options.host,
        port=options.port,
        uds=options.uds,
        # The ones that tests run with; h11 bounds the size of a request's head.
        loop="asyncio",
        http=Requests,
        ws=Socket,
        ws_max_size=MESSAGE_AT_MOST,
        ws_ping_interval=options.ping_interval,
        ws_ping_timeout=options.ping_timeout,
        # Secrets and what their reader chooses share a socket, and each would keep a window.
        ws_per_message_deflate=False,
        lifespan="on",
        # Requests are logged by the site, without what nobody must read; so are the errors.
        log_config=None,
        access_log=False,
        # Whether to believe a proxy is a setting of the site's.
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEPT_ALIVE,
        timeout_graceful_shutdown=LAST_MOMENTS,
    )


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The options, in the words of Daphne's and uvicorn's own."""
    parser = argparse.ArgumentParser(
        prog="python -m config.serve", description="Serve the site by uvicorn."
    )
    parser.add_argument("--host", default="127.0.0.1", help="to listen on (%(default)s)")
    parser.add_argument("--port", type=int, default=8000, help="to listen on (%(default)s)")
    parser.add_argument("--uds", help="a Unix socket to listen on instead")
    parser.add_argument("--fd", type=int, help="a socket that listens already")
    parser.add_argument(
        "--ping-interval", type=float, default=20.0, help="seconds between pings (%(default)s)"
    )
    parser.add_argument(
        "--ping-timeout",
        type=float,
        default=20.0,
        help="seconds for their answer (%(default)s)",
    )
    parser.add_argument("application", nargs="?", default=APPLICATION, help="(%(default)s)")
    return parser.parse_args(arguments)


def main() -> int:
    """Serve until a signal comes; returns the exit code."""
    options = parse()
    # uvicorn sends itself the signal again once it has ended by it. That was the end as it should
    # be, and so it is before uvicorn has begun.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: sys.exit(0))
    config = configured(options)
    config.load()  # the application, too: Django is not set up within a running loop
    server = Server(config)
    # Not by uvicorn's own option, which takes whatever it is given for a Unix socket and so leaves
    # small packets to wait for each other.
    server.run(None if options.fd is None else [socket.socket(fileno=options.fd)])
    return 0 if server.started else 1


if __name__ == "__main__":
    sys.exit(main())
