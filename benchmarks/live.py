"""What a live turn costs: real sockets against the real processes.

    python benchmarks/live.py [--matches 50] [--rounds 3] [--spectators 0] [--game ID] [--json]

Starts its own PostgreSQL (durable commits), Valkey, Daphne, worker and beat, and drives matches of
a ruleset that says in its folder how (`benchmark.py`), the first of them by default, with two
sockets each, from a process of its own. First as fast as players can answer (turns/s at
saturation), then paced at half of that, measuring from a player's send to the opponent's frame. The
floor is measured in the same run with the same server, threads, database and channel layer, but no
game: a bare echo, and an echo with one durable transaction and a broadcast. Only the ratios carry
over to another machine.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import importlib.util
import json
import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import msgspec
from stand import running_site
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.engine.ruleset import Ruleset
from games.rulesets import REGISTRY
from script.lib.ports import free_port
from tests.support.site import wait_for

PLAYERS = ("bench-a", "bench-b")

PREPARE = """
import json
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.cached_db import SessionStore
from accounts.models import User
from games.services.matches import match_start
users = [User.objects.create_user(name, f"{{name}}@example.org", "x") for name in {players!r}]
cookies = []
for user in users:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "accounts.signin.backends.NameBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    cookies.append(session.session_key)
ids = [
    match_start(acting_user=None, players=tuple(users), ruleset_id={ruleset!r},
                variant={variant!r}, advantage=0).pk
    for _ in range({count})
]
print(json.dumps({{"cookies": cookies, "matches": ids}}))
"""


Answer = Callable[[str, Seat, bytes, RandomSource], str]


class _Decision(msgspec.Struct):
    seat: int
    kind: str


class _View(msgspec.Struct):
    phase: str
    decisions: list[_Decision]
    game: msgspec.Raw


class _Frame(msgspec.Struct):
    """What the load generator reads of any frame; the rest is skipped while decoding."""

    type: str
    version: int = 0
    view: _View | None = None
    code: str = ""
    sentence: str = ""


_DECODER = msgspec.json.Decoder(_Frame)


@dataclass
class Measured:
    """What one run measured: when turns were sent, and how long the opponent waited (s)."""

    waits: list[float] = field(default_factory=list)
    turns: int = 0
    refused: int = 0


def player_of(ruleset: Ruleset[Any, Any]) -> Answer | None:
    """How a load generator plays this game, or None where its folder does not say."""
    package = type(ruleset).__module__.rpartition(".")[0]
    if importlib.util.find_spec(f"{package}.benchmark") is None:
        return None
    answer: Answer = importlib.import_module(f"{package}.benchmark").answer
    return answer


PLAYED = {ruleset.id: player for ruleset in REGISTRY if (player := player_of(ruleset)) is not None}


class Pair:
    """One match: two sockets, and a player behind each who moves as soon as it is their turn."""

    def __init__(
        self, match: int, answer: Answer, measured: Measured, pace: float, source: random.Random
    ) -> None:
        self.match = match
        self.answer = answer
        self.measured = measured
        self.pace = pace
        self.source = source
        self.sent_at = 0.0
        self.number = 0
        self.over = asyncio.Event()

    async def play(self, socket: ClientConnection, seat: int) -> None:
        """Answer every frame that leaves the decision with ``seat``, until the match is over."""
        answered = -1
        async for message in socket:
            frame = _DECODER.decode(message)
            if frame.type == "refused":
                self.measured.refused += 1
                raise SystemExit(f"refused: {frame.code} {frame.sentence}")
            if frame.view is None:
                continue
            mine = any(decision.seat == seat for decision in frame.view.decisions)
            if frame.type == "step" and self.sent_at and (mine or frame.view.phase == "over"):
                self.measured.waits.append(time.perf_counter() - self.sent_at)
                self.measured.turns += 1
            if frame.view.phase == "over":
                self.over.set()
                return
            if mine and frame.version > answered:
                answered = frame.version
                decision = next(each for each in frame.view.decisions if each.seat == seat)
                text = self.answer(decision.kind, seat, frame.view.game, self.source.random)
                if self.pace:
                    await asyncio.sleep(self.source.expovariate(1 / self.pace))
                await self._send(socket, text, frame.version)

    async def _send(self, socket: ClientConnection, text: str, version: int) -> None:
        self.number += 1
        self.sent_at = time.perf_counter()
        await socket.send(
            msgspec.json.encode(
                {
                    "type": "submit",
                    "id": f"b{self.match}-{self.number}",
                    "match": self.match,
                    "text": text,
                    "version": version,
                }
            ).decode()
        )


async def play_round(
    url: str, cookies: list[str], matches: list[int], measured: Measured, pace: float,
    spectators: int, *, answer: Answer,
) -> float:  # fmt: skip
    """Play one set of matches at once; returns how long it took from the first move, in s."""
    source = random.Random(len(matches))
    pairs = [Pair(match, answer, measured, pace, source) for match in matches]
    opened = [
        await asyncio.gather(
            *[_open(f"{url}/ws/v1/matches/{match}/", cookie) for cookie in cookies]
        )
        for match in matches
    ]
    watching = [
        await _open(f"{url}/ws/v1/matches/{match}/", None)
        for match in matches
        for _ in range(spectators)
    ]
    watchers = [asyncio.create_task(_watch(socket)) for socket in watching]
    started = time.perf_counter()
    await asyncio.gather(
        *[
            pair.play(socket, seat)
            for pair, sockets in zip(pairs, opened, strict=True)
            for seat, socket in enumerate(sockets)
        ]
    )
    elapsed = time.perf_counter() - started
    for watcher in watchers:
        watcher.cancel()
    await asyncio.gather(*[socket.close() for sockets in [*opened, watching] for socket in sockets])
    return elapsed


async def _open(url: str, cookie: str | None) -> ClientConnection:
    headers = {"Cookie": f"sessionid={cookie}"} if cookie else {}
    origin = Origin(url.replace("ws://", "http://").split("/ws/")[0])
    return await connect(
        url,
        additional_headers=headers,
        origin=origin,
        compression=None,
        max_size=None,
    )


def _say(phase: str) -> None:
    print(f"... {phase}", file=sys.stderr, flush=True)


async def _watch(socket: ClientConnection) -> None:
    async for _ in socket:
        pass


async def floor(url: str, pairs: int, seconds: float) -> dict[str, float]:
    """Echoes a second, and bare durable turns a second, with two sockets a pair."""
    return {
        "echo_per_s": await _ping_pong([f"{url}/echo"] * pairs, seconds),
        "turns_per_s": await _ping_pong(
            [f"{url}/turn/{number}" for number in range(pairs)], seconds, two=True
        ),
    }


async def _ping_pong(urls: list[str], seconds: float, *, two: bool = False) -> float:
    count = 0
    ends = time.perf_counter() + seconds

    async def one(url: str) -> None:
        nonlocal count
        mover = await connect(url, compression=None)
        other = await connect(url, compression=None) if two else mover
        while time.perf_counter() < ends:
            await mover.send("x" * 100)
            await other.recv()
            if two:
                await mover.recv()
            mover, other = other, mover
            count += 1
        for each in {mover, other}:
            await each.close()

    started = time.perf_counter()
    await asyncio.gather(*[one(url) for url in urls])
    return round(count / (time.perf_counter() - started), 1)


def percentiles(waits: list[float]) -> dict[str, float]:
    """p50, p95 and p99 in milliseconds."""
    ordered = sorted(waits)
    return {
        f"p{share}_ms": round(ordered[min(len(ordered) - 1, len(ordered) * share // 100)] * 1000, 2)
        for share in (50, 95, 99)
    }


async def measure(arguments: argparse.Namespace, site: Any, floor_url: str) -> dict[str, Any]:
    """Everything, in one run."""
    _say("the floor")
    found: dict[str, Any] = {
        "matches": arguments.matches,
        "spectators_per_match": arguments.spectators,
        "floor": await floor(floor_url, arguments.matches, arguments.seconds),
    }
    _say("preparing matches")
    rounds = arguments.rounds
    ruleset, answer = REGISTRY.get(arguments.game), PLAYED[arguments.game]
    prepare = PREPARE.format(
        players=PLAYERS,
        count=arguments.matches * rounds * 2,
        ruleset=ruleset.id,
        variant=ruleset.variants[0].id,
    )
    prepared = json.loads(site.python(prepare).strip().splitlines()[-1])
    ids = [
        prepared["matches"][i : i + arguments.matches]
        for i in range(0, arguments.matches * rounds * 2, arguments.matches)
    ]
    _say("as fast as players can answer")
    full = Measured()
    elapsed = 0.0
    for matches in ids[:rounds]:
        elapsed += await play_round(
            site.ws_url, prepared["cookies"], matches, full, 0, arguments.spectators, answer=answer
        )
    saturation = full.turns / elapsed
    # Each match has one turn under way; the pause before each makes the total half of saturation.
    pace = arguments.matches / (saturation / 2)
    _say("at half of that")
    half = Measured()
    elapsed = 0.0
    for matches in ids[rounds:]:
        elapsed += await play_round(
            site.ws_url,
            prepared["cookies"],
            matches,
            half,
            pace,
            arguments.spectators,
            answer=answer,
        )
    found["saturation"] = {"turns_per_s": round(saturation, 1), **percentiles(full.waits)}
    found["half_load"] = {"turns_per_s": round(half.turns / elapsed, 1), **percentiles(half.waits)}
    found["of_floor"] = round(saturation / found["floor"]["turns_per_s"], 2)
    return found


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Bring up the services, the site and the floor, measure, and take all down."""
    with running_site() as (site, folder):
        return _with_floor(arguments, site, folder)


