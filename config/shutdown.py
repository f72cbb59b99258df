"""Ending a server process without leaving clients in the dark.

Daphne drops open sockets without a close frame when it is told to end, so a browser would notice
only by silence. `GracefulShutdown` wraps the whole ASGI application and knows every connection that
is open. On SIGTERM (or Ctrl-C) new sockets are refused, open ones are closed with code 4012,
requests under way are given a moment, and only then does the server stop. (1012, which means
"service restart", is not for applications to send, and Daphne refuses to.)

Consumers need to do nothing: they see an ordinary disconnect.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from types import FrameType
from typing import Any, ClassVar

import structlog

from core.metrics import HANDSHAKES_REFUSED

log = structlog.get_logger("gauntlet.shutdown")

SERVICE_RESTART = 4012
PATIENCE = 5.0  # seconds that requests and disconnecting consumers are given

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class GracefulShutdown:
    """ASGI middleware that can close every open socket and wait for what is under way."""

    # The one of this process, for servers that ask for it when they end.
    installed: ClassVar[GracefulShutdown | None] = None

    def __init__(self, application: Application) -> None:
        self.application = application
        self.closing = False
        self.sockets: dict[object, Send] = {}
        self.running = 0
        self.idle = asyncio.Event()
        # Called first of all: what can end its own requests under way, such as long streams.
        self.at_close: list[Callable[[], None]] = []
        # Awaited last of all, when nothing is under way: what served all connections.
        self.at_end: list[Callable[[], Awaitable[None]]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.running += 1
        try:
            if scope["type"] == "websocket":
                await self._socket(scope, receive, send)
            else:
                await self.application(scope, receive, send)
        finally:
            self.running -= 1
            if not self.running:
                self.idle.set()

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.closing:
            # Before acceptance a close is a refusal (HTTP 403): the client backs off and retries.
            HANDSHAKES_REFUSED.inc("restart")
            await receive()
            await send({"type": "websocket.close", "code": SERVICE_RESTART})
            return
        key = object()

        async def watched(message: Message) -> None:
            if message["type"] == "websocket.accept":
                self.sockets[key] = send
            elif message["type"] == "websocket.close":
                self.sockets.pop(key, None)
            elif self.closing:
                return  # a frame after our close frame would break the protocol
            await send(message)

        try:
            await self.application(scope, receive, watched)
        finally:
            self.sockets.pop(key, None)

    async def close(self, patience: float = PATIENCE) -> None:
        """Close all sockets with "service restart" and wait until nothing is under way."""
        self.closing = True
        sockets, self.sockets = list(self.sockets.values()), {}
        log.info("closing", sockets=len(sockets), running=self.running)
        for call in self.at_close:
            call()
        for send in sockets:
            await send({"type": "websocket.close", "code": SERVICE_RESTART})
        if self.running:
            self.idle.clear()
            try:
                await asyncio.wait_for(self.idle.wait(), patience)
            except TimeoutError:
                log.warning("not waited for", running=self.running)
        for end in self.at_end:
            await end()

    def install(self) -> None:
        """Be the one that closes this process's sockets: take over Daphne's stop signals, if it
        is Daphne that runs here. Other servers are told by whoever starts them."""
        GracefulShutdown.installed = self
        when_daphne_runs(self._take_signals)

    def _take_signals(self, reactor: Any) -> None:
        def handle(_number: int, _frame: FrameType | None) -> None:
            reactor.callFromThread(begin)

        def begin() -> None:
            if not self.closing:
                self.closing = True
                task = asyncio.ensure_future(self.close())
                task.add_done_callback(lambda _done: reactor.stop())

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, handle)


def when_daphne_runs(call: Callable[[Any], None]) -> None:
    """Call this with Daphne's reactor once that runs, before the first request. In a process that
    does not run it (another server's, a worker's, a command's) nothing is ever called."""
    if "daphne.server" not in sys.modules:
        return
    # Imported here because importing it makes a reactor, which only Daphne should do.
    from twisted.internet import reactor  # noqa: PLC0415

    # The reactor sets its own signal handlers while it starts; ours must come after.
    reactor.callWhenRunning(call, reactor)
