"""What it takes until everybody is in, when hundreds of sockets are opened at the same time.

    python benchmarks/storm.py [--sockets 100 500 1000] [--players 0.25]

Starts its own PostgreSQL, Valkey, Daphne, worker and beat, opens all sockets at once, waits until
each has its `sync`, kills the web process (kill -9), starts it again and waits once more.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from processor import seconds_of
from stand import running_site

from tests.games.desk import Desk, Person
from tests.support.site import Site
from tests.support.storm import Storm, Visitor

PATIENCE = 150.0


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


async def measure(site: Site, sockets: int, share: float, people: list[Person]) -> None:
    """One row for the first coming and one for the return."""
    visitors = crowd(Desk(site), people, sockets, share)
    async with Storm(site.base_url, visitors) as storm:
        await row(site, storm, "at once")
        site.web.kill()
        storm.forget()
        site.web.start()
        await row(site, storm, "after kill -9")


async def row(site: Site, storm: Storm, what: str) -> None:
    """Wait, and print."""
    before = seconds_of(site.web.pid)
    storm.began = time.monotonic()
    with contextlib.suppress(AssertionError):
        await storm.everybody(PATIENCE)
    times = {
        plays: [v.arrived for v in storm.visitors if v.plays == plays and v.arrived is not None]
        for plays in (True, False)
    }
    every = sorted(times[True] + times[False])
    last = f"{every[-1]:.1f}" if len(every) == len(storm.visitors) else "never"
    players = f"{max(times[True], default=0):.1f}"
    spent = seconds_of(site.web.pid) - before
    print(
        f"{len(storm.visitors):>7} {what:14} {len(every):>5} {last:>7} {players:>11} {spent:>10.1f}"
        f" {len(storm.failures):>7}  {dict(Counter(storm.failures))}",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sockets", type=int, nargs="+", default=[100, 250, 500, 1000])
    parser.add_argument("--players", type=float, default=0.25, help="share of the sockets")
    arguments = parser.parse_args()
    with running_site() as stand:
        site = stand.site
        people = [Desk(site).person() for _ in range(9)]
        print("sockets what              in  all in  players in  processor  failed")
        for sockets in arguments.sockets:
            site.ensure_running()
            asyncio.run(measure(site, sockets, arguments.players, people))


if __name__ == "__main__":
    main()
