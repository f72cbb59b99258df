"""What ratings and leaderboards cost: 100,000 results of 5,000 players, in a scratch database.

    python benchmarks/leaderboard.py [--results 100000] [--players 5000] [--json]

Starts its own PostgreSQL and Valkey, inserts the results as bare rows, and prints what it takes to
compute every ladder from nothing, to take in one more result, to look for results that were
missed, to void an old one, and to answer for pages and the API: cold (nothing cached), cached, and
to a caller who has the answer already. Answers are measured within the process, from the request
to the whole response, middleware included, without a network.
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
from script.lib.services import Postgres, Services
from script.lib.statics import Statics


def main() -> None:
    """Start what is needed, measure, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--results", type=int, default=100_000)
    parser.add_argument("--players", type=int, default=5_000)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    with Scratch() as folder:
        services = Services(folder, Path(sys.executable))
        services.prepare()
        services.start()
        statics = Statics()
        env = {**os.environ, **services.addresses(), **statics.environment()}
        try:
            settings = {"DJANGO_SETTINGS_MODULE": "config.settings.test"}
            statics.collect(Path(sys.executable), env | settings)
            measured = json.loads(
                subprocess.run(
                    [
                        sys.executable,
                        ROOT / "benchmarks" / "leaderboard_app.py",
                        str(arguments.results),
                        str(arguments.players),
                    ],
                    env=env,
                    cwd=ROOT,
                    stdout=subprocess.PIPE,
                    check=True,
                ).stdout
            )
        finally:
            services.stop()
            if services.postgres is not None:
                Postgres.remove_below(services.postgres.folder)
    if arguments.json:
        print(json.dumps(measured, indent=2))
        return
    for name, value in measured.items():
        print(f"{name:<50} {value}")


if __name__ == "__main__":
    main()
