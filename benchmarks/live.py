"""What a live turn costs: real sockets against the real processes.

    python benchmarks/live.py [--matches 50] [--rounds 2] [--pace 100,145] [--game ID]
                              [--server daphne,uvicorn] [--no-peer] [--markdown | --json]

Starts its own PostgreSQL (durable commits), Valkey, Daphne, workers and beat, and drives matches of
a ruleset that says in its folder how (`benchmark.py`), the first of them by default, with two
sockets each, from a process of its own. First as fast as players can answer (turns/s at
saturation), then paced, at half of that and at given turns/s, measuring from a player's send to the
opponent's frame.

With two servers named, the site is run by the first, and by the second as well as fast as players
can answer, by turns. Beside it, in the same run and by turns with it: the floor, which is the same
server (Daphne), threads, database and channel layer without a game, a bare echo and an echo with
one durable transaction and a broadcast (`floor_app.py`); and, where Node is there, boardgame.io
with PostgreSQL storage on the same database server, driven by the same players (`boardgame_io.py`).

Processor time is that of the processes themselves, out of /proc; it hardly depends on what else the
machine does, which turns a second and milliseconds do. It is counted from when everybody is in
(what that took, spread over the turns, stands apart: opening) until the workers are done with what
follows the matches' ends, which belongs to the turns. Only ratios of one run carry over to another
machine. Statements and round trips are counted last, on the way to the database, in a round that
measures nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import boardgame_io
import floor
from boardgame_io import Peer, running_peer
from driving import Measured, Pair, open_all, play_all
from floor import Floor, running_floor
from ours import PLAYED, Prepared, watching
from stand import Stand, running_site
from tables import add_forms, machine, print_found, print_table
from wire import Wire

from script.lib.server import web_command

SERVICES = ("postgres", "valkey")
IDLE_S = 3.0


@dataclass
class Phase:
    """What was measured of one server at one load, over all its rounds."""

    measured: Measured = field(default_factory=Measured)
    cpu: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    # What came before the first turn: connecting, and being told how the match stands.
    opening: float = 0.0
    commands: Counter[str] = field(default_factory=Counter)

    def row(self) -> dict[str, Any]:
        """Rates, waits, and what one turn took: ms of processor, and commands of Redis."""
        turns = self.measured.turns
        cpu = {name: round(1000 * spent / turns, 3) for name, spent in self.cpu.items()}
        own = sum(spent for name, spent in self.cpu.items() if name != "generator")
        return {
            **self.measured.row(),
            "turns": turns,
            "refused": self.measured.refused,
            "bytes": round(self.measured.received / turns),
            "cpu_ms": {**cpu, "all": round(1000 * own / turns, 3)},
            "opening_ms_per_turn": round(1000 * self.opening / turns, 3),
            "redis": round(self.commands.total() / turns, 2),
            "redis_by_command": {
                name: round(count / turns, 2)
                for name, count in self.commands.most_common()
                if count / turns >= 0.01
            },
        }


class Run:
    """One run of everything, on a stand where the floor, and perhaps the peer, run as well."""

    def __init__(
        self, arguments: argparse.Namespace, stand: Stand, ground: Floor, peer: Peer | None
    ) -> None:
        self.arguments = arguments
        self.stand = stand
        self.ground = ground
        self.peer = peer
        self.count: int = arguments.matches
        self.own = {"web", "deadlines", "worker", "bots", "beat", *SERVICES}
        self.floor, self.saturation, self.half = Phase(), Phase(), Phase()
        self.peer_saturation = Phase()
        # The servers beside the first.
        self.others = {server: Phase() for server in arguments.server[1:]}
        self.paced: dict[float, tuple[Phase, Phase]] = {}

    async def measure(self) -> dict[str, Any]:
        """Everything."""
        rounds, paces = self.arguments.rounds, self.arguments.pace
        found: dict[str, Any] = {
            "machine": machine(),
            "matches": self.count,
            "spectators_per_match": self.arguments.spectators,
            "game": self.arguments.game,
            "idle_ms_per_s": self._idle(),
        }
        self._serve_by(self.arguments.server[0])
        for number in range(1, rounds + 1):
            say(f"as fast as players can answer, round {number}")
            await self._floor(self.arguments.seconds / rounds)
            await self._ours(self.saturation)
            for server, phase in self.others.items():
                self._serve_by(server)
                await self._ours(phase)
            if self.others:
                self._serve_by(self.arguments.server[0])
            await self._peer(self.peer_saturation)
        saturation = self.saturation.measured.row()["turns_per_s"]
        for number in range(1, rounds + 1):
            say(f"at half of that, round {number}")
            await self._ours(self.half, saturation / 2)
        for pace in paces:
            self.paced[pace] = (Phase(), Phase())
            for number in range(1, rounds + 1):
                say(f"at {pace:g} turns a second, round {number}")
                await self._ours(self.paced[pace][0], pace)
                await self._peer(self.paced[pace][1], pace)
        say("echoes")
        echo = Measured()
        sockets = await self.ground.echo(self.count)
        await floor.ping_pong(sockets, echo, self.arguments.seconds / 2)
        await floor.close(sockets)
        found["floor"] = {"echo_per_s": echo.row()["turns_per_s"], **self.floor.row()}
        found["saturation"] = self.saturation.row()
        found["servers"] = {server: phase.row() for server, phase in self.others.items()}
        found["half_load"] = self.half.row()
        found["paced"] = {f"{pace:g}": ours.row() for pace, (ours, _) in self.paced.items()}
        if self.peer is not None:
            found["peer"] = {
                "saturation": self.peer_saturation.row(),
                "paced": {f"{pace:g}": peer.row() for pace, (_, peer) in self.paced.items()},
                "state_bytes": boardgame_io.bytes_kept(self.stand),
            }
        found["snapshot_bytes"] = snapshot_bytes(self.stand)
        found["rows"] = self.stand.rows("games_match")
        say("counting statements")
        found["wire"] = await self._wire()
        found["ratios"] = ratios(found)
        return found

    def _serve_by(self, server: str) -> None:
        """Run the site by this server."""
        site = self.stand.site
        command = web_command(Path(sys.executable), site.listener.fileno(), server)
        if site.web.argv != command:
            site.web.terminate()
            site.web.argv = command
            site.web.start()

    def _idle(self) -> dict[str, float]:
        meter = self.stand.meter()
        time.sleep(IDLE_S)
        return {name: round(1000 * took / IDLE_S, 1) for name, took in meter.taken().items()}

    async def _floor(self, seconds: float) -> None:
        meter = self.stand.meter(server=self.ground.pid)
        sockets = await self.ground.turns(self.count)
        self.floor.opening += of(meter.taken(), {"server", *SERVICES})
        await floor.ping_pong(sockets, self.floor.measured, seconds)
        self._add(self.floor, meter.taken(), {"server", *SERVICES})
        await floor.close(sockets)

    async def _ours(self, phase: Phase, turns_per_s: float = 0.0) -> None:
        # New ones: those that began long ago are about to run out of time.
        prepared = Prepared(self.stand.site, self.arguments.game, self.count)
        self.stand.drain()
        pairs = prepared.pairs(self.count, phase.measured)
        watchers = [
            asyncio.create_task(watch(self.stand, pair.match))
            for pair in pairs
            for _ in range(self.arguments.spectators)
        ]
        meter = self.stand.meter()
        await open_all(pairs)
        phase.opening += of(meter.taken(), self.own)
        before = self.stand.commands()
        started = time.process_time()
        await play_all(pairs, phase.measured, turns_per_s)
        phase.cpu["generator"] += time.process_time() - started
        # What follows a match belongs to its turns.
        self.stand.drain()
        self._add(phase, meter.taken(), self.own)
        phase.commands += self.stand.commands() - before
        await self._leave(pairs, watchers)

    async def _peer(self, phase: Phase, turns_per_s: float = 0.0) -> None:
        if self.peer is None:
            return
        # As long as ours were, and as large.
        lengths = self.saturation.measured.lengths[-self.count :]
        pairs = await self.peer.pairs(lengths, snapshot_bytes(self.stand), phase.measured)
        meter = self.stand.meter(server=self.peer.pid)
        await open_all(pairs)
        phase.opening += of(meter.taken(), {"server", *SERVICES})
        started = time.process_time()
        await play_all(pairs, phase.measured, turns_per_s)
        phase.cpu["generator"] += time.process_time() - started
        boardgame_io.settle()
        self._add(phase, meter.taken(), {"server", *SERVICES})
        await self._leave(pairs, [])

    async def _leave(self, pairs: Sequence[Pair], watchers: list[asyncio.Task[None]]) -> None:
        for watcher in watchers:
            watcher.cancel()
        await asyncio.gather(*watchers, return_exceptions=True)
        await asyncio.gather(*[pair.close() for pair in pairs])

    @staticmethod
    def _add(phase: Phase, taken: dict[str, float], names: set[str]) -> None:
        for name in names & taken.keys():
            phase.cpu[name] += taken[name]

    async def _wire(self) -> dict[str, Any]:
        """What a turn asks of the database: while all matches are on, and over whole matches."""
        site = self.stand.site
        address = urlsplit(site.env["DATABASE_URL"])
        with Wire(address.hostname or "", address.port or 5432) as wire:
            through = f"{(address.netloc.rpartition('@')[0])}@127.0.0.1:{wire.port}"
            env = site.web.env
            site.web.terminate()
            site.web.env = {**env, "DATABASE_URL": address._replace(netloc=through).geturl()}
            site.web.start()
            try:
                measured = Measured()
                # New ones: what was on meanwhile is given back its time first.
                prepared = Prepared(site, self.arguments.game, self.count)
                pairs = prepared.pairs(self.count, measured)
                await open_all(pairs)
                wire.forget()
                playing = asyncio.create_task(play_all(pairs, measured))
                before_ends: dict[str, float] = {}
                while not playing.done():
                    await asyncio.sleep(0.02)
                    # A turn under way has asked for some of what it needs.
                    if measured.turns > self.count and not any(pair.is_over for pair in pairs):
                        before_ends = wire.per_turn(measured.turns)
                await playing
                whole = wire.per_turn(measured.turns)
                verbs = {
                    verb: round(count / measured.turns, 2)
                    for verb, count in wire.verbs.most_common()
                }
                await self._leave(pairs, [])
            finally:
                site.web.terminate()
                site.web.env = env
                site.web.start()
        return {"before_ends": before_ends, "with_ends": whole, "by_verb": verbs}


def of(taken: dict[str, float], names: set[str]) -> float:
    """What some of the processes have taken together."""
    return sum(spent for name, spent in taken.items() if name in names)


async def watch(stand: Stand, match: int) -> None:
    """Look at a match until it is cancelled."""
    socket, _ = await watching(stand.site, match)
    try:
        async for _ in socket:
            pass
    finally:
        await socket.close()


def snapshot_bytes(stand: Stand) -> int:
    """How large the snapshot of a match is, on average."""
    ((size,),) = stand.site.sql("SELECT avg(octet_length(snapshot))::int FROM games_match")
    return int(size)


def ratios(found: dict[str, Any]) -> dict[str, float]:
    """What carries over to another machine."""
    ours, ground = found["saturation"], found["floor"]
    whole, least = (row["cpu_ms"]["all"] + row["opening_ms_per_turn"] for row in (ours, ground))
    made = {
        "cpu_of_floor": ours["cpu_ms"]["all"] / ground["cpu_ms"]["all"],
        "cpu_of_floor_opening_included": whole / least,
        "turns_of_floor": ours["turns_per_s"] / ground["turns_per_s"],
    }
    for server, row in found["servers"].items():
        for name in ("web", "all"):
            made[f"cpu_{name}_by_{server}"] = row["cpu_ms"][name] / ours["cpu_ms"][name]
        made[f"turns_by_{server}"] = row["turns_per_s"] / ours["turns_per_s"]
    if "peer" in found:
        peer = found["peer"]
        made["turns_of_peer"] = ours["turns_per_s"] / peer["saturation"]["turns_per_s"]
        made["cpu_of_peer"] = ours["cpu_ms"]["all"] / peer["saturation"]["cpu_ms"]["all"]
        for pace, row in found["paced"].items():
            for share in ("p50", "p95", "p99"):
                made[f"{share}_of_peer_at_{pace}"] = (
                    row[f"{share}_ms"] / peer["paced"][pace][f"{share}_ms"]
                )
    return {name: round(value, 2) for name, value in made.items()}


def say(phase: str) -> None:
    """Tell whoever waits what goes on."""
    print(f"... {phase}", file=sys.stderr, flush=True)


def show(found: dict[str, Any], *, markdown: bool) -> None:
    """Print the tables."""
    print(
        f"{found['matches']} matches of {found['game']}, {found['spectators_per_match']} spectators"
        f" each; {', '.join(found['machine'].values())} (load)\n"
    )
    peer = found.get("peer", {"paced": {}})
    lines = {
        "floor: durable turn, no game": found["floor"],
        "a turn, as fast as players answer": found["saturation"],
        **{f"the same, by {server}": row for server, row in found["servers"].items()},
        "boardgame.io, the same": peer.get("saturation"),
        "a turn, at half of that": found["half_load"],
    }
    for pace, row in found["paced"].items():
        lines[f"a turn, at {pace} a second"] = row
        lines[f"boardgame.io, at {pace} a second"] = peer["paced"].get(pace)
    shown = {name: row for name, row in lines.items() if row is not None}
    waits = ("turns_per_s", "p50_ms", "p95_ms", "p99_ms")
    print_table(
        ["", "turns/s", "p50 ms", "p95 ms", "p99 ms"],
        [
            ["floor: echo (messages)", found["floor"]["echo_per_s"], None, None, None],
            *[[name, *[row[key] for key in waits]] for name, row in shown.items()],
        ],
        markdown=markdown,
    )
    names = (
        "all", "web", "server", "deadlines", "worker", "bots", "beat", *SERVICES, "generator",
    )  # fmt: skip
    print_table(
        ["ms of processor a turn", *names, "opening"],
        [
            [name, *map(row["cpu_ms"].get, names), row["opening_ms_per_turn"]]
            for name, row in shown.items()
        ],
        markdown=markdown,
    )
    print_table(
        ["processor of an idle site", *found["idle_ms_per_s"]],
        [["ms a second", *found["idle_ms_per_s"].values()]],
        markdown=markdown,
    )
    wire, rows = found["wire"], found["rows"]
    asked = ("statements", "begin_commit", "round_trips")
    print_table(
        ["a turn asks for", "statements", "BEGIN, COMMIT", "round trips", "Redis commands"],
        [
            ["while all are on", *[wire["before_ends"].get(key) for key in asked], None],
            [
                "ends of matches included",
                *[wire["with_ends"].get(key) for key in asked],
                found["saturation"]["redis"],
            ],
        ],
        markdown=markdown,
    )
    print_table(["rows of matches", *rows], [["in the end", *rows.values()]], markdown=markdown)
    print_table(["ratio", ""], found["ratios"].items(), markdown=markdown)


def paces(text: str) -> list[float]:
    """Turns a second, with commas between them."""
    return [float(each) for each in text.split(",") if each]


def servers(text: str) -> list[str]:
    """Servers of the site, with commas between them."""
    named = text.split(",")
    if not set(named) <= {"daphne", "uvicorn"} or len(set(named)) < len(named):
        raise argparse.ArgumentTypeError("daphne, uvicorn, or both with a comma between them")
    return named


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Bring everything up, measure, and take it down."""
    program = boardgame_io.peer_node() if arguments.peer else None
    with ExitStack() as stack:
        stand = stack.enter_context(running_site())
        ground = stack.enter_context(running_floor(stand, arguments.matches))
        peer = stack.enter_context(running_peer(stand, program)) if program else None
        try:
            return asyncio.run(Run(arguments, stand, ground, peer).measure())
        except BaseException:
            print(stand.site.logs()[-4000:], file=sys.stderr)
            raise


def main() -> None:
    """Print tables, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=2, help="of everything, by turns")
    parser.add_argument("--spectators", type=int, default=0, help="per match")
    parser.add_argument("--seconds", type=float, default=4.0, help="for the floor, altogether")
    parser.add_argument("--pace", type=paces, default=[100.0, 145.0], help="turns/s: 100,145")
    parser.add_argument("--game", choices=PLAYED, default=next(iter(PLAYED)), help="a ruleset")
    parser.add_argument("--server", type=servers, default=["daphne"], help="or daphne,uvicorn")
    parser.add_argument("--no-peer", dest="peer", action="store_false", help="no boardgame.io")
    add_forms(parser)
    arguments = parser.parse_args()
    found = run(arguments)
    print_found(found, show, arguments)


if __name__ == "__main__":
    main()
