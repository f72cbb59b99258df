"""A way to PostgreSQL that counts what passes: statements, and how often somebody waited for an
answer.

It takes processor time of its own, so what it counts is counted in a pass that measures nothing
else. The messages are those of PostgreSQL's documentation, "Message Formats".
"""

from __future__ import annotations

import asyncio
import threading
from asyncio import StreamReader, StreamWriter
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

LENGTH: Final = 4
# What a client may ask before it says who it is: encryption of two kinds. It is told no.
ENCRYPTIONS: Final = (80877103, 80877104)
AROUND: Final = {"BEGIN", "COMMIT", "ROLLBACK"}


class Wire:
    """Listens on this machine, in a thread of its own, and hands on to a server."""

    def __init__(self, host: str, port: int) -> None:
        self.server = (host, port)
        self.verbs: Counter[str] = Counter()
        self.answers = 0
        self.port = 0
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        self.ready.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    def forget(self) -> None:
        """Count from here."""
        self.verbs, self.answers = Counter(), 0

    def per_turn(self, turns: int) -> dict[str, float]:
        """Statements, those that begin and end transactions counted apart, and round trips."""
        around = sum(n for verb, n in self.verbs.items() if verb in AROUND)
        return {
            "statements": round((self.verbs.total() - around) / turns, 2),
            "begin_commit": round(around / turns, 2),
            "round_trips": round(self.answers / turns, 2),
        }

    def _run(self) -> None:
        async def listen() -> None:
            server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
            self.port = server.sockets[0].getsockname()[1]
            self.ready.set()

        self.loop.run_until_complete(listen())
        self.loop.run_forever()

    async def _serve(self, client: StreamReader, to_client: StreamWriter) -> None:
        server, to_server = await asyncio.open_connection(*self.server)
        try:
            await self._open(client, to_client, to_server)
            await asyncio.gather(
                _pass_on(client, to_server, Session(self.count).sent),
                _pass_on(server, to_client, self._answered),
            )
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # one of the two has gone
        finally:
            to_server.close()
            to_client.close()

    def count(self, verb: str) -> None:
        """Count a statement by its first word."""
        self.verbs[verb] += 1

    async def _open(
        self, client: StreamReader, to_client: StreamWriter, to_server: StreamWriter
    ) -> None:
        """The first message has no type."""
        while True:
            head = await client.readexactly(2 * LENGTH)
            if int.from_bytes(head[LENGTH:]) not in ENCRYPTIONS:
                break
            to_client.write(b"N")
        rest = await client.readexactly(int.from_bytes(head[:LENGTH]) - len(head))
        to_server.write(head + rest)

    def _answered(self, kind: bytes, _body: bytes) -> None:
        self.answers += kind == b"Z"  # ready for the next question


class Session:
    """What one client has prepared, and what of it is carried out."""

    def __init__(self, count: Callable[[str], None]) -> None:
        self.count = count
        self.prepared: dict[bytes, str] = {}
        self.bound = ""

    def sent(self, kind: bytes, body: bytes) -> None:
        """A message of the client's: a question as text, or one in three steps."""
        if kind == b"Q":
            self.count(verb_of(body))
        elif kind == b"P":
            name, _, text = body.partition(b"\0")
            self.prepared[name] = verb_of(text)
        elif kind == b"B":
            _portal, name, _rest = body.split(b"\0", 2)
            self.bound = self.prepared.get(name, "?")
        elif kind == b"E":
            self.count(self.bound)


def verb_of(text: bytes) -> str:
    """The first word of a statement."""
    words = text.rstrip(b"\0").split(None, 1)
    return words[0].decode(errors="replace").upper() if words else "(nothing)"


async def _pass_on(
    source: StreamReader, target: StreamWriter, see: Callable[[bytes, bytes], None]
) -> None:
    try:
        while True:
            head = await source.readexactly(1 + LENGTH)
            body = await source.readexactly(int.from_bytes(head[1:]) - LENGTH)
            see(head[:1], body)
            target.write(head + body)
            await target.drain()
    finally:
        target.close()
