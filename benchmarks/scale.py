"""How a site on one machine carries many: matches, spectators, contestants, and turns over time.

    python benchmarks/scale.py [crowd] [spectators] [pages] [turns] [--markdown | --json]

`crowd`: 1,000 live matches with two sockets each, paced at 120 turns/s altogether. How long until
all are in, what a socket and a match take of the web process's memory, what the site takes while
nobody moves, and what a sweep does; then p50, p95 and p99 from a player's send to the opponent's
frame.
`spectators`: one match before ever more spectators: processor time and bytes a turn.
`pages`: the page of a season with 64 contestants, the leaderboard of 5,000 players and the replay
of the longest match on record: queries, milliseconds, bytes.
`turns`: 100,000 turns straight through the service, in processes beside the running site: how many
updates of matches were HOT, how many dead rows are there in the end, how large the tables are.

Without a name, all four. Sizes are options: `--matches 40 --pace 20 --seconds 3 --spectators 0 10
--contestants 8 --results 500 --players 100 --turns 400` is over in a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import psycopg
from driving import Measured, open_all, play_all
from ours import PLAYED, Prepared, watching
from processor import bytes_of
from psycopg.sql import SQL, Identifier
from stand import Stand, running_site
from tables import add_forms, machine, print_table

IDLE_S: Final = 5.0
# A thousand matches that have begun together are reminded together: not while an idle site, or
# their turns, are measured.
UNHURRIED: Final = {"choice_time": 3600, "turn_time": 3600}
SWEEPS: Final = 10
MATCHES_EACH: Final = 50
TIMES: Final = 3  # matches before each number of spectators
SETTLED_S: Final = 1.0
FLUSHED_S: Final = 11.0  # PostgreSQL's processes tell of their rows when they were idle for ten
SPREAD: Final = 100  # sockets of spectators that are opened side by side
TABLES: Final = ("games_match", "games_matchentry")
KB: Final = 1000


# -- a crowd -------------------------------------------------------------------------------------


async def crowd(stand: Stand, arguments: argparse.Namespace) -> dict[str, Any]:
    """Many matches at the same time."""
    quiet = idle(stand)
    prepared = Prepared(stand.site, arguments.game, arguments.matches, UNHURRIED)
    measured = Measured()
    pairs = prepared.pairs(arguments.matches, measured)
    live = idle(stand)
    memory = bytes_of(stand.site.web.pid)
    started = time.perf_counter()
    await open_all(pairs)
    all_in = time.perf_counter() - started
    grown = bytes_of(stand.site.web.pid) - memory
    # Beside the loop: a server drops whoever does not answer it for half a minute.
    connected = await asyncio.to_thread(idle, stand)
    meter = stand.meter()
    await play_all(pairs, measured, arguments.pace, seconds=arguments.seconds)
    played = meter.taken()
    swept = run_app("sweep", SWEEPS, env=stand.site.env)
    sockets = [socket for pair in pairs for socket in pair.sockets]
    found = {
        "matches": len(pairs),
        "sockets": len(sockets),
        "still_open": sum(socket.close_code is None for socket in sockets),
        "all_in_s": all_in,
        "kb_per_socket": grown / len(sockets) / KB,
        "kb_per_match": grown / len(pairs) / KB,
        **measured.row(),
        "refused": measured.refused,
        "cpu_ms_per_turn": {name: 1000 * spent / measured.turns for name, spent in played.items()},
        "idle_ms_per_s": {"no match": quiet, "matches": live, "and sockets": connected},
        "sweep": swept,
    }
    await asyncio.gather(*[pair.close() for pair in pairs])
    return found


def idle(stand: Stand) -> dict[str, float]:
    """Milliseconds of processor a second that each process takes while nobody does anything."""
    stand.drain()
    meter = stand.meter()
    time.sleep(IDLE_S)
    return {name: 1000 * spent / IDLE_S for name, spent in meter.taken().items()}


def show_crowd(found: dict[str, Any], *, markdown: bool) -> None:
    """Print it."""
    head = ("matches", "sockets", "still_open", "all_in_s", "kb_per_socket", "kb_per_match")
    waits = ("turns_per_s", "p50_ms", "p95_ms", "p99_ms")
    words = [name.replace("_", " ") for name in (*head, *waits)]
    row = [found[name] for name in (*head, *waits)]
    print_table(["a crowd", *words], [["", *row]], markdown=markdown)
    spent = found["cpu_ms_per_turn"]
    rows: list[list[Any]] = [["ms a turn", *spent.values(), sum(spent.values())]]
    for name, taken in found["idle_ms_per_s"].items():
        rows.append([f"idle, {name}: ms a second", *taken.values(), sum(taken.values())])
    print_table(["processor", *spent, "all"], rows, markdown=markdown)
    print_table(["a sweep", *found["sweep"]], [["", *found["sweep"].values()]], markdown=markdown)


# -- spectators ----------------------------------------------------------------------------------


class Audience:
    """Spectators of one match, who take in whatever comes."""

    def __init__(self, stand: Stand, match: int) -> None:
        self.stand = stand
        self.match = match
        self.heard = 0  # bytes
        self.inside = asyncio.Semaphore(0)
        self.watchers: list[asyncio.Task[None]] = []

    async def fill(self, count: int) -> None:
        """Have so many come in, a few side by side."""
        for start in range(0, count, SPREAD):
            some = min(SPREAD, count - start)
            self.watchers += [asyncio.create_task(self._look()) for _ in range(some)]
            for _ in range(some):
                await self.inside.acquire()

    async def _look(self) -> None:
        socket, _ = await watching(self.stand.site, self.match)
        self.inside.release()
        try:
            async for message in socket:
                self.heard += len(message)
        finally:
            await socket.close()

    async def leave(self) -> None:
        """Close all sockets."""
        for watcher in self.watchers:
            watcher.cancel()
        await asyncio.gather(*self.watchers, return_exceptions=True)


async def spectators(stand: Stand, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """One match at a time, before so many."""
    prepared = Prepared(stand.site, arguments.game, TIMES * len(arguments.spectators))
    return [await _before(stand, prepared, count) for count in arguments.spectators]


async def _before(stand: Stand, prepared: Prepared, count: int) -> dict[str, Any]:
    measured = Measured()
    spent: Counter[str] = Counter()
    heard = 0
    for pair in prepared.pairs(TIMES, measured):
        audience = Audience(stand, pair.match)
        await audience.fill(count)
        await open_all([pair])
        await asyncio.sleep(SETTLED_S)  # everybody has been told who is there
        audience.heard, meter = 0, stand.meter()
        await play_all([pair], measured)
        stand.drain()
        await asyncio.sleep(SETTLED_S)  # what was sent has arrived
        for name, seconds in meter.taken().items():
            spent[name] += round(1e6 * seconds)
        heard += audience.heard
        await audience.leave()
        await pair.close()
    turns = measured.turns
    return {
        "spectators": count,
        "turns": turns,
        "web ms": spent["web"] / 1000 / turns,
        "all ms": spent.total() / 1000 / turns,
        "KB": (heard + measured.received) / turns / KB,
    }


def show_spectators(found: list[dict[str, Any]], *, markdown: bool) -> None:
    """Print it."""
    none = found[0]
    rows = []
    for row in found:
        more = row["spectators"] - none["spectators"]
        each = 1000 * (row["web ms"] - none["web ms"]) / more if more else None
        rows.append([f"{row['spectators']} spectators", *list(row.values())[1:], each])
    head = [*list(none)[1:], "web µs for each more"]
    print_table(["a turn before", *head], rows, markdown=markdown)


# -- pages ---------------------------------------------------------------------------------------


def pages(stand: Stand, arguments: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Pages about many, in a database of their own."""
    name = "pages"
    with psycopg.connect(stand.site.admin_url, autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    address = urlsplit(stand.site.admin_url)._replace(path=f"/{name}").geturl()
    sizes = (arguments.contestants, arguments.results, arguments.players)
    env = {**stand.site.env, "DATABASE_URL": address, "GAUNTLET_REDIS_PREFIX": name}
    found: dict[str, dict[str, Any]] = run_app("pages", *sizes, env=env)
    return found


def show_pages(found: dict[str, dict[str, Any]], *, markdown: bool) -> None:
    """Print it."""
    head = next(iter(found.values()))
    rows = [[name, *row.values()] for name, row in found.items()]
    print_table(["an answer", *head], rows, markdown=markdown)


# -- turns ---------------------------------------------------------------------------------------


def turns(stand: Stand, arguments: argparse.Namespace) -> dict[str, Any]:
    """Many turns, and what they leave behind in the tables."""
    count = arguments.turns // arguments.processes
    meter = stand.meter()
    started = time.perf_counter()
    players = [
        start_app("turns", arguments.game, count, MATCHES_EACH, seed, env=stand.site.env)
        for seed in range(arguments.processes)
    ]
    each = [answer_of(player) for player in players]
    elapsed = time.perf_counter() - started
    stand.drain()
    spent = meter.taken()
    time.sleep(FLUSHED_S)
    played = sum(row["turns"] for row in each)
    return {
        "turns": played,
        "ended": sum(row["ended"] for row in each),
        "turns_per_s": played / elapsed,
        "service_ms": sum(row["cpu_ms"] for row in each) / len(each),
        "postgres_ms": 1000 * spent.get("postgres", 0) / played,
        "worker_ms": 1000 * (spent["worker"] + spent["deadlines"]) / played,
        "tables": {name: stand.rows(name) for name in TABLES},
    }


def show_turns(found: dict[str, Any], *, markdown: bool) -> None:
    """Print it."""
    shown = {name: value for name, value in found.items() if name != "tables"}
    words = [name.replace("_", " ") for name in shown]
    print_table(["through the service", *words], [["", *shown.values()]], markdown=markdown)
    tables = found["tables"]
    head = next(iter(tables.values()))
    rows = [[name, *row.values()] for name, row in tables.items()]
    print_table(["afterwards", *head], rows, markdown=markdown)


# -- all of it -----------------------------------------------------------------------------------


def start_app(part: str, *sizes: object, env: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a part of `scale_app.py`."""
    app = str(ROOT / "benchmarks" / "scale_app.py")
    command = [sys.executable, app, part, *map(str, sizes)]
    return subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.PIPE)


def answer_of(process: subprocess.Popen[bytes]) -> Any:
    """What it has measured."""
    out, _ = process.communicate()
    if process.returncode:
        raise SystemExit("a part of the benchmark has failed; see above")
    return json.loads(out.splitlines()[-1])


def run_app(part: str, *sizes: object, env: dict[str, str]) -> Any:
    """Both at once."""
    return answer_of(start_app(part, *sizes, env=env))


PARTS: Final[dict[str, tuple[Callable[..., Any], Callable[..., None]]]] = {
    "crowd": (crowd, show_crowd),
    "spectators": (spectators, show_spectators),
    "pages": (pages, show_pages),
    "turns": (turns, show_turns),
}


def main() -> None:
    """Print tables, or JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART")
    parser.add_argument("--matches", type=int, default=1000, help="of a crowd")
    parser.add_argument("--pace", type=float, default=120.0, help="turns/s of a crowd")
    parser.add_argument("--seconds", type=float, default=30.0, help="that a crowd plays")
    parser.add_argument("--spectators", type=int, nargs="+", default=[0, 100, 250, 500])
    parser.add_argument("--contestants", type=int, default=64, help="of a season")
    parser.add_argument("--players", type=int, default=5000, help="of the leaderboard")
    parser.add_argument("--results", type=int, default=20_000, help="that it is made of")
    parser.add_argument("--turns", type=int, default=100_000, help="through the service")
    parser.add_argument("--processes", type=int, default=2, help="that play them")
    parser.add_argument("--game", choices=PLAYED, default=next(iter(PLAYED)), help="a ruleset")
    add_forms(parser)
    arguments = parser.parse_args()
    found: dict[str, Any] = {"machine": machine()}
    for part in arguments.parts or PARTS:
        print(f"... {part}", file=sys.stderr, flush=True)
        measure, show = PARTS[part]
        # Each on a site of its own, that none finds what another one left.
        with running_site() as stand:
            answer = measure(stand, arguments)
            found[part] = asyncio.run(answer) if asyncio.iscoroutine(answer) else answer
        if not arguments.json:
            show(found[part], markdown=arguments.markdown)
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        print(", ".join(found["machine"].values()), "(load)")


if __name__ == "__main__":
    main()
