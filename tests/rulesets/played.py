"""What random play comes to, as one digest for each ruleset and variant.

``python -m tests.rulesets.played`` prints them as JSON, with the modules that ran compiled: two
processes that took the same modules in different forms can be compared by that.
"""

from __future__ import annotations

import hashlib
import json
import sys
from random import Random
from typing import Any

from core import compiled
from games.engine import playouts
from games.engine.ruleset import Ruleset
from games.rulesets import REGISTRY
from tests.engine.playthroughs import playthroughs, steps_text
from tests.rulesets.test_simulations import begun


def digest_of(ruleset: Ruleset[Any, Any], variant: str, matches: int) -> str:
    """Of every state of so many matches, step by step, of what can be done there, and of where
    batches from there end; and of how many numbers all that has drawn."""
    digest = hashlib.sha256()
    for seed in range(matches):
        random = Random(seed)
        state = begun(ruleset, variant, random)
        steps = 0
        while ruleset.outcome(state) is None:
            digest.update(ruleset.encode(state))
            for decision in ruleset.decisions(state):
                digest.update(repr(decision).encode())
                if ruleset.enumerable(decision):
                    listed = ruleset.legal(state, decision)
                    digest.update(" ".join(map(ruleset.print, listed)).encode())
            if steps % 4 == 0:
                for end, made in playouts.playouts(ruleset, state, random.random, 2):
                    digest.update(ruleset.encode(end) + bytes([made % 256]))
            state = playouts.step(ruleset, state, random.random)
            steps += 1
        digest.update(ruleset.encode(state) + repr(ruleset.outcome(state)).encode())
        digest.update(random.random().hex().encode())
    return digest.hexdigest()


def played(matches: int) -> dict[str, str]:
    """The digests by ruleset and variant, and by name those of the steps of pinned matches."""
    found = {
        f"{ruleset.id}.{variant.id}": digest_of(ruleset, variant.id, matches)
        for ruleset in REGISTRY
        for variant in ruleset.variants
    }
    for record in playthroughs():
        found[record.name] = hashlib.sha256(steps_text(record)).hexdigest()
    return found


if __name__ == "__main__":
    said = {"compiled": compiled.installed(), "played": played(int(sys.argv[1]))}
    sys.stdout.write(json.dumps(said))
