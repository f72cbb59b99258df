"""One address that means no good: it opens what it can and never goes, sends without end, asks
without end, sends letter by letter, and does not read.

Bytes are written without a library, so that hundreds of such clients cost the machine a fraction of
what they cost the server. What became of them is counted.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

ADDRESS: Final = "203.0.113.7"
# Bytes of a client's frame, masked with zeros: a ping of the protocol's own, as text.
_PING: Final = b'{"type":"ping","at":1}'
FRAME: Final = bytes((0x81, 0x80 | len(_PING), 0, 0, 0, 0)) + _PING
# Seconds between two letters, and until somebody comes back who was let go.
LETTER_S: Final = 1.0
BACK_S: Final = 2.0
# How many frames are written before the next look at what the server says.
BURST: Final = 50


class Numbers(NamedTuple):
    """How many there are of each kind."""

    idle: int = 0
    flooding: int = 0
    asking: int = 0
    slow: int = 0
    deaf: int = 0


class Hostile:
    """All of them, at one web process and one match. ``told`` counts what they were told."""

    def __init__(self, base_url: str, match: int, *, address: str = ADDRESS) -> None:
        url = urlsplit(base_url)
        self.host, self.port, self.netloc = url.hostname or "", url.port or 80, url.netloc
        self.match = match
        self.address = address
        self.told: Counter[str] = Counter()

    @asynccontextmanager
    async def at_it(self, numbers: Numbers) -> AsyncIterator[None]:
        """They do it as long as the block takes."""
        kinds: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {
            "idle": self._idle, "flooding": self._flooding, "asking": self._asking,
            "slow": self._slow, "deaf": self._deaf,
        }  # fmt: skip
        tasks = [
            asyncio.create_task(self._again(kind, kinds[kind]))
            for kind, number in numbers._asdict().items()
            for _ in range(number)
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _again(self, kind: str, once: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Whoever is let go comes back."""
        while True:
            try:
                await once()
            except (OSError, asyncio.IncompleteReadError):
                self.told[f"{kind}: dropped"] += 1
            await asyncio.sleep(BACK_S)

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection(self.host, self.port)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    def _head(self, path: str, *more: str) -> bytes:
        lines = [f"GET {path} HTTP/1.1", f"Host: {self.netloc}", f"X-Forwarded-For: {self.address}"]
        return "\r\n".join([*lines, *more, "", ""]).encode()

    @asynccontextmanager
    async def _socket(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        async with self._open() as (reader, writer):
            writer.write(
                self._head(
                    f"/ws/v1/matches/{self.match}/",
                    f"Origin: http://{self.netloc}",
                    "Upgrade: websocket",
                    "Connection: Upgrade",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                    "Sec-WebSocket-Version: 13",
                )
            )
            await reader.readuntil(b"\r\n\r\n")
            yield reader, writer

    async def _idle(self) -> None:
        """Stays, and says nothing."""
        async with self._socket() as (reader, _writer):
            first = await reader.read(65536)
            kind = "refused" if b'"rate.sockets"' in first else "in" if first else "dropped"
            self.told[f"idle: {kind}"] += 1
            while await reader.read(65536):
                pass

    async def _flooding(self) -> None:
        """Sends frames as fast as they go out."""
        async with self._socket() as (reader, writer):
            while True:
                writer.write(FRAME * BURST)
                await writer.drain()
                self.told["flooding: frames"] += BURST
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.01):
                        said = await reader.read(65536)
                        if not said or b'"closing"' in said:
                            self.told["flooding: let go"] += 1
                            return

    async def _asking(self) -> None:
        """Asks for a page, again and again."""
        async with self._open() as (reader, writer):
            while True:
                writer.write(self._head("/watch/", "Accept-Encoding: identity"))
                head = await reader.readuntil(b"\r\n\r\n")
                self.told[f"asking: {head[9:12].decode()}"] += 1
                await self._rest(reader, head)

    async def _rest(self, reader: asyncio.StreamReader, head: bytes) -> None:
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                await reader.readexactly(int(line.partition(b":")[2]))
                return
        while size := int((await reader.readline()).strip() or b"0", 16):
            await reader.readexactly(size + 2)
        await reader.readline()

    async def _slow(self) -> None:
        """Sends a request letter by letter, and never ends."""
        async with self._open() as (reader, writer):
            writer.write(self._head("/watch/")[:-2] + b"X-Slow: ")
            while True:
                writer.write(b"x")
                await writer.drain()
                with suppress(TimeoutError):
                    async with asyncio.timeout(LETTER_S):
                        said = await reader.read(1024)
                        told = said[9:12].decode() if said else "dropped"
                        self.told[f"slow: {told}"] += 1
                        return

    async def _deaf(self) -> None:
        """Reads nothing, and asks for much."""
        async with self._socket() as (_reader, writer):
            payload = b'{"type":"sync"}'
            frame = bytes((0x81, 0x80 | len(payload), 0, 0, 0, 0)) + payload
            while True:
                writer.write(frame)
                await writer.drain()
                self.told["deaf: asked"] += 1
                await asyncio.sleep(LETTER_S)
