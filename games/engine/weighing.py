"""How good positions and answers are: by playing on from them many times.

Bots play on for both seats, the weakest ones, which answer within a millisecond or two, each from
what its seat can see. After `STEPS` of theirs the position is judged by the ruleset's own estimate,
or by how the match ended. Two things are weighed so: a position as it truly is (`prospects`), where
the strong bot answers first for either seat, and the answers to a decision by what whoever has to
give one can see (`compared`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from games.engine.capabilities import Level, thinks_of
from games.engine.chance import RandomSource
from games.engine.decisions import Decision, Seat
from games.engine.playouts import step
from games.engine.ruleset import Ruleset
from games.engine.search import always, applied, judged

STEPS: Final = 24
PLAYED_BY: Final[Level] = "novice"
LEADS: Final = 4
"""How many answers of the strong bot's may stand at the beginning of what is played on."""
BEGINNINGS: Final = 16
"""In how many ways that is done at most, as far as there is time: near the end a single answer may
decide, and the bot may give either of two."""
AT_LEAST: Final = 4
"""Tries that are made even where there is no time: fewer say nothing."""
ALIKE: Final = 0.2
"""How much tries from one beginning are taken to have in common where little is known of it: their
intraclass correlation. Measured was 0.06 (docs/study.md); with more than that the band holds as
often as it says also where few beginnings could be made."""
_BELIEVED: Final = 2  # for as many beginnings, beside what those that there are say
_Z: Final = 1.96


class Worth(msgspec.Struct, frozen=True):
    """What a seat can expect, from 0 (lost) to 1 (won), after so many tries; and the ends of the
    95 % interval. No tries: it is certain."""

    share: float
    low: float
    high: float
    tries: int


def prospects(
    ruleset: Ruleset[Any, Any],
    state: Any,
    seat: Seat,
    random: RandomSource,
    *,
    tries: int,
    may_think: Callable[[], bool] = always,
    may_go_on: Callable[[], bool] = always,
) -> Worth:
    """What a seat can expect of a position as it is, hidden things included, where the strong bot
    answers next for both seats (`led_off`). ``may_think`` is that bot's; ``may_go_on`` is asked
    between tries, once it has answered, and ends it when it says no."""
    if ruleset.outcome(state) is not None:
        share = _share(judged(ruleset, state, seat))
        return Worth(share, share, share, 0)
    # The bot guesses at what is hidden, and chance may come in: it is not the same each time.
    begun = [led_off(ruleset, state, random, may_think=may_think)]
    while len(begun) < min(BEGINNINGS, tries) and may_think():
        begun.append(led_off(ruleset, state, random, may_think=may_think))
    found: list[list[float]] = [[] for _ in begun]
    made = 0
    while made < tries and (made < AT_LEAST or may_go_on()):
        end = played_on(ruleset, begun[made % len(begun)], random)
        found[made % len(begun)].append(_share(judged(ruleset, end, seat)))
        made += 1
    return _worth_of_beginnings([each for each in found if each])


def compared(
    ruleset: Ruleset[Any, Any],
    view: Mapping[str, Any],
    decision: Decision,
    moves: Sequence[Any],
    random: RandomSource,
    *,
    tries: int,
    may_go_on: Callable[[], bool] = always,
) -> list[Worth]:
    """What the seat whose view it is can expect of each of these legal answers, as far as it can
    know: every try of all of them goes by one and the same guess at what is hidden. ``tries`` is
    how many each gets."""
    return [
        worth_of(each)
        for each in tried(ruleset, view, decision, moves, random, tries=tries, may_go_on=may_go_on)
    ]


def tried(
    ruleset: Ruleset[Any, Any],
    view: Mapping[str, Any],
    decision: Decision,
    moves: Sequence[Any],
    random: RandomSource,
    *,
    tries: int,
    may_go_on: Callable[[], bool] = always,
) -> list[list[float]]:
    """How each try of each of these answers turned out, from 0 to 1; the same number of tries for
    all, and those of one number made in the same guess (see `led_by`)."""
    seat = decision.seat
    found: list[list[float]] = [[] for _ in moves]
    made = 0
    while made < tries and (made < AT_LEAST or may_go_on()):
        guess = ruleset.determinize(view, seat, random)
        for number, move in enumerate(moves):
            after = stepped(ruleset, guess, decision, move, random)
            end = played_on(ruleset, after, random)
            found[number].append(_share(judged(ruleset, end, seat)))
        made += 1
    return found


def led_by(best: Sequence[float], others: Sequence[float]) -> Worth:
    """By how much one answer of those that were `tried` together is better than another, from -1 to
    1: guess by guess, so that what only a guess brings about does not count."""
    gaps = [mine - theirs for mine, theirs in zip(best, others, strict=True)]
    return _interval(gaps, -1.0)