def _with_floor(arguments: argparse.Namespace, site: Any, folder: Path) -> dict[str, Any]:
    site.sql(
        "CREATE TABLE floor_match (id int PRIMARY KEY, seq int NOT NULL, snapshot text NOT NULL)"
    )
    site.sql("CREATE TABLE floor_move (match int, seq int, text text, PRIMARY KEY (match, seq))")
    site.sql(
        "INSERT INTO floor_match SELECT n, 0, repeat('x', 4096) FROM generate_series(0, %s) n",
        arguments.matches,
    )
    port = free_port()
    env = {**site.env, "PYTHONPATH": str(ROOT / "benchmarks")}
    command = [sys.executable, "-m", "daphne", "--verbosity", "0", "-p", str(port)]
    with (folder / "floor.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "floor_app:application"], cwd=ROOT, env=env, stdout=log, stderr=log
        )
    try:
        wait_for(lambda: _listens(port), timeout=30, what="the floor's server")
        return asyncio.run(measure(arguments, site, f"ws://127.0.0.1:{port}"))
    except Exception:
        print(site.logs()[-4000:], file=sys.stderr)
        raise
    finally:
        server.terminate()
        server.wait(10)


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def show(found: dict[str, Any]) -> None:
    """Print the table."""
    print(f"{found['matches']} matches, {found['spectators_per_match']} spectators each")
    print(f"{'':34} {'turns/s':>9} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8}")
    print(f"{'floor: echo (messages/s)':34} {found['floor']['echo_per_s']:>9}")
    print(f"{'floor: durable turn, no game':34} {found['floor']['turns_per_s']:>9}")
    for name, key in (("a turn at saturation", "saturation"), ("a turn at half load", "half_load")):
        row = found[key]
        print(
            f"{name:34} {row['turns_per_s']:>9} {row['p50_ms']:>8} {row['p95_ms']:>8}"
            f" {row['p99_ms']:>8}"
        )
    print(f"saturation is {found['of_floor']} of the floor")


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--spectators", type=int, default=0, help="per match")
    parser.add_argument("--seconds", type=float, default=4.0, help="for each floor")
    parser.add_argument("--game", choices=PLAYED, default=next(iter(PLAYED)), help="a ruleset")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = run(arguments)
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        show(found)


if __name__ == "__main__":
    main()
