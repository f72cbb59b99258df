"""What a turn costs the thread that it runs in, and its process of the database.

    python benchmarks/turn.py [--json] [--turns 300] [--rounds 5] [--matches 10] [--game ID ...]

Plays matches at random, with durable commits, through the service that sockets call, by turns under
the row's lock and by what the process remembers of a match; choosing the moves is another thread's
and counts for nothing. Processor time alone, from the kernel's own account: what else the machine
does moves it less than what the clock shows.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from script.lib.scratch import Scratch
from script.lib.services import Services

SETTINGS = {"DJANGO_SETTINGS_MODULE": "config.settings.test"}


def main() -> None:
    """Start what is needed, play, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--matches", type=int, default=10)
    parser.add_argument("--game", action="append", default=[])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args()
    with Scratch() as folder:
        services = Services(folder, Path(sys.executable), durable=True)
        services.prepare()
        services.start()
        try:
            app = ROOT / "benchmarks" / "turn_app.py"
            numbers = [str(asked.turns), str(asked.rounds), str(asked.matches)]
            done = subprocess.run(
                [sys.executable, str(app), *numbers, *asked.game],
                env=os.environ | services.addresses() | SETTINGS,
                stdout=subprocess.PIPE,
                check=True,
            )
        finally:
            services.stop()
    found = json.loads(done.stdout)
    if asked.json:
        print(json.dumps(found))
        return
    print(f"{'µs of a processor a turn':26} {'thread: locked, at once':>28} {'database':>24}")
    for game, (thread, database) in found["games"].items():
        print(f"{game:26} {told(*thread):>28} {told(*database):>24}")
    updates, hot, dead = found["updates"]
    print(f"{updates} updates of matches, {hot / updates:.1%} heap-only; {dead} dead rows")


def told(locked: float, at_once: float) -> str:
    """Two figures and their ratio."""
    return f"{locked:.0f} {at_once:.0f} ({at_once / locked:.2f})"


if __name__ == "__main__":
    main()
