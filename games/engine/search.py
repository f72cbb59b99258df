"""A move for a seat, found from what the seat can see.

Flat Monte Carlo over guesses: again and again what is hidden is drawn so that it looks to the seat
as it does (`Ruleset.determinize`), each of the moves worth looking at is made in that same guess, and
the match goes on at random from there. Moves that do worse are dropped, half of them at a time
(sequential halving: Z. Karnin, T. Koren and O. Somekh, *Almost optimal exploration in multi-armed
bandits*, ICML 2013), so that most of the tries go to the best ones.

Nothing here reads a position: whoever looks like another to its seat gets the same moves with the
same chances.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from games.engine.capabilities import Skill, thinks_of
from games.engine.chance import RandomSource
from games.engine.decisions import Decision, Seat
from games.engine.playouts import playouts
from games.engine.ruleset import Ruleset

GREEDY_WIDTH: Final = 60


def always() -> bool:
    """There is time for another try."""
    return True


def think(
    ruleset: Ruleset[Any, Any],
    view: Mapping[str, Any],
    decision: Decision,
    skill: Skill,
    random: RandomSource,
    may_go_on: Callable[[], bool] = always,
) -> Any:
    """A legal answer to a decision that is open to the seat whose view this is.

    ``may_go_on`` is asked between tries, and ends the search when it says no; at least every move
    is tried once.
    """
    seat = decision.seat
    moves = worth_looking_at(ruleset, view, decision, random, skill.width)
    left = list(range(len(moves)))
    worth = [0.0] * len(moves)
    rounds = (len(moves) - 1).bit_length()
    for _ in range(rounds):
        goes_on = True
        for _ in range(max(1, skill.tries // (rounds * len(left)))):
            guess = ruleset.determinize(view, seat, random)
            for index in left:
                worth[index] += _try(ruleset, guess, decision, moves[index], skill.depth, random)
            goes_on = may_go_on()
            if not goes_on:
                break
        left.sort(key=worth.__getitem__, reverse=True)
        if not goes_on:
            break
        del left[(len(left) + 1) // 2 :]
    return moves[left[0]]


def greedy(
    ruleset: Ruleset[Any, Any], view: Mapping[str, Any], decision: Decision, random: RandomSource
) -> Any:
    """The baseline: the legal answer after which one guess looks best (`Ruleset.evaluate`), among
    all that can be listed, and else as many as are worth looking at."""
    guess = ruleset.determinize(view, decision.seat, random)
    if ruleset.enumerable(decision):
        moves = list(ruleset.legal(guess, decision))
    else:
        moves = [ruleset.sample(guess, decision, random) for _ in range(GREEDY_WIDTH)]
    return best_looking(ruleset, guess, decision, moves, 1, random)[0]


def worth_looking_at(
    ruleset: Ruleset[Any, Any],
    view: Mapping[str, Any],
    decision: Decision,
    random: RandomSource,
    most: int,
) -> list[Any]:
    """At most so many legal answers, each once, and at least one: the ruleset's own choice of them
    where it makes one; else all, or those after which a guess looks best."""
    guess = ruleset.determinize(view, decision.seat, random)
    thinks = thinks_of(ruleset)
    found = None if thinks is None else thinks.suggest(guess, decision, random, most)
    if found is None:
        if ruleset.enumerable(decision):
            found = list(ruleset.legal(guess, decision))
        else:
            drawn = [ruleset.sample(guess, decision, random) for _ in range(most)]
            found = list({ruleset.print(move): move for move in drawn}.values())
    if len(found) <= most:
        return list(found)
    return best_looking(ruleset, guess, decision, found, most, random)


def best_looking(
    ruleset: Ruleset[Any, Any],
    state: Any,
    decision: Decision,
    moves: Sequence[Any],
    most: int,
    random: RandomSource,
) -> list[Any]:
    """Those after which the position looks best for the seat, the best one first; of equals any."""
    order = [
        (ruleset.evaluate(_after(ruleset, state, decision, move, random), decision.seat), random())
        for move in moves
    ]
    ranked = sorted(range(len(moves)), key=order.__getitem__, reverse=True)
    return [moves[index] for index in ranked[:most]]


def _after(
    ruleset: Ruleset[Any, Any],
    state: Any,
    decision: Decision,
    move: Any,
    random: RandomSource,
) -> Any:
    """The state after an answer, with any answer of the other seat behind the same barrier."""
    if decision.barrier is None:
        return ruleset.apply(state, ((decision.seat, move),))
    answers = {decision.seat: move}
    for each in ruleset.decisions(state):
        if each.barrier == decision.barrier and each.seat != decision.seat:
            answers[each.seat] = ruleset.sample(state, each, random)
    return ruleset.apply(state, tuple(sorted(answers.items())))


def _try(
    ruleset: Ruleset[Any, Any],
    guess: Any,
    decision: Decision,
    move: Any,
    depth: int,
    random: RandomSource,
) -> float:
    """How one random continuation turns out for the seat, from -1 to 1."""
    after = _after(ruleset, guess, decision, move, random)
    [(end, _)] = playouts(ruleset, after, random, 1, depth)
    return judged(ruleset, end, decision.seat)


def judged(ruleset: Ruleset[Any, Any], state: Any, seat: Seat) -> float:
    """How a position stands for a seat: won, lost, or as it looks."""
    outcome = ruleset.outcome(state)
    if outcome is None:
        return ruleset.evaluate(state, seat)
    if outcome.winner is None:
        return 0.0
    return 1.0 if outcome.winner == seat else -1.0
