"""What it takes until everybody is in, when hundreds of sockets are opened at the same time.

    python benchmarks/storm.py [--sockets 100 500 1000] [--players 0.25] [--matches 10] [--turns 20]

Starts its own PostgreSQL, Valkey, Daphne, worker and beat, opens all sockets at once, waits until
each has its `sync`, has all connections break and waits until all are back, kills the web process
(kill -9), starts it again and waits once more. While the sockets whose connections broke come back,
others that stayed connected play: how long each of their turns takes to the opponent.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import multiprocessing
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple, cast

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from driving import Measured, open_all, percentiles, play_all
from ours import PLAYED, OurPair, Prepared
from processor import seconds_of
from stand import running_site

from tests.games.desk import Desk, Person
from tests.support.site import Site
from tests.support.storm import Storm, Visitor

PATIENCE = 150.0
SETTLE_S = 2.0
GAME = next(iter(PLAYED))


def crowd(desk: Desk, people: list[Person], sockets: int, share: float) -> list[Visitor]:
    """Spectators first, then the players, so that whoever is first did not merely come first."""
    players = int(sockets * share) // 2 * 2
    matches = [
        desk.match(people[n % 4], people[4 + n % 4], pick_time=600)
        for n in range(max(1, players // 2))
    ]
    watching = [
        Visitor(
            f"/ws/v1/matches/{matches[n % max(1, len(matches) // 4)]}/",
            cookie=people[8].cookie if n % 3 == 0 else None,
        )
        for n in range(sockets - players)
    ]
    playing = [
        Visitor(f"/ws/v1/matches/{match}/", cookie=people[n % 4 + 4 * seat].cookie, plays=True)
        for n, match in enumerate(matches)
        for seat in (0, 1)
    ]
    return watching + playing[:players]


async def measure(
    site: Site, sockets: int, share: float, people: list[Person], playing: Playing
) -> None:
    """One row for the first coming and one for each return."""
    visitors = crowd(Desk(site), people, sockets, share)
    async with Storm(site.base_url, visitors) as storm:
        await row(site, storm, "at once")
        async with playing.on(site) as stop:
            storm.drop()
            await row(site, storm, "all dropped", stop)
        site.web.kill()
        storm.forget()
        site.web.launch()
        # They come meanwhile, too.
        await asyncio.to_thread(site.web.wait_until_ready)
        await row(site, storm, "after kill -9", before=0.0)


class Playing(NamedTuple):
    """So many matches that are played by others meanwhile, at so many turns a second together: in
    a process of their own, which has nothing to do with the crowd."""

    matches: int
    turns_per_s: float

    @contextlib.asynccontextmanager
    async def on(self, site: Site) -> AsyncIterator[Callable[[], list[float]]]:
        """Play as long as the block takes; gives what says how long each turn took since it began
        (s), once it is over."""
        if not self.matches:
            yield list
            return
        # Those that end make room for as many more.
        prepared = Prepared(site, GAME, 3 * self.matches)
        given = _Given(
            site.base_url, site.ws_url, prepared.cookies, prepared.matches, self.turns_per_s
        )
        spawning = multiprocessing.get_context("spawn")
        ours, theirs = spawning.Pipe()
        process = spawning.Process(target=_play, args=(theirs, given), daemon=True)
        process.start()
        ours.recv()  # they play

        def stop() -> list[float]:
            ours.send("stop")
            waits: list[float] = ours.recv()
            return waits

        try:
            yield stop
        finally:
            process.kill()
            process.join()


class _Given(NamedTuple):
    """What the process that plays is told: where, as whom, in which matches, and how fast."""

    base_url: str
    ws_url: str
    cookies: list[str]
    matches: list[int]
    turns_per_s: float


def _play(pipe: Connection, given: _Given) -> None:
    """Play until told to stop; then say how long turns took (s) since it was said that they are
    played."""
    asyncio.run(_played(pipe, given))


async def _played(pipe: Connection, given: _Given) -> None:
    measured = Measured()
    # The addresses are all that whoever plays asks of a site.
    pairs = [
        OurPair(cast("Site", given), match, given.cookies, PLAYED[GAME], measured)
        for match in given.matches
    ]
    await open_all(pairs)
    playing = asyncio.create_task(play_all(pairs, measured, given.turns_per_s))
    await asyncio.sleep(SETTLE_S)
    measured.waits.clear()
    pipe.send("on")
    await asyncio.to_thread(pipe.recv)
    pipe.send(measured.waits)
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)


async def row(
    site: Site,
    storm: Storm,
    what: str,
    stop: Callable[[], list[float]] = list,
    before: float | None = None,
) -> None:
    """Wait, and print. ``before``: what the web process had taken of the processor until then."""
    before = seconds_of(site.web.pid) if before is None else before
    with contextlib.suppress(AssertionError):
        await storm.everybody(PATIENCE)
    waits = sorted(stop())
    times = {
        plays: [v.arrived for v in storm.visitors if v.plays == plays and v.arrived is not None]
        for plays in (True, False)
    }
    every = sorted(times[True] + times[False])
    last = f"{every[-1]:.1f}" if len(every) == len(storm.visitors) else "never"
    half = f"{every[len(every) // 2]:.1f}" if every else "never"
    players = f"{max(times[True], default=0):.1f}"
    slow = f"{percentiles(waits)['p95_ms']:.0f}" if waits else "-"
    slowest = f"{waits[-1] * 1000:.0f}" if waits else "-"
    spent = seconds_of(site.web.pid) - before
    print(
        f"{len(storm.visitors):>7} {what:14} {len(every):>5} {half:>8} {last:>7} {players:>11}"
        f" {len(waits):>6} {slow:>7} {slowest:>7} {spent:>10.1f} {len(storm.failures):>7}"
        f"  {dict(Counter(storm.failures))}",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sockets", type=int, nargs="+", default=[100, 250, 500, 1000])
    parser.add_argument("--players", type=float, default=0.25, help="share of the sockets")
    parser.add_argument("--matches", type=int, default=10, help="played by those who stay")
    parser.add_argument("--turns", type=float, default=20, help="a second, of all of these")
    arguments = parser.parse_args()
    playing = Playing(arguments.matches, arguments.turns)
    with running_site() as stand:
        site = stand.site
        people = [Desk(site).person() for _ in range(9)]
        print("seconds; of turns of those who stayed, milliseconds")
        print(
            "sockets what              in  half in  all in  players in  turns     p95     max"
            "  processor  failed"
        )
        for sockets in arguments.sockets:
            site.ensure_running()
            asyncio.run(measure(site, sockets, arguments.players, people, playing))


if __name__ == "__main__":
    main()
