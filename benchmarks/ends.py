"""What the end of a match costs: the turn that ends it, and ratings where many end at once.

    python benchmarks/ends.py [--ends 200] [--threads 14] [--rounds 3] [--against TREE]

Starts its own PostgreSQL, with durable commits, and Valkey. ``--against`` names another checkout
(`git worktree add`): both are measured in turns, each on a database of its own, and shown side by
side, since only ratios within one run mean anything. Figures are medians over the rounds.
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

import psycopg

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from script.lib.scratch import Scratch
from script.lib.services import Postgres, Services


def main() -> None:
    """Start what is needed, measure in turns, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--ends", type=int, default=200)
    parser.add_argument("--threads", type=int, default=14)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--against", type=Path)
    arguments = parser.parse_args()
    trees = {"here": ROOT}
    if arguments.against is not None:
        trees = {"there": arguments.against.resolve(), "here": ROOT}
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in trees}
    with Scratch() as folder:
        services = Services(folder, Path(sys.executable), durable=True)
        services.prepare()
        services.start()
        try:
            addresses = services.addresses()
            for name in trees:
                with psycopg.connect(addresses["DATABASE_URL"], autocommit=True) as server:
                    server.execute(f"CREATE DATABASE {name}")
            for _ in range(arguments.rounds):
                for name, tree in trees.items():
                    found[name].append(measured(name, tree, addresses, arguments))
        finally:
            services.stop()
            if services.postgres is not None:
                Postgres.remove_below(services.postgres.folder)
    print(f"{'':<52}{''.join(f'{name:>10}' for name in trees)}")
    for what in found["here"][0]:
        middle = [statistics.median(each[what] for each in found[name]) for name in trees]
        print(f"{what:<52}{''.join(f'{value:>10g}' for value in middle)}")


def measured(
    name: str, tree: Path, addresses: dict[str, str], arguments: argparse.Namespace
) -> dict[str, Any]:
    """One round with the code of a tree."""
    server, _, _ = addresses["DATABASE_URL"].partition("?")
    query = addresses["DATABASE_URL"].removeprefix(server)
    env = {
        **os.environ,
        **addresses,
        "DATABASE_URL": f"{server.rpartition('/')[0]}/{name}{query}",
        "GAUNTLET_REDIS_PREFIX": name,
    }
    app = ROOT / "benchmarks" / "ends_app.py"
    done = subprocess.run(
        [sys.executable, app, tree, str(arguments.ends), str(arguments.threads)],
        env=env,
        cwd=tree,
        stdout=subprocess.PIPE,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


if __name__ == "__main__":
    main()
