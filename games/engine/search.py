"""What bots find their moves by, from what their seat can see.

Flat Monte Carlo over guesses (`think`): again and again what is hidden is drawn so that it looks to
the seat as it does (`Ruleset.determinize`), each of the moves worth looking at is made in that same
guess, and the match goes on at random from there. Moves that do worse are dropped, half of them at
a time (`halved`), so that most of the tries go to the best ones.

Nothing here reads a position: whoever looks like another to its seat gets the same moves with the
same chances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from games.engine.chance import RandomSource
from games.engine.decisions import Decision, Seat
from games.engine.playouts import playouts
from games.engine.ruleset import Chosen, Ruleset

GREEDY_WIDTH: Final = 60

Suggest = Callable[[Any, Decision, RandomSource, int], Sequence[Any] | None]
"""Of a state, a decision and about so many: legal answers that are worth looking at, each once and
at least one, the more promising first where that is known. None: all that can be listed."""


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """How much is looked at: how many moves, how many continuations of them in all, and how many
    steps deep each of those goes."""

    width: int
    tries: int
    depth: int


def always() -> bool:
    """There is time for another try."""
    return True


def think(
    ruleset: Ruleset[Any, Any],
    view: Mapping[str, Any],
    decision: Decision,
    random: RandomSource,
    *,
    search: Search,
    suggest: Suggest | None = None,
    may_go_on: Callable[[], bool] = always,
) -> Any:
    """A legal answer to a decision that is open to the seat whose view this is.

    ``may_go_on`` is asked between tries, and ends the search when it says no; at least every move
    is tried once.
    """
    seat = decision.seat
    moves = worth_looking_at(ruleset, view, decision, random, search.width, suggest=suggest)

    def attempt(left: Sequence[int]) -> list[float]:
        guess = ruleset.determinize(view, seat, random)
        return [
            _try(ruleset, guess, decision, moves[index], search.depth, random) for index in left
        ]

    return moves[halved(len(moves), search.tries, attempt, may_go_on)]


def halved(
    count: int,
    tries: int,
    attempt: Callable[[Sequence[int]], Iterable[float]],
    may_go_on: Callable[[], bool] = always,
) -> int:
    """The number, of so many things, of the one that does best by ``attempt``, which says how each
    of some does once. The tries, about so many in all, are spent in rounds: equally on all that are
    left, of which the worse half is dropped then (sequential halving: Z. Karnin, T. Koren and
    O. Somekh, *Almost optimal exploration in multi-armed bandits*, ICML 2013)."""
    left = list(range(count))
    worth = [0.0] * count
    rounds = (count - 1).bit_length()
    for _ in range(rounds):
        goes_on = True
        for _ in range(max(1, tries // (rounds * len(left)))):
            for number, found in zip(left, attempt(left), strict=True):
                worth[number] += found
            goes_on = may_go_on()
            if not goes_on:
                break
        left.sort(key=worth.__getitem__, reverse=True)
        if not goes_on:
            break
        del left[(len(left) + 1) // 2 :]
    return left[0]


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
    *,
    suggest: Suggest | None = None,
) -> list[Any]:
    """At most so many legal answers, each once, and at least one: those that are suggested, where
    any are; else all, or those after which a guess looks best."""
    guess = ruleset.determinize(view, decision.seat, random)
    found = None if suggest is None else suggest(guess, decision, random, most)
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
    ruleset: Ruleset[Any, Any], state: Any, decision: Decision, move: Any, random: RandomSource
) -> Any:
    """The state after an answer, with any answer of the other seat behind the same barrier."""
    return applied(ruleset, state, decision, move, lambda each: ruleset.sample(state, each, random))


def applied(
    ruleset: Ruleset[Any, Any],
    state: Any,
    decision: Decision,
    move: Any,
    answer: Callable[[Decision], Any],
) -> Any:
    """The state after an answer to a decision, and after those to the others behind the same
    barrier, if it has one."""
    if decision.barrier is None:
        return ruleset.apply(state, ((decision.seat, move),))
    return ruleset.apply(state, together(ruleset, state, decision, move, answer))


def together(
    ruleset: Ruleset[Any, Any],
    state: Any,
    decision: Decision,
    move: Any,
    answer: Callable[[Decision], Any],
) -> Chosen[Any]:
    """An answer to a decision, and those to the others behind the same barrier, if it has one."""
    answers = {decision.seat: move}
    if decision.barrier is not None:
        for each in ruleset.decisions(state):
            if each.barrier == decision.barrier and each.seat != decision.seat:
                answers[each.seat] = answer(each)
    return tuple(sorted(answers.items()))


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
