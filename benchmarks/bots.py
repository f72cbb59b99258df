"""How strong bots are: round robins between all levels, random play and the greedy baseline.

    python benchmarks/bots.py [--ruleset ID[/VARIANT]] [--games N] [--seconds S] [--pair A:B]

Every pairing plays ``--games`` matches, each opening twice with the seats changed. A bot's search
is cut off after so many seconds of processor time a move, however little it has tried by then. What
is printed: the matches won in a hundred, with the 95 % interval (E. Wilson, *JASA* 22, 1927), and
of each side the processor time of a move and of its longest one.
"""

from __future__ import annotations

import argparse
import itertools
import math
import multiprocessing
import os
import sys
import time
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from games.engine.capabilities import LEVELS, thinks_of
from games.engine.chance import evenly
from games.engine.ruleset import Ruleset, Setup
from games.engine.search import greedy
from games.rulesets import REGISTRY

PLAYERS = ("random", "greedy", *LEVELS)
Z = 1.96


class Task(NamedTuple):
    """One match: who plays it, in which seats, and what it is drawn from."""

    ruleset: str
    variant: str
    players: tuple[str, str]
    seconds: float
    seed: int


class Result(NamedTuple):
    """Who won, or None; for each player how many moves it made, and the time it took for them and
    for the longest of them."""

    task: Task
    winner: str | None
    moves: dict[str, int]
    spent: dict[str, float]
    longest: dict[str, float]


def play(task: Task) -> Result:
    """A match to its end."""
    ruleset: Ruleset[Any, Any] = REGISTRY.get(task.ruleset)
    random = Random(task.seed).random
    options_type: Any = ruleset.options_type
    setup = Setup(variant=task.variant, options=options_type(), advantage=task.seed % 2)
    state = ruleset.initial(setup)
    moves = dict.fromkeys(task.players, 0)
    spent, longest = dict.fromkeys(task.players, 0.0), dict.fromkeys(task.players, 0.0)
    while ruleset.outcome(state) is None:
        due = ruleset.chance_due(state)
        if due:
            for draw in due:
                state = ruleset.apply_chance(state, ruleset.draw(state, draw, evenly(random)))
            continue
        first, *others = ruleset.decisions(state)
        asked = [first]
        if first.barrier is not None:
            asked += [each for each in others if each.barrier == first.barrier]
        chosen = []
        for decision in asked:
            player = task.players[decision.seat]
            begun = time.process_time()
            move = _move(ruleset, state, decision, player, task.seconds, random)
            took = time.process_time() - begun
            spent[player] += took
            longest[player] = max(longest[player], took)
            moves[player] += 1
            ruleset.validate(state, decision, move)
            chosen.append((decision.seat, move))
        state = ruleset.apply(state, tuple(chosen))
    outcome = ruleset.outcome(state)
    winner = None
    if outcome is not None and outcome.winner is not None:
        winner = task.players[outcome.winner]
    return Result(task, winner, moves, spent, longest)


def _move(ruleset: Any, state: Any, decision: Any, player: str, seconds: float, random: Any) -> Any:
    view = ruleset.view(state, decision.seat)
    if player == "random":
        return ruleset.sample(ruleset.determinize(view, decision.seat, random), decision, random)
    if player == "greedy":
        return greedy(ruleset, view, decision, random)
    thinks = thinks_of(ruleset)
    if thinks is None:
        raise SystemExit(f"no bots play {ruleset.id}")
    (level,) = (each for each in LEVELS if each == player)
    until = time.process_time() + seconds
    return thinks.decide(view, decision, level, random, lambda: time.process_time() < until)


def interval(won: int, played: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    share, squared = won / played, Z * Z
    middle = share + squared / (2 * played)
    half = Z * math.sqrt(share * (1 - share) / played + squared / (4 * played * played))
    whole = 1 + squared / played
    return (middle - half) / whole, (middle + half) / whole


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ruleset", action="append", help="only this one, perhaps one variant")
    parser.add_argument("--games", type=int, default=40, help="matches of a pairing (40)")
    parser.add_argument("--seconds", type=float, default=1.0, help="a move (1)")
    parser.add_argument("--pair", action="append", help="only this one, such as strong:club")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    pairs = [tuple(each.split(":")) for each in wanted.pair or []]
    print(f"{'game':<28} {'pairing':<18} {'won':>5} {'95 %':>13} {'of':>5}   ms a move (longest)")
    with multiprocessing.Pool(wanted.processes) as pool:
        for ruleset, variant in itertools.chain.from_iterable(
            [(each, variant.id) for variant in each.variants] for each in REGISTRY
        ):
            name = f"{ruleset.id}/{variant}"
            if wanted.ruleset and not {ruleset.id, name} & {*wanted.ruleset}:
                continue
            for one, two in pairs or [(b, a) for a, b in itertools.combinations(PLAYERS, 2)]:
                tasks = [
                    Task(
                        ruleset.id, variant, (one, two) if number % 2 else (two, one),
                        wanted.seconds, wanted.seed * 1_000_003 + number // 2,
                    )
                    for number in range(wanted.games)
                ]  # fmt: skip
                results = list(pool.imap_unordered(play, tasks))
                won = sum(result.winner == one for result in results)
                low, high = interval(won, len(results))
                times = []
                for who in (one, two):
                    moves = sum(result.moves[who] for result in results)
                    mean = 1000 * sum(result.spent[who] for result in results) / moves
                    most = 1000 * max(result.longest[who] for result in results)
                    times.append(f"{mean:.1f} ({most:.0f})")
                share = f"{100 * low:.0f} to {100 * high:.0f}"
                print(
                    f"{name:<28} {one + ' v ' + two:<18} {100 * won / len(results):>5.1f} "
                    f"{share:>13} {len(results):>5}   {', '.join(times)}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
