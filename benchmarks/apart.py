"""What a turn costs with two web processes, by where those who are to be told of it are connected.

    python benchmarks/apart.py [--matches 50] [--rounds 3] [--pace 100] [--markdown | --json]

Starts its own PostgreSQL (durable commits), Valkey, two web processes, workers and beat, and plays
over two sockets a match, as fast as players answer and at a pace:

- `one`: everybody is connected to the first web process.
- `each`: half of the matches are on either, as a proxy distributes them that goes by the match.
- `apart`: the players of each match are on different ones, as with a proxy that does not: every
  turn takes the way through Valkey, and the next is made by a process that did not make the last.

All of it runs on one machine with the players, so that a second web process brings nothing where
there are two cores: what carries over to more is the processor time that a turn takes of each part.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from statistics import median
from typing import Any, Final

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from driving import Measured, open_all, play_all
from ours import PLAYED, OurPair, Prepared
from stand import Stand, running_site
from tables import add_forms, machine, print_found, print_table

from tests.support.site import AnotherWeb

WHERE: Final = ("one", "each", "apart")
FAST: Final = "as fast as players answer"


def place(pairs: list[OurPair], where: str, stand: Stand, other: AnotherWeb) -> None:
    """Say to which web process each player connects."""
    for number, pair in enumerate(pairs):
        if where == "each" and number % 2:
            pair.sites = (other, other)
        elif where == "apart":
            pair.sites = (stand.site, other) if number % 2 else (other, stand.site)


async def measure(
    stand: Stand, other: AnotherWeb, arguments: argparse.Namespace, where: str, pace: float
) -> dict[str, Any]:
    """All matches, from open sockets to the last that the workers do about them."""
    measured = Measured()
    prepared = Prepared(stand.site, arguments.game, arguments.matches)
    stand.drain()
    pairs = prepared.pairs(arguments.matches, measured)
    place(pairs, where, stand, other)
    await open_all(pairs)
    meter = stand.meter(**{"web, another": other.web.pid})
    commands = stand.commands()
    await play_all(pairs, measured, pace)
    await asyncio.to_thread(stand.drain)
    spent, asked = meter.taken(), stand.commands() - commands
    await asyncio.gather(*[pair.close() for pair in pairs])
    return {
        **measured.row(),
        "refused": measured.refused,
        "cpu_ms": {name: 1000 * each / measured.turns for name, each in spent.items()},
        "commands": sum(asked.values()) / measured.turns,
    }


def middle(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The median of each figure."""
    return {
        name: {part: median(row[name][part] for row in rows) for part in first}
        if isinstance(first, dict)
        else median(row[name] for row in rows)
        for name, first in rows[0].items()
    }


def run(stand: Stand, arguments: argparse.Namespace) -> dict[str, Any]:
    """Everything, by turns."""
    other = AnotherWeb(stand.site)
    other.web.start()
    paces = {FAST: 0.0, f"at {arguments.pace:g} a second": arguments.pace}
    rows: dict[str, list[dict[str, Any]]] = {}
    for number in range(arguments.rounds):
        for how, pace in paces.items():
            for where in WHERE:
                print(f"... {where}, {how}, round {number + 1}", file=sys.stderr, flush=True)
                row = asyncio.run(measure(stand, other, arguments, where, pace))
                rows.setdefault(f"{where}, {how}", []).append(row)
    return {"machine": machine(), "rows": {name: middle(each) for name, each in rows.items()}}


def show(found: dict[str, Any], *, markdown: bool) -> None:
    """Print the tables."""
    print(f"{', '.join(found['machine'].values())} (load)\n")
    rows = found["rows"]
    waits = ("turns_per_s", "p50_ms", "p95_ms", "p99_ms", "commands")
    print_table(
        ["", *[name.replace("_", " ") for name in waits]],
        [[name, *[row[each] for each in waits]] for name, row in rows.items()],
        markdown=markdown,
    )
    parts = list(next(iter(rows.values()))["cpu_ms"])
    print_table(
        ["ms of processor a turn", "all", *parts],
        [
            [name, sum(row["cpu_ms"].values()), *[row["cpu_ms"][each] for each in parts]]
            for name, row in rows.items()
        ],
        markdown=markdown,
    )


def main() -> None:
    """Print tables, or JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3, help="of everything, by turns")
    parser.add_argument("--pace", type=float, default=100.0, help="turns/s")
    parser.add_argument("--game", choices=PLAYED, default=next(iter(PLAYED)), help="a ruleset")
    add_forms(parser)
    arguments = parser.parse_args()
    with running_site() as stand:
        found = run(stand, arguments)
    print_found(found, show, arguments)


if __name__ == "__main__":
    main()
