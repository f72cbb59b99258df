"""What the chain over the audit log costs those who write entries, and those who look it over.

    python benchmarks/audit.py [--writers 8] [--seconds 5] [--entries 50000] [--json]

Starts its own PostgreSQL (durable commits). Writers, each with a connection, write an entry and
commit, one after the other: with nobody sealing (`alone`); while a worker seals every fifth of a
second, as the site does it more seldom (`sealed after`); and each sealing its own entry in its
transaction, with the lock that the chain's one end needs taken last (`sealed within`), which the
site does not do. Then as many entries as are asked for are sealed, and the chain is looked over.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from script.lib.services import Postgres


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="What the chain over the audit log costs.")
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--entries", type=int, default=50_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        postgres = Postgres(Path(folder) / "postgres", Path(sys.executable))
        postgres.start()
        try:
            numbers = (options.writers, options.seconds, options.entries)
            done = subprocess.run(
                [sys.executable, ROOT / "benchmarks" / "audit_app.py", *map(str, numbers)],
                env={**os.environ, "DATABASE_URL": postgres.url},
                stdout=subprocess.PIPE,
                check=True,
            )
        finally:
            postgres.stop()
            Postgres.remove_below(postgres.folder)
    if options.json:
        print(done.stdout.decode().strip())
        return
    for name, values in json.loads(done.stdout).items():
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in values.items()))


if __name__ == "__main__":
    main()
