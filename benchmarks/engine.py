"""How fast the rules are: random play through the public, immutable interface of each ruleset.

    python benchmarks/engine.py [--json] [--seconds 3] [--seed 1] [RULESET ...]

A step is one `sample` and one `apply` (all of a barrier's for sealed choices). A playout is one
game from its start to its end: a whole match, or, in rulesets whose matches are series of
independent bouts, one bout (a match plays up to four of them; both rates are printed). A batch is
many playouts in one call of `games.engine.playouts.playouts`, timed in turns with the steps. All
rates are by processor time; a line says whether modules run compiled (`script/compile`; not with
GAUNTLET_PLAIN=1). Where `open_spiel` is installed, two of its pure-Python games are timed
in the same process for scale.
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

from core import compiled
from games.engine.playouts import playouts, step
from games.engine.ruleset import Ruleset, Setup
from games.rulesets import REGISTRY

BATCH = 50  # playouts
PLAIN = "Rules as they stand, none of their modules compiled."
OPEN_SPIEL_GAMES = ("python_block_dominoes", "python_tic_tac_toe")


def ours(ruleset: Ruleset[Any, Any], seconds: float, seed: int) -> dict[str, Any]:
    """Time random matches of one ruleset for about ``seconds``."""
    source = random.Random(seed).random
    setup = Setup(variant=ruleset.variants[0].id, options=ruleset.options_type(), advantage=0)  # type: ignore[call-arg]
    # Not the same games: what the rules keep of those just played would be there already.
    batched = random.Random(seed + 1_000_000).random
    initial = ruleset.initial(setup)
    first = ruleset.reserve_epoch(initial)
    matches = bouts = steps = 0
    by_step = in_batches = 0.0
    while by_step + in_batches < seconds:
        started = time.process_time()
        for _ in range(BATCH):
            state = ruleset.initial(setup)
            while ruleset.outcome(state) is None:
                state = step(ruleset, state, source)
                steps += 1
            bouts += ruleset.reserve_epoch(state) - first + 1
        between = time.process_time()
        playouts(ruleset, initial, batched, BATCH)
        in_batches += time.process_time() - between
        by_step += between - started
        matches += BATCH
    return _rates(ruleset.id, by_step, matches, bouts, steps) | {
        "batched_playouts_per_s": round(bouts / in_batches)
    }


def _rates(name: str, elapsed: float, matches: int, played: int, steps: int) -> dict[str, Any]:
    return {
        "game": name,
        "playouts_per_s": round(played / elapsed),
        "steps_per_s": round(steps / elapsed),
        "matches_per_s": round(matches / elapsed),
        "steps_per_playout": round(steps / played, 1),
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
    played = steps = 0
    started = time.process_time()
    while time.process_time() - started < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions = [action for action, _ in state.chance_outcomes()]
            else:
                actions = state.legal_actions()
            state.apply_action(source.choice(actions))
            steps += 1
        played += 1
    return _rates(f"open_spiel {name}", time.process_time() - started, played, played, steps)


def rows(names: list[str], seconds: float, seed: int) -> Iterator[dict[str, Any]]:
    """Every game in turn."""
    for ruleset in REGISTRY:
        if not names or ruleset.id in names:
            ours(ruleset, 0.2, seed)  # fills the precomputed tables
            yield ours(ruleset, seconds, seed)
    if not names:
        yield from filter(None, (open_spiel(name, seconds, seed) for name in OPEN_SPIEL_GAMES))


def _number(rate: int | None) -> str:
    return "" if rate is None else f"{rate:,}"


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
        said = {"seconds": arguments.seconds, "compiled": compiled.installed(), "games": found}
        print(json.dumps(said, indent=2))
        return
    count = len(compiled.installed())
    print(f"Rules as they stand, and {count} of their modules compiled." if count else PLAIN)
    print(
        f"{'game':34} {'playouts/s':>11} {'in batches':>11} {'steps/s':>10} {'matches/s':>10}"
        f" {'steps each':>10}"
    )
    for row in found:
        print(
            f"{row['game']:34} {row['playouts_per_s']:>11,}"
            f" {_number(row.get('batched_playouts_per_s')):>11}"
            f" {row['steps_per_s']:>10,} {row['matches_per_s']:>10,} {row['steps_per_playout']:>10}"
        )


if __name__ == "__main__":
    main()
