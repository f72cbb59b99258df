"""Hundreds of sockets that are opened at once, as after a server has come back.

A browser's worth of manners and no more: each socket opens, waits for its first `sync`, stays, and
comes back with the same backoff as a page when it is dropped. Bytes are read without a WebSocket
library, so that the storm costs the machine a fraction of what it costs the server.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

# As static/js/match/client.js has them, in seconds.
PATIENCE_OPENING: Final = 8.0
PATIENCE_ARRIVING: Final = 20.0
LONGEST_WAIT: Final = 15.0

CLOSE: Final = 8


@dataclass(eq=False)
class Visitor:
    """One page: who it is, which match it looks at, and how it fared."""

    path: str
    cookie: str | None = None
    plays: bool = False
    attempts: int = 0
    failed: list[str] = field(default_factory=list)
    # Seconds from the storm's beginning until its `sync`, and its place in the order of arrivals.
    arrived: float | None = None
    place: int | None = None
    transport: asyncio.Transport | None = None


class Storm:
    """Opens sockets and counts who is in."""

    def __init__(self, base_url: str, visitors: Sequence[Visitor], *, seed: int = 1) -> None:
        self.url = urlsplit(base_url)
        self.visitors = visitors
        self.chance = random.Random(seed)
        self.inside = 0
        self.began = 0.0
        self.tasks: list[asyncio.Task[None]] = []
        self.all_in = asyncio.Event()

    async def __aenter__(self) -> Storm:
        self.begin()
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for visitor in self.visitors:
            if visitor.transport is not None:
                visitor.transport.abort()

    def begin(self) -> None:
        """Open all sockets now; those that are dropped come back by themselves."""
        self.began = time.monotonic()
        self.tasks = [asyncio.create_task(self._stay(visitor)) for visitor in self.visitors]

    def forget(self) -> None:
        """Count from here: as if nobody had come yet."""
        self.began = time.monotonic()
        self.inside = 0
        self.all_in.clear()
        for visitor in self.visitors:
            visitor.arrived = visitor.place = None
            visitor.attempts, visitor.failed = 0, []

    def drop(self) -> None:
        """Have every connection break at once, as where a proxy restarts; count from here."""
        self.forget()
        for visitor in self.visitors:
            if visitor.transport is not None:
                visitor.transport.abort()

    async def everybody(self, patience: float) -> float:
        """Wait until all are in; returns the seconds since the beginning."""
        try:
            async with asyncio.timeout(patience):
                await self.all_in.wait()
        except TimeoutError:
            why = dict(Counter(self.failures))
            raise AssertionError(f"{self.inside} of {len(self.visitors)} are in; {why}") from None
        return max(visitor.arrived or 0.0 for visitor in self.visitors)

    @property
    def failures(self) -> list[str]:
        """Why attempts failed, all of them."""
        return [why for visitor in self.visitors for why in visitor.failed]

    async def _stay(self, visitor: Visitor) -> None:
        attempt = 0
        while True:
            visitor.attempts += 1
            connection = Connection(self, visitor)
            least = 0.0
            try:
                why, least = await connection.live()
            except (OSError, TimeoutError) as error:
                why = type(error).__name__
            if connection.in_sync:
                attempt = 0
            else:
                visitor.failed.append(why)
            full = min(LONGEST_WAIT, 0.5 * 2**attempt)
            attempt += 1
            await asyncio.sleep(least + full * (0.5 + self.chance.random() / 2))

    def arrive(self, visitor: Visitor) -> None:
        """A visitor has its first `sync`."""
        if visitor.arrived is None:
            visitor.arrived = time.monotonic() - self.began
            visitor.place = self.inside
            self.inside += 1
            if self.inside == len(self.visitors):
                self.all_in.set()


class Connection(asyncio.Protocol):
    """One attempt of one visitor."""

    def __init__(self, storm: Storm, visitor: Visitor) -> None:
        self.storm = storm
        self.visitor = visitor
        self.buffer = bytearray()
        self.open = False
        self.heard = 0
        self.synced = asyncio.Event()
        self.least = 0.0
        self.gone: asyncio.Future[tuple[str, float]] = asyncio.get_running_loop().create_future()
        self.transport: asyncio.Transport | None = None

    @property
    def in_sync(self) -> bool:
        """Whether it got as far as a `sync`."""
        return self.synced.is_set()

    async def live(self) -> tuple[str, float]:
        """Open, and stay until it ends; returns why it ended and how long to keep away (s)."""
        url = self.storm.url
        loop = asyncio.get_running_loop()
        try:
            await loop.create_connection(lambda: self, url.hostname or "", url.port or 80)
            while not self.gone.done() and not self.synced.is_set():
                heard, is_open = self.heard, self.open
                await asyncio.wait(
                    (self.gone,), timeout=PATIENCE_ARRIVING if is_open else PATIENCE_OPENING
                )
                if not self.gone.done() and heard == self.heard:
                    return "silence" if is_open else "no handshake", 0.0
            return await self.gone
        finally:
            if self.transport is not None:
                self.transport.abort()

    def connection_made(self, transport: Any) -> None:
        self.transport = self.visitor.transport = transport
        url = self.storm.url
        cookie = f"Cookie: {self.visitor.cookie}\r\n" if self.visitor.cookie else ""
        transport.write(
            f"GET {self.visitor.path} HTTP/1.1\r\nHost: {url.netloc}\r\n"
            f"Origin: http://{url.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            f"{cookie}\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        self.heard += 1
        if not self.open:
            head, end, rest = bytes(self.buffer).partition(b"\r\n\r\n")
            if not end:
                return
            if not head.startswith(b"HTTP/1.1 101"):
                self._end(f"status {head[9:12].decode()}", 0.0)
                return
            self.buffer[:] = rest
            self.open = True
        while (frame := self._frame()) is not None:
            kind, payload = frame
            if kind == CLOSE:
                self._end(f"closed {int.from_bytes(payload[:2])}", self.least)
            elif b'"type":"closing"' in payload[:400]:
                self.least = float(json.loads(payload).get("retry_after", 0))
            elif b'"type":"sync"' in payload[:400] and not self.synced.is_set():
                self.synced.set()
                self.storm.arrive(self.visitor)

    def _frame(self) -> tuple[int, bytes] | None:
        """The next whole frame of the server's, which are not masked."""
        head = self.buffer
        if len(head) < 2:
            return None
        size, start = head[1] & 127, 2
        if size >= 126:
            start = 4 if size == 126 else 10
            size = int.from_bytes(head[2:start])
        if len(head) < start + size:
            return None
        kind, payload = head[0] & 15, bytes(head[start : start + size])
        del head[: start + size]
        return kind, payload

    def connection_lost(self, _error: Exception | None) -> None:
        self._end("dropped", 0.0)

    def _end(self, why: str, least: float) -> None:
        if not self.gone.done():
            self.gone.set_result((why, least))
