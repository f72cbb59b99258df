"""What pictures of boards cost the web process: a page with 20 live matches, in a scratch database.

    python benchmarks/pictures.py [--runs 3] [--against CHECKOUT] [--markdown]

Starts its own PostgreSQL and Valkey and a worker, plays some moves of matches of all games, and
prints for each kind of picture what 20 of them cost together: drawn anew, kept, and where the
reader has them.
All of it is the processor time of the web process in ms, middleware included, without a network,
without what PostgreSQL spends, and but for the last column without the worker's. ``--against``
measures another checkout (of an earlier commit, for one) by turns with this one, on the same rows.
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

from tables import machine, print_table

from script.lib.scratch import Scratch
from script.lib.server import worker_command
from script.lib.services import Postgres, Services
from script.lib.statics import Statics

APP = ROOT / "benchmarks" / "pictures_app.py"


def main() -> None:
    """Start what is needed, measure, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--against", type=Path, help="another checkout of the project")
    parser.add_argument("--markdown", action="store_true", help="print tables for a document")
    arguments = parser.parse_args()
    checkouts = {"after": ROOT}
    if arguments.against is not None:
        checkouts = {"before": arguments.against.resolve(), **checkouts}
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in checkouts}
    with Scratch() as folder:
        services = Services(folder, Path(sys.executable))
        services.prepare()
        services.start()
        statics = Statics()
        env = {**os.environ, **services.addresses(), **statics.environment()}
        env |= {"DJANGO_SETTINGS_MODULE": "config.settings.test", "GAUNTLET_LOG_LEVEL": "WARNING"}
        # A worker that names no release draws for all.
        env.pop("GAUNTLET_RELEASE", None)
        command = [sys.executable, str(APP)]
        try:
            statics.collect(Path(sys.executable), env)
            subprocess.run([*command, "--fill"], env=env, cwd=ROOT, check=True)
            with subprocess.Popen(
                worker_command(Path(sys.executable)), env=env, cwd=ROOT
            ) as worker:
                try:
                    for _ in range(arguments.runs):
                        for name, checkout in checkouts.items():
                            env["GAUNTLET_BENCHMARK_OF"] = str(checkout)
                            told = subprocess.run(
                                [*command, str(worker.pid)],
                                env=env,
                                cwd=checkout,
                                stdout=subprocess.PIPE,
                                check=True,
                            ).stdout
                            runs[name].append(json.loads(told))
                finally:
                    worker.terminate()
        finally:
            services.stop()
            if services.postgres is not None:
                Postgres.remove_below(services.postgres.folder)
    head = ["20 pictures, ms", "web, drawn anew", "kept", "reader has it", "worker, drawn anew"]
    rows = [
        [f"{kind}, {name}", *(statistics.median(values) for values in zip(*found, strict=True))]
        for kind in runs["after"][0]
        for name, each in runs.items()
        for found in [[run[kind] for run in each]]
    ]
    print_table(head, rows, markdown=arguments.markdown)
    print(", ".join(f"{key}: {value}" for key, value in machine().items()))


if __name__ == "__main__":
    main()
