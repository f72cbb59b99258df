"""Puzzles: a position as one seat sees it, a question, and which answers are right.

What is kept is a position that looks to its seat as the one that was played does
(`Ruleset.determinize`): of what was hidden from that seat nothing is in it. Any legal answer is
judged by the rules (`games.engine.capabilities.Solves`), and is right if it brings as much as is
asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from core.refusals import Refusal
from games.engine import notation
from games.engine.capabilities import Brought, Solves, Supposes, solves_of
from games.engine.chance import RandomSource
from games.engine.decisions import Audience, Decision, Event, Outcome, Seat, SeenEvent, seen_by
from games.engine.errors import EngineFault
from games.engine.ruleset import Ruleset
from games.engine.search import together

AnyRuleset = Ruleset[Any, Any]

ANSWERS: Final = 8  # that must be possible, or there is nothing to find
DRAWN: Final = 120  # answers at random, where they are too many to be listed
RIGHT: Final = 0.15  # of all answers at most, or
FEW: Final = 2  # answers
LUCKY: Final = 0.02  # of those at random at most


class Puzzle(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A puzzle as it is kept: the position as the ruleset writes it, what an answer must bring,
    and one that does."""

    variant: str
    seat: Seat
    state: msgspec.Raw
    target: int
    solution: str
    source: str = "bots"


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """A position on the way: what led to it, what happened, and how its seat sees it."""

    seat: Seat | None
    text: str
    events: tuple[SeenEvent, ...]
    game: dict[str, Any]
    scores: tuple[int, int]
    outcome: Outcome | None


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an answer is right, what it brings, and what follows from it."""

    text: str
    right: bool
    value: int
    words: str
    moments: tuple[Moment, ...]


def made(
    ruleset: AnyRuleset,
    view: Mapping[str, Any],
    decision: Decision,
    random: RandomSource,
    *,
    variant: str,
    source: str = "bots",
) -> Puzzle | None:
    """The puzzle in a position, from what the seat that is to decide can see; None where there is
    none, or one with too many right answers."""
    solves = solver(ruleset)
    posed = solves.posed(view, decision)
    if posed is None:
        return None
    seat = decision.seat
    state = ruleset.determinize(posed, seat, random)
    moves = solves.promising(state, decision, random)
    if not moves:
        return None
    values = [solves.brought(state, decision, move).value for move in moves]
    best = max(values)
    target = solves.target(best)
    if target is None:
        return None
    if _too_easy(ruleset, state, decision, values, target, random):
        return None
    solution = max(moves, key=lambda move: solves.brought(state, decision, move).value)
    return Puzzle(
        variant=variant,
        seat=seat,
        state=msgspec.Raw(ruleset.encode(state)),
        target=target,
        solution=ruleset.print(solution),
        source=source,
    )


def _too_easy(
    ruleset: AnyRuleset,
    state: Any,
    decision: Decision,
    values: Sequence[int],
    target: int,
    random: RandomSource,
) -> bool:
    """Whether there is little to find: ``values`` are what the answers bring that were listed."""
    most = max(FEW, RIGHT * len(values))
    if not ruleset.enumerable(decision):
        solves, most = solver(ruleset), LUCKY * DRAWN
        drawn = [ruleset.sample(state, decision, random) for _ in range(DRAWN)]
        values = [solves.brought(state, decision, move).value for move in drawn]
    return len(values) < ANSWERS or sum(value >= target for value in values) > most


def faults(ruleset: AnyRuleset, puzzle: Puzzle, random: RandomSource) -> list[str]:
    """What is wrong with a puzzle, by the rules as they are now; nothing of a sound one."""
    try:
        ruleset.variant(puzzle.variant)
        state = state_of(ruleset, puzzle)
        decision = decision_of(ruleset, puzzle)
        view = ruleset.view(state, 1 if puzzle.seat else 0)
        if solver(ruleset).posed(view, decision) is None:
            return ["nothing is asked in this position"]
        found = []
        if not judged(ruleset, puzzle, puzzle.solution).right:
            found.append(f"{puzzle.solution} is not right")
        again = ruleset.determinize(view, puzzle.seat, random)
        if ruleset.view(again, 1 if puzzle.seat else 0) != view:
            found.append("the position is not what its seat sees")
        moves = solver(ruleset).promising(state, decision, random)
        values = [solver(ruleset).brought(state, decision, move).value for move in moves]
        if ruleset.enumerable(decision) and _too_easy(
            ruleset, state, decision, values, puzzle.target, random
        ):
            found.append("too many answers are right")
    except (EngineFault, Refusal) as error:
        return [str(error)]
    return found


def solver(ruleset: AnyRuleset) -> Solves:
    """A ruleset that puzzles are made of. Raises Refusal ``puzzle.game`` for any other."""
    solves = solves_of(ruleset)
    if solves is None:
        raise Refusal("puzzle.game", f"There are no puzzles of {ruleset.name}.")
    return solves


def state_of(ruleset: AnyRuleset, puzzle: Puzzle) -> Any:
    """The position of a puzzle. Raises EngineFault for what never was one."""
    return ruleset.decode(bytes(puzzle.state))


def decision_of(ruleset: AnyRuleset, puzzle: Puzzle) -> Decision:
    """What the seat of a puzzle is to decide. Raises EngineFault where that is nothing."""
    for decision in ruleset.decisions(state_of(ruleset, puzzle)):
        if decision.seat == puzzle.seat:
            return decision
    raise EngineFault("a puzzle in which nothing is to be decided")


def question_of(ruleset: AnyRuleset, puzzle: Puzzle) -> str:
    """What a puzzle asks."""
    return solver(ruleset).question(puzzle.target)


def judged(ruleset: AnyRuleset, puzzle: Puzzle, text: str) -> Judgement:
    """What an answer brings. Raises Refusal ``notation.*`` and whatever the ruleset says of a move
    that cannot be made."""
    state = state_of(ruleset, puzzle)
    decision = decision_of(ruleset, puzzle)
    move = ruleset.parse(notation.tidy(text))
    ruleset.validate(state, decision, move)
    move = ruleset.canonical(state, decision, move)
    brought = solver(ruleset).brought(state, decision, move)
    return Judgement(
        text=ruleset.print(move),
        right=brought.value >= puzzle.target,
        value=brought.value,
        words=brought.words,
        moments=tuple(_moments(ruleset, state, decision, move, brought)),
    )


def _moments(
    ruleset: AnyRuleset, state: Any, decision: Decision, move: Any, brought: Brought
) -> list[Moment]:
    """The positions after an answer, and after each move that follows from it."""
    audience: Audience = 1 if decision.seat else 0
    found: list[Moment] = []
    if isinstance(ruleset, Supposes):
        state = ruleset.supposed(state, decision, brought.line)
    for each in (move, *brought.line):
        asked = decision if not found else ruleset.decisions(state)[0]
        # The other decisions behind its barrier run out.
        chosen = together(ruleset, state, asked, each, partial(ruleset.on_timeout, state))
        after = ruleset.apply(state, chosen)
        events: list[Event] = list(ruleset.events(state, chosen, after))
        found.append(
            Moment(
                seat=asked.seat,
                text=ruleset.print(each),
                events=tuple(seen_by(events, audience)),
                game=ruleset.view(after, audience),
                scores=ruleset.scores(after),
                outcome=ruleset.outcome(after),
            )
        )
        state = after
    return found
