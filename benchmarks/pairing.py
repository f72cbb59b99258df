"""How fast pairing and standings are, with whole random tournaments.

    python benchmarks/pairing.py [--json] [--repeats 5] [--seed 1] [--large 1000]

Every line is timed call by call over `--repeats` tournaments (the large ones once); results are
drawn at random, the better seed winning three times in four. One process, one core. `cpu` is the
process's own time, which other work on the machine moves less than what the clock shows.
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

from tournaments.formats.field import Pairing, Player, Result, ResultBasis
from tournaments.formats.round_robin.rules import timetable
from tournaments.formats.single_elimination.rules import bracket_of, progress
from tournaments.formats.swiss.format import SwissCourse
from tournaments.formats.swiss.rules import pair_round
from tournaments.standings.table import standings

T = TypeVar("T")


#: Milliseconds of a call: on the clock, and of the processor.
Spent = tuple[float, float]


def timed(spent: list[Spent], call: Callable[[], T]) -> T:
    """What the call gives; what it took is added to ``spent``."""
    started, worked = time.perf_counter(), time.process_time()
    answer = call()
    spent.append(((time.perf_counter() - started) * 1000, (time.process_time() - worked) * 1000))
    return answer


def decided(pairing: Pairing, source: random.Random) -> Result:
    """A random result; a bye is a point."""
    if pairing.away is None:
        return Result(pairing.round, pairing.home, None, pairing.home, how=ResultBasis.BYE)
    better, worse = sorted((pairing.home, pairing.away))
    winner = better if source.random() < 0.75 else worse
    return Result(pairing.round, pairing.home, pairing.away, winner)


def field(size: int) -> list[Player]:
    """Players whose ids are their seeds."""
    return [Player(number, number) for number in range(1, size + 1)]


def swiss(size: int, rounds: int, source: random.Random) -> tuple[list[Spent], list[Result]]:
    """Milliseconds of each round of one tournament, and its results."""
    spent: list[Spent] = []
    results: list[Result] = []
    for number in range(1, rounds + 1):
        paired = timed(spent, lambda: pair_round(field(size), results, number=number))  # noqa: B023
        results += [decided(pairing, source) for pairing in paired.pairings]
    return spent, results


def bracket(size: int, source: random.Random) -> list[Spent]:
    """Milliseconds of each derivation of a bracket as it is played match by match."""
    spent: list[Spent] = []
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


def line(name: str, spent: list[Spent]) -> dict[str, Any]:
    """One line of the table."""
    clock, processor = (sorted(column) for column in zip(*spent, strict=True))
    high = min(len(spent) - 1, int(0.95 * len(spent)))
    return {
        "what": name,
        "calls": len(spent),
        "median": round(statistics.median(clock), 2),
        "p95": round(clock[high], 2),
        "worst": round(clock[-1], 2),
        "cpu_median": round(statistics.median(processor), 2),
        "cpu_p95": round(processor[high], 2),
    }


def measure(repeats: int, seed: int, large: int) -> list[dict[str, Any]]:
    """All lines."""
    source = random.Random(seed)
    small = [ms for _ in range(repeats) for ms in swiss(64, 9, source)[0]]
    odd = [ms for _ in range(repeats) for ms in swiss(63, 9, source)[0]]
    big, results = swiss(large, 9, source)
    robin: list[Spent] = []
    tables: list[Spent] = []
    players = [player.id for player in field(large)]
    for _ in range(repeats):
        timed(robin, lambda: timetable(field(64)))
        timed(tables, lambda: standings(players, results, SwissCourse.tie_breaks))
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
    columns = ("median", "p95", "worst", "cpu_median", "cpu_p95")
    heads = "".join(f"{name.replace('_', ' '):>12}" for name in columns)
    print(f"{'milliseconds':44}{'calls':>7}{heads}")
    for each in lines:
        figures = "".join(f"{each[name]:>12}" for name in columns)
        print(f"{each['what']:44}{each['calls']:>7}{figures}")


if __name__ == "__main__":
    main()
