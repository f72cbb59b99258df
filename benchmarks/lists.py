"""What lists cost that keep themselves up to date: 1,000 live matches, in a scratch database.

    python benchmarks/lists.py [--matches 1000] [--runs 3] [--against CHECKOUT] [--json]

Starts its own PostgreSQL and Valkey, inserts rows, and prints for home, lobby and watch what the
part costs that scripts ask for: made anew, kept, and where the reader has it. All of it is the
processor time of the web process in ms, from the request to the whole response, middleware
included, without a network and without what PostgreSQL spends. ``--against`` measures another
checkout (of an earlier commit, for one) by turns with this one, on the same rows.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from script.lib.scratch import Scratch
from script.lib.services import Postgres, Services
from script.lib.statics import Statics

APP = ROOT / "benchmarks" / "lists_app.py"


def main() -> None:
    """Start what is needed, measure, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--matches", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--against", type=Path, help="another checkout of the project")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    checkouts = [ROOT] if arguments.against is None else [arguments.against.resolve(), ROOT]
    with Scratch() as folder:
        services = Services(folder, Path(sys.executable))
        services.prepare()
        services.start()
        statics = Statics()
        env = {**os.environ, **services.addresses(), **statics.environment()}
        env["GAUNTLET_RELEASE"] = "benchmark"
        try:
            settings = {"DJANGO_SETTINGS_MODULE": "config.settings.test"}
            statics.collect(Path(sys.executable), env | settings)
            command = [sys.executable, str(APP), str(arguments.matches)]
            subprocess.run([*command, "--fill"], env=env, cwd=ROOT, check=True)
            runs: list[list[dict[str, Any]]] = [[] for _ in checkouts]
            for _ in range(arguments.runs):
                for checkout, found in zip(checkouts, runs, strict=True):
                    told = subprocess.run(
                        command,
                        env=env | {"GAUNTLET_BENCHMARK_OF": str(checkout)},
                        cwd=checkout,
                        stdout=subprocess.PIPE,
                        check=True,
                    ).stdout
                    found.append(json.loads(told))
        finally:
            services.stop()
            if services.postgres is not None:
                Postgres.remove_below(services.postgres.folder)
    tables = {str(c): middle(found) for c, found in zip(checkouts, runs, strict=True)}
    if arguments.json:
        print(json.dumps(tables, indent=2))
        return
    for checkout, table in tables.items():
        print(f"{checkout}\n{'':<20}", *(f"{name:>12}" for name in next(iter(table.values()))))
        for name, row in table.items():
            print(f"{name:<20}", *(f"{value:>12}" for value in row.values()))


def middle(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Of each figure the median of the runs."""
    return {
        name: {what: statistics.median(run[name][what] for run in runs) for what in row}
        for name, row in runs[0].items()
    }


if __name__ == "__main__":
    main()
