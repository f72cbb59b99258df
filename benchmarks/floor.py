"""The floor that a turn is measured by (`floor_app.py`), run and driven."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from driving import Measured, connected
from stand import ROOT, Stand
from websockets.asyncio.client import ClientConnection

from script.lib.ports import free_port
from tests.support.site import SiteError, wait_for

Sockets = tuple[ClientConnection, ClientConnection]


class Floor:
    """The floor while it runs."""

    def __init__(self, server: subprocess.Popen[bytes], port: int) -> None:
        self.pid = server.pid
        self.url = f"ws://127.0.0.1:{port}"

    async def echo(self, count: int) -> list[Sockets]:
        """Open sockets that send back what they get; each plays with itself."""
        opened = [await connected(f"{self.url}/echo") for _ in range(count)]
        return [(each, each) for each in opened]

    async def turns(self, count: int) -> list[Sockets]:
        """Open the two sockets of each pair."""
        urls = [f"{self.url}/turn/{number}" for number in range(count)]
        return [(await connected(url), await connected(url)) for url in urls]


@contextmanager
def running_floor(stand: Stand, pairs: int) -> Iterator[Floor]:
    """The floor's server, on the stand's PostgreSQL and Valkey."""
    stand.site.sql(
        "CREATE TABLE floor_match (id int PRIMARY KEY, seq int NOT NULL, snapshot text NOT NULL)"
    )
    stand.site.sql(
        "CREATE TABLE floor_move (match int, seq int, text text, PRIMARY KEY (match, seq))"
    )
    stand.site.sql(
        "INSERT INTO floor_match SELECT n, 0, repeat('x', 4096) FROM generate_series(0, %s) n",
        pairs,
    )
    port = free_port()
    command = [sys.executable, "-m", "daphne", "--verbosity", "0", "-p", str(port)]
    log_path = stand.folder / "floor.log"
    with log_path.open("wb") as log:
        server = subprocess.Popen(
            [*command, "floor_app:application"],
            cwd=ROOT / "benchmarks",
            env=stand.site.env,
            stdout=log,
            stderr=log,
        )
    try:
        try:
            wait_for(lambda: _listens(port), what="the floor's server")
        except SiteError:
            print(log_path.read_text(), file=sys.stderr)
            raise
        yield Floor(server, port)
    finally:
        server.terminate()
        server.wait(10)


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


async def ping_pong(pairs: Sequence[Sockets], measured: Measured, seconds: float) -> None:
    """Have pairs send to and fro for so long. Each answers when it has what the other sent, and
    whoever sent has it as well."""
    started = time.perf_counter()

    async def one(mover: ClientConnection, other: ClientConnection) -> None:
        while (sent_at := time.perf_counter()) < started + seconds:
            await mover.send("x" * 100)
            await other.recv()
            measured.waits.append(time.perf_counter() - sent_at)
            if other is not mover:
                await mover.recv()
            mover, other = other, mover

    await asyncio.gather(*[one(*pair) for pair in pairs])
    measured.elapsed += time.perf_counter() - started


async def close(pairs: Sequence[Sockets]) -> None:
    """Close them all."""
    await asyncio.gather(*[each.close() for each in {each for pair in pairs for each in pair}])
