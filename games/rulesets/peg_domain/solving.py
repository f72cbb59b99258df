"""Puzzles: a cut-out that wins as much as only few do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from games.engine.capabilities import Brought
from games.engine.chance import RandomSource
from games.engine.decisions import Decision, other
from games.rulesets.peg_domain.moves import Move, PlaceCutOut
from games.rulesets.peg_domain.state import PegDomainState
from games.rulesets.peg_domain.thinking import placements
from games.rulesets.peg_domain.turns import covered_by

TURN: Final = 5  # the first one with much to choose from
LOOKED_AT: Final = 24
LEAST: Final = 8  # squares: less is found at a glance


def posed(view: Mapping[str, Any], decision: Decision) -> Mapping[str, Any] | None:
    """The view, where a cut-out is to be placed and some lie on the domain."""
    return view if decision.kind == "turn" and view["turn"] >= TURN else None


def promising(state: PegDomainState, decision: Decision, random: RandomSource) -> Sequence[Move]:
    """What a bot would look at."""
    return placements(state, decision.seat, random, LOOKED_AT)


def brought(state: PegDomainState, decision: Decision, move: Move) -> Brought:
    """By how many squares the lead grows."""
    if not isinstance(move, PlaceCutOut):
        return Brought(0, "It wins no square.")
    seat = decision.seat
    covered = covered_by(move)
    taken = (covered & state.owned[other(seat)]).bit_count()
    new = (covered & ~state.owned[seat]).bit_count() - taken
    value = new + 2 * taken
    parts = []
    if new:
        parts.append(f"{new} that {'was' if new == 1 else 'were'} nobody's")
    if taken:
        parts.append(f"{taken} of the other player's, which count twice")
    if not parts:
        return Brought(0, "It wins no square.")
    return Brought(value, f"It adds {value} to the lead: {' and '.join(parts)}.")


def target(best: int) -> int | None:
    """A little less than the most that was found: nobody can be sure that there is no more."""
    return best - best // 10 if best >= LEAST else None


def question(target: int) -> str:
    """What is asked."""
    return f"Place a cut-out that adds at least {target} squares to your lead."
