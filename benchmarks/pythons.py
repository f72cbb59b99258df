"""How fast the rules are under several Pythons: `engine.py` by turns under each.

    python benchmarks/pythons.py [--rounds 5] [--seconds 1] [--markdown] PYTHON PYTHON ...

Each is the Python of an environment in which the pinned packages are: `.venv/bin/python`, and
those below `.data/pythons` that `script/test --python` makes. Only those that were built alike tell
what a version makes of it: with or without profiles differs by as much. Medians over the rounds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median

from tables import machine, print_table

FOLDER = Path(__file__).resolve().parent


def playouts(python: str, seconds: float) -> dict[str, int]:
    """Playouts a second of processor time: of each ruleset step by step, and in batches."""
    printed = subprocess.run(
        [python, FOLDER / "engine.py", "--json", "--seconds", str(seconds)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    found = {}
    for game in json.loads(printed)["games"]:
        found[game["game"]] = game["playouts_per_s"]
        if "batched_playouts_per_s" in game:
            found[f"{game['game']}, in batches"] = game["batched_playouts_per_s"]
    return found


def version(python: str) -> str:
    """What it calls itself, and the compiler that made it."""
    code = "import platform as p; print(p.python_version(), p.python_compiler())"
    return subprocess.check_output([python, "-c", code], text=True).strip()


def main() -> None:
    """Print a table: playouts a second under the first, and what the others do of that."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("pythons", nargs="*", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    runs: list[list[dict[str, int]]] = [[] for _ in arguments.pythons]
    for _round in range(arguments.rounds):
        for python, taken in zip(arguments.pythons, runs, strict=True):
            taken.append(playouts(python, arguments.seconds))
    print(", ".join(f"{name}: {value}" for name, value in machine().items() if name != "python"))
    for python in arguments.pythons:
        print(f"{python}: {version(python)}")
    print()
    first, *others = [
        {name: median(run[name] for run in taken) for name in taken[0]} for taken in runs
    ]
    print_table(
        ["playouts/s", *arguments.pythons],
        [
            [name, round(rate), *[f"{other[name] / rate:.2f}" for other in others]]
            for name, rate in first.items()
        ],
        markdown=arguments.markdown,
    )


if __name__ == "__main__":
    main()
