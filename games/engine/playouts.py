"""Random play through the public interface of a ruleset: for benchmarks, bots and tests."""

from __future__ import annotations

from typing import Final, TypeVar

from games.engine.capabilities import simulates_of
from games.engine.chance import RandomSource, evenly
from games.engine.ruleset import Ruleset

State = TypeVar("State")
Move = TypeVar("Move")

MOST: Final = 100_000
"""Steps, which no match of a ruleset that always ends takes."""


def step(ruleset: Ruleset[State, Move], state: State, random: RandomSource) -> State:
    """One random step from a state without outcome: every chance due, else one decision, or all
    decisions of one barrier."""
    due = ruleset.chance_due(state)
    if due:
        for draw in due:
            state = ruleset.apply_chance(state, ruleset.draw(state, draw, evenly(random)))
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
    ruleset: Ruleset[State, Move], state: State, random: RandomSource, most: int = MOST
) -> tuple[State, int]:
    """Play on at random to the end; the final state and how many steps it took.

    Stops early after ``most`` steps.
    """
    steps = 0
    while steps < most and ruleset.outcome(state) is None:
        state = step(ruleset, state, random)
        steps += 1
    return state, steps


def playouts(
    ruleset: Ruleset[State, Move],
    state: State,
    random: RandomSource,
    count: int,
    most: int = MOST,
) -> list[tuple[State, int]]:
    """``count`` playouts of the same state, one after another: for bots that judge a position by
    how random matches go on from it, to their ends or ``most`` steps deep.

    Exactly what as many calls of `playout` give with the same ``random``. A ruleset that has a
    faster form (`games.engine.capabilities.Simulates`) plays in that.
    """
    simulates = simulates_of(ruleset)
    if simulates is None:
        return [playout(ruleset, state, random, most) for _ in range(count)]
    ends = []
    for _ in range(count):
        here, steps = state, 0
        while steps < most:
            here, made = simulates.simulate(here, random, most - steps)
            if not made:
                if ruleset.outcome(here) is not None:
                    break
                here, made = step(ruleset, here, random), 1
            steps += made
        ends.append((here, steps))
    return ends
