"""Random play through the public interface of a ruleset: for benchmarks, bots and tests."""

from __future__ import annotations

from typing import TypeVar

from games.engine.chance import RandomSource
from games.engine.ruleset import Ruleset

State = TypeVar("State")
Move = TypeVar("Move")


def step(ruleset: Ruleset[State, Move], state: State, random: RandomSource) -> State:
    """One random step from a state without outcome: every chance due, else one decision, or all
    decisions of one barrier."""
    due = ruleset.chance_due(state)
    if due:
        for draw in due:
            state = ruleset.apply_chance(state, ruleset.draw(state, draw, random))
        return state
    decisions = ruleset.decisions(state)
    first = decisions[0]
    if first.barrier is None:  # nearly every step, so it is kept short
        return ruleset.apply(state, ((first.seat, ruleset.sample(state, first, random)),))
    together = [each for each in decisions if each.barrier == first.barrier]
    return ruleset.apply(
        state,
        tuple([(each.seat, ruleset.sample(state, each, random)) for each in together]),
    )


def playout(
    ruleset: Ruleset[State, Move], state: State, random: RandomSource, most: int = 100_000
) -> tuple[State, int]:
    """Play on at random to the end; the final state and how many steps it took.

    Stops early after ``most`` steps, which a ruleset that always ends never reaches.
    """
    steps = 0
    while steps < most and ruleset.outcome(state) is None:
        state = step(ruleset, state, random)
        steps += 1
    return state, steps
