"""How fast the rules are: random play through the public, immutable interface of each ruleset.

    python benchmarks/engine.py [--json] [--seconds 3] [--seed 1] [RULESET ...]

A step is one `sample` and one `apply` (all of a barrier's for sealed choices). A playout is one
game from its start to its end: a whole match, or, in rulesets whose matches are series of
independent bouts, one bout (a match plays up to four of them; both rates are printed). Where
`open_spiel` is installed, two of its pure-Python games are timed in the same process for scale.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from games.engine.playouts import step
from games.engine.ruleset import Ruleset, Setup
from games.rulesets import REGISTRY

OPEN_SPIEL_GAMES = ("python_block_dominoes", "python_tic_tac_toe")


def ours(ruleset: Ruleset[Any, Any], seconds: float, seed: int) -> dict[str, Any]:
    """Time random matches of one ruleset for about ``seconds``."""
    source = random.Random(seed).random
    setup = Setup(variant=ruleset.variants[0].id, options=ruleset.options_type(), advantage=0)  # type: ignore[call-arg]
    matches = bouts = steps = 0
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        state = ruleset.initial(setup)
        first = ruleset.reserve_epoch(state)
        while ruleset.outcome(state) is None:
            state = step(ruleset, state, source)
            steps += 1
        matches += 1
        bouts += ruleset.reserve_epoch(state) - first + 1
    return _rates(ruleset.id, time.perf_counter() - started, matches, bouts, steps)


def _rates(name: str, elapsed: float, matches: int, playouts: int, steps: int) -> dict[str, Any]:
    return {
        "game": name,
        "playouts_per_s": round(playouts / elapsed),
        "steps_per_s": round(steps / elapsed),
        "matches_per_s": round(matches / elapsed),
        "steps_per_playout": round(steps / playouts, 1),
    }


def open_spiel(name: str, seconds: float, seed: int) -> dict[str, Any] | None:
    """Time random play of an OpenSpiel game, or None where it is not installed."""
    try:
        # The Python games register themselves on import.
        import open_spiel.python.games  # noqa: F401, PLC0415
        import pyspiel  # noqa: PLC0415
    except ImportError:
        return None
    source = random.Random(seed)
    game = pyspiel.load_game(name)
    playouts = steps = 0
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions = [action for action, _ in state.chance_outcomes()]
            else:
                actions = state.legal_actions()
            state.apply_action(source.choice(actions))
            steps += 1
        playouts += 1
    return _rates(f"open_spiel {name}", time.perf_counter() - started, playouts, playouts, steps)


def rows(names: list[str], seconds: float, seed: int) -> Iterator[dict[str, Any]]:
    """Every game in turn."""
    for ruleset in REGISTRY:
        if not names or ruleset.id in names:
            ours(ruleset, 0.2, seed)  # fills the precomputed tables
            yield ours(ruleset, seconds, seed)
    if not names:
        yield from filter(None, (open_spiel(name, seconds, seed) for name in OPEN_SPIEL_GAMES))


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rulesets", nargs="*", metavar="RULESET")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    unknown = [name for name in arguments.rulesets if name not in REGISTRY]
    if unknown:
        parser.error(f"no such ruleset: {', '.join(unknown)}")
    found = list(rows(arguments.rulesets, arguments.seconds, arguments.seed))
    if arguments.json:
        print(json.dumps({"seconds": arguments.seconds, "games": found}, indent=2))
        return
    print(f"{'game':34} {'playouts/s':>11} {'steps/s':>10} {'matches/s':>10} {'steps each':>10}")
    for row in found:
        print(
            f"{row['game']:34} {row['playouts_per_s']:>11,} {row['steps_per_s']:>10,}"
            f" {row['matches_per_s']:>10,} {row['steps_per_playout']:>10}"
        )


if __name__ == "__main__":
    main()
