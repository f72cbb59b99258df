"""What a lesson is: a handful of positions, in each of which one answer is asked for.

A ruleset that has lessons writes them in its own words and positions (`Teaches` in
`games.engine.capabilities`); whether an answer is what was asked for is judged from the states
before and after it, which only the rules have made (`games.engine.teaching`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import msgspec

from games.engine.decisions import Decision, Seat
from games.engine.errors import EngineFault
from games.engine.notation import tidy
from games.engine.ruleset import Ruleset, Setup

LEARNER: Seat = 0
"""The seat of whoever takes a lesson."""

Goal: TypeAlias = Callable[[Any, Any, Any], str | None]
"""Of the state before, the answer, and the state after: None where that is what was asked for, else
a sentence on what is missing."""


class LessonStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a lesson: what to do, and where.

    ``state`` is a position in which something is asked of `LEARNER`. ``words`` say in two or three
    sentences what the rule is and what to do. ``solution`` is an answer that reaches the ``goal``,
    in canonical notation; ``miss`` a legal one that does not, if there is one. ``reached`` says
    what has come of it. ``reply`` is what the other seat answers behind the same barrier, if it is
    asked something there.
    """

    title: str
    words: str
    state: Any
    goal: Goal
    solution: str
    reached: str
    hint: str
    miss: str | None = None
    reply: str | None = None


class Card(msgspec.Struct, frozen=True):
    """A part of the rules on one screen: its title, its sentences, and the key of the drawn example
    beside it (`Ruleset`'s ``figures.py``)."""

    title: str
    sentences: tuple[str, ...]
    figure: str


def decision_of(ruleset: Ruleset[Any, Any], state: Any, seat: Seat = LEARNER) -> Decision:
    """What is asked of a seat. Raises EngineFault where nothing is."""
    for decision in ruleset.decisions(state):
        if decision.seat == seat:
            return decision
    raise EngineFault(f"nothing is asked of seat {seat} in a lesson of {ruleset.id}")


def position(ruleset: Ruleset[Any, Any], setup: Setup, course: Iterable[str]) -> Any:
    """The state that this comes to, a line for each step: ``"0: <move>"`` and ``"1: <move>"`` are
    answers of the seats, ``"?: <outcome>"`` is what was drawn, as records have both. Answers behind
    one barrier wait for each other. Raises EngineFault for what the rules do not allow."""
    state = ruleset.initial(setup)
    held: dict[Seat, Any] = {}
    for line in course:
        who, _, text = line.partition(": ")
        if who == "?":
            state = ruleset.apply_chance(state, ruleset.parse_chance(tidy(text)))
            continue
        seat: Seat = int(who)
        decision = decision_of(ruleset, state, seat)
        move = ruleset.parse(tidy(text))
        ruleset.validate(state, decision, move)
        held[seat] = ruleset.canonical(state, decision, move)
        if decision.barrier is not None and not ruleset.settles(state, decision, move):
            waiting = {
                each.seat for each in ruleset.decisions(state) if each.barrier == decision.barrier
            }
            if waiting != set(held):
                continue
        state = ruleset.apply(state, tuple(sorted(held.items())))
        held = {}
    if held:
        raise EngineFault(f"an answer of {ruleset.id} waits for another one")
    return state
