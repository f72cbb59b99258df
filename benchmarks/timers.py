"""How late deadlines are enforced, while others play.

    python benchmarks/timers.py [--load quiet bots half killed] [--expiries 1000] [--seconds 60]
                                [--markdown | --json]

Starts its own PostgreSQL (durable commits), Valkey, Daphne, workers and beat. A thousand matches,
with a spectator each, run out of time within a minute, spread evenly; none of their players is
there. Meanwhile others play, over two sockets a match: `quiet`, at a pace that a site hardly feels
(`--pace`); `bots`, at the same pace, while the site's bots have more to think about than they can:
their queue is never empty, and their worker has all that it is given where the site is deployed;
`half`, at half of what the machine can beside as many deadlines, which is found out
first: by players who answer at once, for `--saturate` seconds; `killed`, at the pace of `quiet`,
but when a third of the time is over the worker of deadlines and beat are killed (kill -9) and stay
so: the longest is then for how long nobody enforced anything.

Late is what comes after the instant and the deliberate grace of `GAUNTLET_SETTLE_MS`. `enforced`
is when a worker took the match in hand, which stands in its entry; `told` is when the spectator had
it, by the same clock, which is what people see: the commit and the way to them are in it. `early`
counts what was enforced before the grace was over, which must be nothing. Reminders of time that
runs out are part of it, three to each match, as in any other.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import msgspec
from driving import Measured, Pace
from ours import PLAYED, OurPair, Prepared, watching
from stand import Stand, running_site
from tables import add_forms, machine, print_found, print_table
from websockets.asyncio.client import ClientConnection

from tests.games.desk import USUAL
from tests.support.hand import Hand
from tests.support.site import Site

# One seat after the other may pick: both are let run out at the same instant.
EXPIRING: Final = """
import json
from accounts.models import User
from core.clock import now_ms
from django.conf import settings
from games.services.matches import match_start
users = [User.objects.get_or_create(username=name)[0] for name in ("late-a", "late-b")]
begins = now_ms() + {lead} * 1000
made = []
for number in range({count}):
    due = begins + number * {seconds} * 1000 // {count}
    match = match_start(acting_user=None, players=tuple(users), ruleset_id={ruleset!r},
                        variant="standard", advantage=0,
                        options={{"pick_time": (due - now_ms()) // 100 / 10, "turn_time": 3600}})
    made.append((match.pk, match.deadline_at))
print(json.dumps({{"matches": made, "grace": settings.GAUNTLET_SETTLE_MS}}))
"""
# Practice of every game, in which something is asked of whoever practises: hints to be thought of.
HINTS: Final = """
import json
from accounts.services import guest_create
from games.rulesets import REGISTRY
from games.services.practice import practice_start
guest = guest_create()
made = []
for ruleset in REGISTRY:
    for variant in ruleset.variants:
        match = practice_start(acting_user=guest, ruleset_id=ruleset.id, variant=variant.id,
                               level="strong")
        made.append((match.pk, 1 if match.bot_seats == 1 else 0))
print(json.dumps(made))
"""
ASKED_FOR: Final = """
from core.queueing import enqueue
from games.jobs import ADVISE
for match, seat in {hints}:
    enqueue(ADVISE, match, seat)
"""
LOADS: Final = ("quiet", "bots", "half", "killed")
# As it is deployed: tests have bots think more briefly, and stand back less.
BOTS_DEPLOYED: Final = {"GAUNTLET_BOT_NICE": "15", "GAUNTLET_BOT_SECONDS": "1"}
# So many hints wait for a worker at least, and are asked for at a time.
HINTS_WAIT: Final = 40
HINTS_ASKED: Final = 120
KILLED: Final = ("deadlines", "beat")
AT_ONCE: Final = 50
# For so many deadlines, matches and sockets are ready after this long.
READY_S: Final = 30.0
# How many matches are made at a time, and for how long they have been played when it begins.
PREPARED_AT_ONCE: Final = 20
WARMING_S: Final = 15.0
# Seconds in which a site that is loaded to its half has told of the last deadline, or never will.
AFTERWARDS: Final = 30.0


class _Frame(msgspec.Struct):
    type: str


_DECODER = msgspec.json.Decoder(_Frame)


class Load(NamedTuple):
    """Deadlines, spread over so many seconds that begin ``lead`` seconds from now, and beside them
    matches at so many turns a second together (0: as fast as players can answer)."""

    expiries: int
    seconds: float
    lead: float
    matches: int
    turns_per_s: float

    @classmethod
    def of(cls, arguments: argparse.Namespace, matches: int, turns_per_s: float) -> Load:
        """All the deadlines that were asked for, beside these matches."""
        return cls(arguments.expiries, arguments.seconds, arguments.lead, matches, turns_per_s)

    def briefly(self, seconds: float) -> Load:
        """The same, for so long."""
        share = seconds / self.seconds
        return self._replace(
            expiries=round(self.expiries * share),
            seconds=seconds,
            lead=READY_S + (self.lead - READY_S) * share,
        )


@dataclass
class Expiring:
    """Matches, the instants (ms since 1970) at which they run out, the grace (ms), and when their
    spectators were told."""

    deadlines: dict[int, int]
    grace: int
    told: dict[int, int] = field(default_factory=dict)

    @property
    def first(self) -> float:
        """When the first of them runs out, in seconds since 1970."""
        return min(self.deadlines.values()) / 1000

    async def watch(self, match: int, socket: ClientConnection) -> None:
        """Wait until it has run out. What is told before that are reminders, and who is there."""
        async for message in socket:
            at = time.time_ns() // 1_000_000
            if _DECODER.decode(message).type == "step":
                self.told[match] = at
                return


class Playing:
    """So many matches at the same time, at so many turns a second together; where one ends, the
    next begins."""

    def __init__(self, site: Site, game: str, count: int, turns_per_s: float) -> None:
        self.site, self.game, self.count = site, game, count
        self.pace = Pace(turns_per_s, count)
        self.measured = Measured()
        self.pairs: list[OurPair] = []
        self.preparing = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def on(self) -> AsyncIterator[None]:
        """Play for as long as the block takes."""
        tables = [asyncio.create_task(self._play_on()) for _ in range(self.count)]
        try:
            yield
            for table in tables:
                if table.done():
                    table.result()
        finally:
            for table in tables:
                table.cancel()
            await asyncio.gather(*tables, return_exceptions=True)

    def begin_to_measure(self) -> Measured:
        """What is measured from now on."""
        self.measured.waits.clear()
        self.measured.refused = 0
        return self.measured

    async def _play_on(self) -> None:
        while True:
            pair = await self._next()
            try:
                await pair.open()
                pair.begin(self.pace)
                await pair.play()
            finally:
                await pair.close()

    async def _next(self) -> OurPair:
        # Few at a time: their clocks run from when they are made.
        async with self.preparing:
            if not self.pairs:
                few = await asyncio.to_thread(Prepared, self.site, self.game, PREPARED_AT_ONCE)
                self.pairs = few.pairs(PREPARED_AT_ONCE, self.measured)
            return self.pairs.pop()


class Thinking:
    """Bots that are asked for more than they can think of."""

    def __init__(self, stand: Stand) -> None:
        self.stand = stand
        self.queue = f"{stand.site.env['GAUNTLET_REDIS_PREFIX']}.celery.bots"
        self.hints: list[tuple[int, int]] = json.loads(
            stand.site.python(HINTS).strip().splitlines()[-1]
        )
        stand.drain()  # the bots have made their own first moves
        bots = stand.site.bots
        bots.env = bots.env | BOTS_DEPLOYED
        bots.restart()
        self.waiting: list[int] = []
        # One of its own: the site's prepares matches meanwhile.
        self.hand = Hand(stand.site.env)

    @contextlib.asynccontextmanager
    async def on(self) -> AsyncIterator[None]:
        """Have their queue full for as long as the block takes."""
        await asyncio.to_thread(self._ask)
        asking = asyncio.create_task(self._ask_on())
        try:
            yield
            if asking.done():
                asking.result()
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            self.stand.broker.delete(self.queue)
            self.hand.end()

    async def _ask_on(self) -> None:
        while True:
            self.waiting.append(self.stand.broker.llen(self.queue))
            if self.waiting[-1] < HINTS_WAIT:
                await asyncio.to_thread(self._ask)
            await asyncio.sleep(0.1)

    def _ask(self) -> None:
        some = (self.hints * HINTS_ASKED)[:HINTS_ASKED]
        self.hand.run(ASKED_FOR.format(hints=some))

    def row(self) -> dict[str, int]:
        """How many hints waited, at the least and at the most."""
        return {"hints_least": min(self.waiting), "hints_most": max(self.waiting)}


def begin(stand: Stand, load: Load) -> Expiring:
    """Start the matches that nobody will play."""
    code = EXPIRING.format(ruleset=USUAL, count=load.expiries, seconds=load.seconds, lead=load.lead)
    made = json.loads(stand.site.python(code).strip().splitlines()[-1])
    return Expiring(dict(made["matches"]), made["grace"])


async def measure(
    stand: Stand,
    game: str,
    load: Load,
    *,
    killed: bool = False,
    thinking: Thinking | None = None,
) -> dict[str, Any]:
    """One load: some play while others run out, at the mercy of the web processes if ``killed``,
    and beside bots that are ``thinking``."""
    expiring = begin(stand, load)
    sockets = []
    matches = list(expiring.deadlines)
    for start in range(0, len(matches), AT_ONCE):
        some = matches[start : start + AT_ONCE]
        sockets += [s for s, _ in await asyncio.gather(*[watching(stand.site, m) for m in some])]
    watchers = [
        asyncio.create_task(expiring.watch(match, socket))
        for match, socket in zip(matches, sockets, strict=True)
    ]
    left = expiring.first - time.time() - WARMING_S
    if left < 0:
        raise SystemExit(f"deadlines began {-left:.0f} s before all was ready: a longer --lead")
    await asyncio.sleep(left)
    playing = Playing(stand.site, game, load.matches, load.turns_per_s)
    async with playing.on(), contextlib.nullcontext() if thinking is None else thinking.on():
        await asyncio.sleep(expiring.first - time.time())
        meter, measured = stand.meter(), playing.begin_to_measure()
        await asyncio.sleep(load.seconds / 3)
        for process in stand.site.named(*KILLED) if killed else ():
            process.kill()
        await asyncio.sleep(load.seconds * 2 / 3)
        measured.elapsed, spent = load.seconds, {} if killed else meter.taken()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(AFTERWARDS):
            await asyncio.gather(*watchers)
    for watcher in watchers:
        watcher.cancel()
    await asyncio.gather(*watchers, return_exceptions=True)
    await asyncio.gather(*[s.close() for s in sockets])
    shares = {name: round(each / load.seconds, 3) for name, each in spent.items()}
    asked = {} if thinking is None else thinking.row()
    return {**found(stand, expiring), **played(measured), **asked, "cpu_share": shares}


def found(stand: Stand, expiring: Expiring) -> dict[str, Any]:
    """How late, in ms after the instant and the grace, and how many of them."""
    rows = stand.site.sql(
        "SELECT match_id, min(at) FILTER (WHERE timeout), bool_or(actor = 'service')"
        " FROM games_matchentry WHERE match_id = ANY(%s) GROUP BY match_id",
        list(expiring.deadlines),
    )
    # Whose clocks were given back after an outage had other instants than these.
    fair = {match: at for match, at, given_back in rows if at is not None and not given_back}
    due = {match: at + expiring.grace for match, at in expiring.deadlines.items()}
    enforced = [at - due[match] for match, at in fair.items()]
    told = [at - due[match] for match, at in expiring.told.items() if match in fair]
    return {
        "expiries": len(expiring.deadlines),
        "enforced": len(enforced),
        "told": len(told),
        "given_back": sum(bool(given_back) for _match, _at, given_back in rows),
        "early": sum(late <= 0 for late in enforced) + sum(late < 0 for late in told),
        "enforced_ms": shares(enforced),
        "told_ms": shares(told),
    }


def shares(late: Sequence[int]) -> dict[str, float]:
    """p50, p95, p99 and the longest."""
    ordered = sorted(late)
    if not ordered:
        return {}
    last = len(ordered) - 1
    picked = {f"p{n}": float(ordered[min(last, len(ordered) * n // 100)]) for n in (50, 95, 99)}
    return {**picked, "longest": float(ordered[last])}


def played(measured: Measured) -> dict[str, Any]:
    """How those who played meanwhile fared."""
    if not measured.waits:
        return {"turns": 0}
    return {"turns": measured.turns, "refused": measured.refused, **measured.row()}


def run(stand: Stand, arguments: argparse.Namespace) -> dict[str, Any]:
    """All loads, one after the other."""
    result: dict[str, Any] = {"machine": machine(), "game": arguments.game, "loads": {}}
    for name in arguments.load:
        load = Load.of(arguments, arguments.quiet_matches, arguments.pace)
        if name == "half":
            say("how much it can")
            most = Load.of(arguments, AT_ONCE, 0.0).briefly(arguments.saturate)
            result["most"] = asyncio.run(measure(stand, arguments.game, most))
            stand.drain()
            load = Load.of(arguments, arguments.matches, result["most"]["turns_per_s"] / 2)
        say(f"{name}: {load.turns_per_s:.0f} turns a second in {load.matches} matches")
        thinking = Thinking(stand) if name == "bots" else None
        row = asyncio.run(
            measure(stand, arguments.game, load, killed=name == "killed", thinking=thinking)
        )
        stand.site.ensure_running()
        result["loads"][name] = {"asked_per_s": round(load.turns_per_s, 1), **row}
        stand.drain()
    return result


def say(phase: str) -> None:
    """Tell whoever waits what goes on."""
    print(f"... {phase}", file=sys.stderr, flush=True)


def show(found: dict[str, Any], *, markdown: bool) -> None:
    """Print the tables."""
    print(f"{', '.join(found['machine'].values())} (load)\n")
    loads = found["loads"]
    counts = ("expiries", "enforced", "told", "given_back", "early")
    print_table(
        ["load", *[name.replace("_", " ") for name in counts]],
        [[load, *[row[name] for name in counts]] for load, row in loads.items()],
        markdown=markdown,
    )
    columns = ("p50", "p95", "p99", "longest")
    print_table(
        ["ms after the grace", *columns],
        [
            [f"{load}: {what}", *[row[f"{what}_ms"].get(name) for name in columns]]
            for load, row in loads.items()
            for what in ("enforced", "told")
        ],
        markdown=markdown,
    )
    waits: tuple[str, ...] = ("asked_per_s", "turns", "refused", "turns_per_s")
    waits += ("p50_ms", "p95_ms", "p99_ms")
    waits += ("hints_least", "hints_most") if "bots" in loads else ()
    print_table(
        ["turns meanwhile", *[name.replace("_", " ") for name in waits]],
        [[load, *[row.get(name) for name in waits]] for load, row in loads.items()],
        markdown=markdown,
    )
    processes = list(dict.fromkeys(name for row in loads.values() for name in row["cpu_share"]))
    print_table(
        ["share of a core", *processes],
        [
            [load, *[row["cpu_share"].get(name) for name in processes]]
            for load, row in loads.items()
        ],
        markdown=markdown,
    )


def main() -> None:
    """Print tables, or JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--load", choices=LOADS, nargs="+", default=list(LOADS))
    parser.add_argument("--expiries", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=60, help="within which they run out")
    parser.add_argument("--lead", type=int, default=90, help="seconds before the first of them")
    parser.add_argument("--pace", type=float, default=5.0, help="turns/s of a quiet site")
    parser.add_argument("--quiet-matches", type=int, default=20, help="that are played then")
    parser.add_argument("--matches", type=int, default=200, help="that are played at half load")
    parser.add_argument("--saturate", type=float, default=20.0, help="seconds to find out the most")
    parser.add_argument("--game", choices=PLAYED, default=next(iter(PLAYED)), help="a ruleset")
    add_forms(parser)
    arguments = parser.parse_args()
    with running_site() as stand:
        result = run(stand, arguments)
    print_found(result, show, arguments)


if __name__ == "__main__":
    main()
