"""What a Valkey that hangs costs a turn.

    python benchmarks/hung.py [--by sockets api] [--matches 20] [--pace 20] [--hang 10]
                              [--rounds 3] [--markdown | --json]

Starts its own PostgreSQL (durable commits), Valkey, Daphne, workers and beat. Matches are played at
a pace that a site hardly feels, by players who have their sockets open and say now and then that
they are there, as pages do. Meanwhile Valkey stands still (SIGSTOP): its connections are open, and
nothing answers. Then it goes on. Once the players submit by their sockets, once over HTTP, by the
API, where each submission has a thread of the web process and asks Valkey how often its caller has
asked.

Told is how long the opponent waits for a turn, from the moment at which it is sent, and how long
who sent it waits for the ack: as long as all is well; of those that are on their way when Valkey
stops or are sent within a second after that, when nobody knows it yet; of those while it hangs; and
once it goes on. `more` is how much longer the longest took than half of all take as long as all is
well, and `over 250` counts the turns that took so many milliseconds more than that, or whose acks
did.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import signal
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import httpx
from driving import Measured, Pace, percentiles
from ours import PLAYED, STALE, OurPair
from stand import Stand, running_site
from tables import add_forms, machine, print_found, print_table
from websockets.asyncio.client import ClientConnection

from tests.games.desk import Desk, Person

GAME: Final = next(iter(PLAYED))
WAYS: Final = ("sockets", "api")
PHASES: Final = ("as usual", "as it stops", "while it hangs", "afterwards")
# How long after it has stopped nobody may know it yet, in seconds.
FIRST_S: Final = 1.0
# What a turn may cost more, in seconds.
MORE_S: Final = 0.25
# Seconds that are played before anything counts, and that all has until it is well again.
SETTLE_S: Final = 8.0
WELL_S: Final = 120.0
# Of a match, and of its slowest clocks: no match ends while others are played, and no time is out.
TURNS_AT_LEAST: Final = 10
PATIENT: Final[dict[str, Any]] = {"choice_time": 3600, "turn_time": 3600}


@dataclass
class Turn:
    """When a turn was sent, and how long it was then until its ack and until the opponent had it
    (all in s); None where that has not come."""

    sent: float
    acked: float | None = None
    seen: float | None = None

    @property
    def lasted(self) -> float:
        """Until it was seen, and for ever where it was not."""
        return math.inf if self.seen is None else self.seen


@dataclass
class Hang:
    """The turns of one round that counts from ``began`` until ``ended``, and when Valkey stopped
    and went on."""

    turns: list[Turn] = field(default_factory=list)
    began: float = math.inf
    stopped: float = math.inf
    resumed: float = math.inf
    ended: float = math.inf

    def phase(self, turn: Turn) -> str | None:
        """Which of `PHASES` a turn belongs to; None: to none that counts."""
        if not self.began <= turn.sent < self.ended:
            return None
        if turn.sent + turn.lasted < self.stopped:
            return PHASES[0]
        if turn.sent < self.stopped + FIRST_S:
            return PHASES[1]
        return PHASES[2] if turn.sent < self.resumed else PHASES[3]


class Timed(OurPair):
    """A match whose turns are timed, one after the other. Its players submit by their sockets."""

    def __init__(self, stand: Stand, match: int, people: Sequence[Person], hang: Hang) -> None:
        cookies = [person.cookie for person in people]
        super().__init__(stand.site, match, cookies, PLAYED[GAME], Measured())
        self.hang = hang
        self.turns: dict[str, Turn] = {}

    def _next_id(self) -> str:
        client_id = super()._next_id()
        turn = self.turns[client_id] = Turn(time.perf_counter())
        self.hang.turns.append(turn)
        return client_id

    def acked(self, client_id: str) -> None:
        turn = self.turns[client_id]
        turn.acked = time.perf_counter() - turn.sent

    def arrived(self) -> None:
        super().arrived()
        turn = next(reversed(self.turns.values()))
        turn.seen = turn.seen or time.perf_counter() - turn.sent

    async def be_there(self, every_s: float) -> None:
        """Say so again and again, by both sockets, until this is cancelled."""
        while True:
            await asyncio.sleep(self.source.uniform(0.5, 1.5) * every_s)
            for socket in self.sockets:
                await socket.send('{"type":"ping","at":0}')


class ByApi(Timed):
    """The same, whose players submit over HTTP, and are told by their sockets."""

    def __init__(
        self,
        stand: Stand,
        match: int,
        people: Sequence[Person],
        hang: Hang,
        *,
        client: httpx.AsyncClient,
        tokens: Sequence[str],
    ) -> None:
        super().__init__(stand, match, people, hang)
        self.client = client
        self.tokens = tokens

    async def _send(self, socket: ClientConnection, text: str, version: int) -> None:
        client_id = self._next_id()
        answer = await self.client.post(
            f"/api/v1/matches/{self.match}/submissions/",
            json={"id": client_id, "text": text, "version": version},
            headers={"Authorization": f"Bearer {self.tokens[self.mover]}"},
        )
        if answer.status_code == httpx.codes.CREATED:
            self.acked(client_id)
        elif answer.json().get("code") in STALE:
            self.measured.refused += 1
            await socket.send('{"type":"sync"}')
        else:
            raise SystemExit(f"{answer.status_code}: {answer.text}")


class Run:
    """Rounds of one way."""

    def __init__(self, stand: Stand, arguments: argparse.Namespace, way: str) -> None:
        self.stand = stand
        self.arguments = arguments
        self.way = way
        desk = self.desk = Desk(stand.site)
        self.people = [desk.person(), desk.person()]
        self.tokens = [desk.token(person, "play")[1] for person in self.people]
        self.refused = 0

    def matches(self) -> list[int]:
        """As many as are played in a round, one after the other in each place."""
        options = self.arguments
        seconds = SETTLE_S + options.before + options.hang + options.after
        each = math.ceil(options.pace * seconds / options.matches / TURNS_AT_LEAST) + 1
        return [
            self.desk.match(*self.people, ruleset=GAME, **PATIENT)
            for _ in range(each * options.matches)
        ]

    async def round(self) -> Hang:
        """Play, and have Valkey stand still in the midst of it."""
        hang, matches, options = Hang(), self.matches(), self.arguments
        pace = Pace(options.pace, options.matches)
        async with httpx.AsyncClient(base_url=self.stand.site.base_url, timeout=WELL_S) as client:

            def pair() -> Timed:
                match = matches.pop()
                if self.way == "api":
                    return ByApi(
                        self.stand, match, self.people, hang, client=client, tokens=self.tokens
                    )
                return Timed(self.stand, match, self.people, hang)

            places = [
                asyncio.create_task(self._play_on(pair, matches, pace))
                for _ in range(options.matches)
            ]
            await asyncio.sleep(SETTLE_S)
            hang.began = time.perf_counter()
            await asyncio.sleep(options.before)
            with self._standing_still():
                hang.stopped = time.perf_counter()
                await asyncio.sleep(options.hang)
            hang.resumed = time.perf_counter()
            await asyncio.sleep(options.after)
            hang.ended = time.perf_counter()
            await asyncio.sleep(FIRST_S)  # for what is on its way
            for place in places:
                place.cancel()
            for ended in await asyncio.gather(*places, return_exceptions=True):
                if isinstance(ended, Exception):
                    raise ended
        return hang

    async def _play_on(self, pair: Callable[[], Timed], left: list[int], pace: Pace) -> None:
        """One match after the other, while there are any."""
        while left:
            now = pair()
            try:
                await now.open()
                there = asyncio.create_task(now.be_there(self.arguments.ping))
                now.begin(pace)
                try:
                    await now.play()
                finally:
                    there.cancel()
                    self.refused += now.measured.refused
            finally:
                await now.close()

    @contextmanager
    def _standing_still(self) -> Iterator[None]:
        pid = self.stand.pids()["valkey"]
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def wait_until_well(self) -> None:
        """Wait until workers sweep, and have nothing else left to do."""
        until = time.monotonic() + WELL_S
        while httpx.get(f"{self.stand.site.base_url}/readyz", timeout=30).status_code != 200:
            if time.monotonic() > until:
                raise SystemExit("the site is not well again")
            time.sleep(0.2)
        self.stand.drain()


def rows(hangs: Iterable[Hang]) -> dict[str, dict[str, float]]:
    """By phase, how long turns took, in ms. Turns that nobody has seen soon after the end of a
    round are counted by themselves."""
    found: dict[str, list[Turn]] = {phase: [] for phase in PHASES}
    unseen = dict.fromkeys(PHASES, 0)
    for hang in hangs:
        for turn in hang.turns:
            phase = hang.phase(turn)
            if phase is not None and turn.seen is None:
                unseen[phase] += 1
            elif phase is not None:
                found[phase].append(turn)
    usual = found[PHASES[0]]
    seen_usually = statistics.median(turn.lasted for turn in usual)
    acked_usually = statistics.median(turn.acked for turn in usual if turn.acked is not None)
    told = {}
    for phase, turns in found.items():
        seen = [turn.lasted for turn in turns]
        acked = [turn.acked for turn in turns if turn.acked is not None]
        over = sum(
            turn.lasted - seen_usually > MORE_S or (turn.acked or 0.0) - acked_usually > MORE_S
            for turn in turns
        )
        told[phase] = {
            "turns": len(turns),
            "unseen": unseen[phase],
            **_shares("", seen),
            "more_ms": round((max(seen, default=math.nan) - seen_usually) * 1000, 1),
            **_shares("ack_", acked),
            "ack_more_ms": round((max(acked, default=math.nan) - acked_usually) * 1000, 1),
            "over_250": over,
        }
    return told


def _shares(prefix: str, waits: Sequence[float]) -> dict[str, float]:
    if not waits:
        return {}
    found = percentiles(waits)
    return {
        f"{prefix}p50_ms": found["p50_ms"],
        f"{prefix}p95_ms": found["p95_ms"],
        f"{prefix}longest_ms": round(max(waits) * 1000, 2),
    }


def run(stand: Stand, arguments: argparse.Namespace) -> dict[str, Any]:
    """All ways, one after the other."""
    result: dict[str, Any] = {
        "machine": machine(),
        "game": GAME,
        **{name: getattr(arguments, name) for name in ("matches", "pace", "hang", "rounds")},
        "ways": {},
    }
    for way in arguments.by:
        one = Run(stand, arguments, way)
        hangs = []
        for number in range(1, arguments.rounds + 1):
            print(f"... by {way}, round {number}", file=sys.stderr, flush=True)
            hangs.append(asyncio.run(one.round()))
            one.wait_until_well()
        result["ways"][way] = {"refused": one.refused, "phases": rows(hangs)}
    return result


COLUMNS: Final = (
    "turns", "unseen", "p50_ms", "p95_ms", "longest_ms", "more_ms",
    "ack_p50_ms", "ack_p95_ms", "ack_longest_ms", "ack_more_ms", "over_250",
)  # fmt: skip


def show(found: dict[str, Any], *, markdown: bool) -> None:
    """Print a table of each way."""
    print(f"{', '.join(found['machine'].values())} (load)\n")
    for way, measured in found["ways"].items():
        heads = [name.removesuffix("_ms").replace("_", " ") for name in COLUMNS]
        print_table(
            [f"by {way}, ms ({measured['refused']} refused)", *heads],
            [
                [phase, *[row.get(name) for name in COLUMNS]]
                for phase, row in measured["phases"].items()
            ],
            markdown=markdown,
        )


def main() -> None:
    """Print tables, or JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--by", choices=WAYS, nargs="+", default=list(WAYS))
    parser.add_argument("--matches", type=int, default=20, help="that are played at a time")
    parser.add_argument("--pace", type=float, default=20.0, help="turns/s of all of them")
    parser.add_argument("--ping", type=float, default=3.0, help="seconds between a socket's pings")
    parser.add_argument("--before", type=float, default=10.0, help="seconds as usual")
    parser.add_argument("--hang", type=float, default=10.0, help="seconds that it stands still")
    parser.add_argument("--after", type=float, default=10.0, help="seconds that are played then")
    parser.add_argument("--rounds", type=int, default=3)
    add_forms(parser)
    arguments = parser.parse_args()
    with running_site() as stand:
        result = run(stand, arguments)
    print_found(result, show, arguments)


if __name__ == "__main__":
    main()
