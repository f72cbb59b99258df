"""What turns of others take while one address does its worst.

    python benchmarks/hostile.py [--idle 2000] [--flooding 20] [--asking 50] [--slow 500]
                                 [--deaf 50] [--matches 10] [--seconds 30]

Starts its own PostgreSQL, Valkey, worker and beat, and a web process that tells addresses apart as
behind a proxy, with the limits as they are set by default but for that of sockets, so that all the
idle ones are let in. Matches are played all the time; each kind comes by itself, then all at once.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from driving import percentiles
from stand import running_site

from tests.support.hostile import Hostile, Numbers
from tests.support.ledger import Crowd
from tests.support.site import AnotherWeb

SETTLE_S = 5.0
# On a machine that others want as well three turns of every match may take a while.
PATIENCE_S = 300.0


async def row(what: str, web: AnotherWeb, crowd: Crowd, numbers: Numbers, seconds: float) -> None:
    """Have them at it, and print what turns took meanwhile."""
    hostile = Hostile(web.base_url, crowd.players[0].match)
    async with hostile.at_it(numbers):
        async with asyncio.timeout(300):
            while hostile.told["idle: in"] < numbers.idle:  # noqa: ASYNC110
                await asyncio.sleep(0.2)
        await asyncio.sleep(SETTLE_S)
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            await asyncio.to_thread(crowd.goes_on, turns=3, timeout=PATIENCE_S)
        until = time.monotonic()
    took = [w.acked for w in crowd.ledger.waits if w.acked is not None and began < w.at < until]
    if not took:
        print(f"| {what} | 0 | | | | nothing was acknowledged |", flush=True)
        return
    found = percentiles(sorted(took))
    told = ", ".join(f"{kind} {number:,}" for kind, number in sorted(hostile.told.items()))
    print(
        f"| {what} | {len(took)} | {found['p50_ms']:.1f} | {found['p95_ms']:.1f} "
        f"| {max(took, default=0) * 1000:.0f} | {told} |",
        flush=True,
    )


async def measure(web: AnotherWeb, crowd: Crowd, numbers: Numbers, seconds: float) -> None:
    """Nobody, each kind, and all of them."""
    print("| | turns | p50 | p95 | longest | what they were told |\n|---|---:|---:|---:|---:|---|")
    await row("as usual", web, crowd, Numbers(), seconds)
    for kind, number in numbers._asdict().items():
        await row(f"{number:,} {kind}", web, crowd, Numbers(**{kind: number}), seconds)
    await row("all at once", web, crowd, numbers, seconds)


def main() -> None:
    """Print the table: milliseconds from a player's send to the acknowledgement."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    usual = Numbers(idle=2000, flooding=20, asking=50, slow=500, deaf=50)
    for kind, number in usual._asdict().items():
        parser.add_argument(f"--{kind}", type=int, default=number)
    parser.add_argument("--matches", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=30.0)
    options = parser.parse_args()
    numbers = Numbers(*(getattr(options, kind) for kind in Numbers._fields))
    with running_site() as stand:
        web = AnotherWeb(
            stand.site,
            environment={"GAUNTLET_PROXIES": "1", "GAUNTLET_SOCKETS_PER_ADDRESS": "5000"},
        )
        web.web.start()
        try:
            with Crowd(stand.site, webs=[web]) as crowd:
                crowd.begin(played=options.matches)
                crowd.goes_on(turns=3)
                asyncio.run(measure(web, crowd, numbers, options.seconds))
                wrong = crowd.end()
        finally:
            web.stop()
    print(wrong or "what everybody was told is what is stored")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
