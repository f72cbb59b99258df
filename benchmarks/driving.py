"""Matches driven over sockets, whatever server they are on: two players each, and either moves when
the other's move has arrived."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

# Sockets that are opened side by side.
AT_ONCE: Final = 50
PATIENCE_S: Final = 120.0


@dataclass
class Measured:
    """What was measured: how long each opponent waited (s), what arrived (bytes), how long each
    match was (turns), how many moves came too late for their position, and how long all of it took
    from the first move (s)."""

    waits: list[float] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    received: int = 0
    refused: int = 0
    elapsed: float = 0.0

    @property
    def turns(self) -> int:
        """Moves that have reached the opponent."""
        return len(self.waits)

    def row(self) -> dict[str, float]:
        """Turns a second, and p50, p95 and p99 in milliseconds."""
        return {"turns_per_s": round(self.turns / self.elapsed, 1), **percentiles(self.waits)}


def percentiles(waits: Sequence[float]) -> dict[str, float]:
    """p50, p95 and p99 in milliseconds."""
    ordered = sorted(waits)
    return {
        f"p{share}_ms": round(ordered[min(len(ordered) - 1, len(ordered) * share // 100)] * 1000, 2)
        for share in (50, 95, 99)
    }


@dataclass
class Pace:
    """So many turns a second of all matches together (0: as fast as can be). Each match has one
    turn under way, so those that are still on share the rate."""

    turns_per_s: float
    on: int

    def pause(self, source: random.Random) -> float:
        """How long after its last turn's moment a match has its next, in seconds."""
        return source.uniform(0, 2 * self.on / self.turns_per_s)


class Pair(ABC):
    """One match: two sockets, and a player behind each who moves as soon as it is their turn, or
    at a pace, however long an answer takes."""

    def __init__(self, measured: Measured, seed: int) -> None:
        self.measured = measured
        self.source = random.Random(seed)
        self.pace = Pace(0.0, 0)
        self.due = 0.0
        self.sent_at = 0.0
        self.length = 0
        self.is_over = False
        self.sockets: list[ClientConnection] = []

    @abstractmethod
    async def open(self) -> None:
        """Open both sockets, and return once both know how the match stands."""

    @abstractmethod
    async def play(self) -> None:
        """Play the match to its end."""

    async def close(self) -> None:
        """Close what was opened."""
        await asyncio.gather(*[socket.close() for socket in self.sockets])

    def begin(self, pace: Pace) -> None:
        """From now on at this pace."""
        self.pace = pace
        self.due = time.perf_counter()

    async def wait_turn(self) -> None:
        """Wait as long as the pace wants; the move counts from then on."""
        if self.pace.turns_per_s:
            pause = self.pace.pause(self.source)
            # Until the first is as long as until the next, seen from any moment on the way.
            self.due += pause if self.sent_at else min(pause, self.pace.pause(self.source))
            await asyncio.sleep(max(0.0, self.due - time.perf_counter()))
        self.sent_at = time.perf_counter()

    def arrived(self) -> None:
        """The opponent has the move."""
        self.measured.waits.append(time.perf_counter() - self.sent_at)
        self.length += 1


async def connected(url: str, *, cookie: str = "", origin: str | None = None) -> ClientConnection:
    """An open socket, without compression."""
    return await connect(
        url,
        additional_headers={"Cookie": cookie} if cookie else {},
        origin=None if origin is None else Origin(origin),
        compression=None,
        max_size=None,
        open_timeout=PATIENCE_S,
        ping_interval=None,
    )


async def open_all(pairs: Sequence[Pair]) -> None:
    """Open them, a few at a time."""
    for start in range(0, len(pairs), AT_ONCE // 2):
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*[pair.open() for pair in pairs[start : start + AT_ONCE // 2]])


async def play_all(
    pairs: Sequence[Pair],
    measured: Measured,
    turns_per_s: float = 0.0,
    *,
    seconds: float | None = None,
) -> None:
    """Play open matches to their ends, or for so long: so many turns a second together, or as fast
    as can be."""
    pace = Pace(turns_per_s, len(pairs))

    async def one(pair: Pair) -> None:
        pair.begin(pace)
        await pair.play()
        pace.on -= 1

    started = time.perf_counter()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.gather(*[one(pair) for pair in pairs])
    measured.elapsed += time.perf_counter() - started
    measured.lengths += [pair.length for pair in pairs]