def worth_of(found: Sequence[float]) -> Worth:
    """What so many tries say together, each from 0 to 1."""
    return _interval(found, 0.0)


def _worth_of_beginnings(found: Sequence[Sequence[float]]) -> Worth:
    """What tries say that were made from several beginnings. Those from the same one are alike, so
    it is the beginnings that count (the design effect of clusters: Kish, Survey Sampling, 1965).
    A few that happen to agree prove little: `ALIKE` has its say beside them, and it is never less
    than what as many tries of their own would leave open."""
    flat = [each for tries in found for each in tries]
    count = len(found)
    mean = math.fsum(flat) / len(flat)
    spread = _spread(flat, mean, 0.0)
    believed = spread * (ALIKE + (1 - ALIKE) * count / len(flat))
    apart = math.fsum((math.fsum(tries) / len(tries) - mean) ** 2 for tries in found)
    between = (apart + _BELIEVED * believed) / (count - 1 + _BELIEVED)
    off = _Z * math.sqrt(max(between / count, spread / len(flat)))
    return Worth(mean, max(0.0, mean - off), min(1.0, mean + off), len(flat))


def _interval(found: Sequence[float], lowest: float) -> Worth:
    """The mean, and how far it may be off."""
    count = len(found)
    mean = math.fsum(found) / count
    off = _Z * math.sqrt(_spread(found, mean, lowest) / count)
    return Worth(mean, max(lowest, mean - off), min(1.0, mean + off), count)


def _spread(found: Sequence[float], mean: float, lowest: float) -> float:
    """The variance of tries, taken to be what it would be with one more at each end of the scale,
    since a few that agree prove little."""
    return math.fsum((each - mean) ** 2 for each in (*found, lowest, 1.0)) / (len(found) + 1)


def stepped(
    ruleset: Ruleset[Any, Any], state: Any, decision: Decision, move: Any, random: RandomSource
) -> Any:
    """The state after an answer, and after any answer of the other seat behind the same barrier, as
    a bot gives it."""
    return applied(
        ruleset, state, decision, move, lambda each: answer(ruleset, state, each, random)
    )


def led_off(
    ruleset: Ruleset[Any, Any],
    state: Any,
    random: RandomSource,
    *,
    may_think: Callable[[], bool] = always,
) -> Any:
    """The state once the strong bot has answered for both seats, each from what it can see. Where
    only whoever is asked first had it, a position would be worth more to them for that alone.

    It is the state as far as that goes where the match ends, waits for an organiser, or
    `LEADS` answers stand, and the same state where no bot plays this."""
    if thinks_of(ruleset) is None:
        return state
    waiting, answers = {0, 1}, 0
    while waiting and answers < LEADS and ruleset.outcome(state) is None:
        if ruleset.chance_due(state):
            state = step(ruleset, state, random)
            continue
        asked = ruleset.decisions(state)
        if not asked:
            break
        first = asked[0]
        waiting.discard(first.seat)
        if first.barrier is not None:
            waiting -= {each.seat for each in asked if each.barrier == first.barrier}
        best = partial(answer, ruleset, state, random=random, level="strong", may_think=may_think)
        state = applied(ruleset, state, first, best(first), best)
        answers += 1
    return state


def played_on(ruleset: Ruleset[Any, Any], state: Any, random: RandomSource) -> Any:
    """The state `STEPS` later, or at the end, once bots have played on for both seats; or as far as
    they can without an organiser."""
    for _ in range(STEPS):
        if ruleset.outcome(state) is not None:
            break
        if ruleset.chance_due(state):
            state = step(ruleset, state, random)
            continue
        asked = ruleset.decisions(state)
        if not asked:
            break  # it waits for an organiser's ruling
        first = asked[0]
        state = stepped(ruleset, state, first, answer(ruleset, state, first, random), random)
    return state


def answer(
    ruleset: Ruleset[Any, Any],
    state: Any,
    decision: Decision,
    random: RandomSource,
    *,
    level: Level = PLAYED_BY,
    may_think: Callable[[], bool] = always,
) -> Any:
    """What a bot answers from what its seat can see, the one that plays on unless another is asked
    for; or, where none plays this, anybody at random."""
    thinks = thinks_of(ruleset)
    if thinks is None:
        return ruleset.sample(state, decision, random)
    view = ruleset.view(state, 1 if decision.seat else 0)
    return thinks.decide(view, decision, level, random, may_think)


def _share(value: float) -> float:
    return (value + 1) / 2
