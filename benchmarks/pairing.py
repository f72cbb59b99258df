"""How fast pairing and standings are, with whole random tournaments.

    python benchmarks/pairing.py [--json] [--repeats 5] [--seed 1] [--large 1000]

Every line is timed call by call over `--repeats` tournaments (the large ones once); results are
drawn at random, the better seed winning three times in four. One process, one core.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tournaments.pairing.field import How, Pairing, Player, Result
from tournaments.pairing.round_robin import timetable
from tournaments.pairing.single_elimination import bracket_of, progress
from tournaments.pairing.swiss import pair_round
from tournaments.standings.metrics import DEFAULTS
from tournaments.standings.table import standings

T = TypeVar("T")


def timed(spent: list[float], call: Callable[[], T]) -> T:
    """What the call gives; its milliseconds are added to ``spent``."""
    started = time.perf_counter()
    answer = call()
    spent.append((time.perf_counter() - started) * 1000)
    return answer


def decided(pairing: Pairing, source: random.Random) -> Result:
    """A random result; a bye is a point."""
    if pairing.away is None:
        return Result(pairing.round, pairing.home, None, pairing.home, how=How.BYE)
    better, worse = sorted((pairing.home, pairing.away))
    winner = better if source.random() < 0.75 else worse
    return Result(pairing.round, pairing.home, pairing.away, winner)


def field(size: int) -> list[Player]:
    """Players whose ids are their seeds."""
    return [Player(number, number) for number in range(1, size + 1)]


def swiss(size: int, rounds: int, source: random.Random) -> tuple[list[float], list[Result]]:
    """Milliseconds of each round of one tournament, and its results."""
    spent: list[float] = []
    results: list[Result] = []
    for number in range(1, rounds + 1):
        paired = timed(spent, lambda: pair_round(field(size), results, number=number))  # noqa: B023
        results += [decided(pairing, source) for pairing in paired.pairings]
    return spent, results


def bracket(size: int, source: random.Random) -> list[float]:
    """Milliseconds of each derivation of a bracket as it is played match by match."""
    spent: list[float] = []
    results: list[Result] = []
    made = bracket_of(field(size), third_place=True)
    now = timed(spent, lambda: progress(made, results))
    while ready := now.ready():
        match = ready[0]
        if match.home is None or match.away is None:
            raise AssertionError("a match without sides is ready")
        winner = source.choice((match.home, match.away))
        results.append(
            Result(match.match.round, match.home, match.away, winner, match=match.match.id)
        )
        now = timed(spent, lambda: progress(made, results))
    return spent


def line(name: str, spent: list[float]) -> dict[str, Any]:
    """One line of the table."""
    ordered = sorted(spent)
    return {
        "what": name,
        "calls": len(ordered),
        "median_ms": round(statistics.median(ordered), 2),
        "p95_ms": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 2),
        "worst_ms": round(ordered[-1], 2),
    }


def measure(repeats: int, seed: int, large: int) -> list[dict[str, Any]]:
    """All lines."""
    source = random.Random(seed)
    small = [ms for _ in range(repeats) for ms in swiss(64, 9, source)[0]]
    odd = [ms for _ in range(repeats) for ms in swiss(63, 9, source)[0]]
    big, results = swiss(large, 9, source)
    robin: list[float] = []
    tables: list[float] = []
    players = [player.id for player in field(large)]
    for _ in range(repeats):
        timed(robin, lambda: timetable(field(64)))
        timed(tables, lambda: standings(players, results, DEFAULTS["swiss"]))
    return [
        line("Swiss, 64 players, a round of 9", small),
        line("Swiss, 63 players, a round of 9", odd),
        line(f"Swiss, {large} players, a round of 9", big),
        line("round robin, 64 players, the timetable", robin),
        line("bracket, 64 players, derived from results", bracket(64, source)),
        line(f"standings, {large} players, 9 rounds", tables),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--large", type=int, default=1000)
    given = parser.parse_args()
    lines = measure(given.repeats, given.seed, given.large)
    if given.json:
        print(json.dumps(lines, indent=2))
        return
    print(f"{'':44}{'calls':>7}{'median':>11}{'p95':>11}{'worst':>11}")
    for each in lines:
        figures = "".join(f"{each[key]:>8} ms" for key in ("median_ms", "p95_ms", "worst_ms"))
        print(f"{each['what']:44}{each['calls']:>7}{figures}")


if __name__ == "__main__":
    main()
