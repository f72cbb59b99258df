"""What positions and answers are held to be worth, in every ruleset and variant."""

from __future__ import annotations

from random import Random
from typing import Any, Final, Literal

import pytest

from games.engine import weighing
from games.engine.playouts import step
from games.engine.ruleset import Ruleset
from games.rulesets import REGISTRY
from tests.rulesets.test_simulations import begun

SEATS: Final[tuple[Literal[0], Literal[1]]] = (0, 1)
VARIANTS = [
    pytest.param(ruleset, variant.id, id=f"{ruleset.id}-{variant.id}")
    for ruleset in REGISTRY
    for variant in ruleset.variants
]


def _match(ruleset: Ruleset[Any, Any], variant: str, seed: int) -> list[Any]:
    """Every state of a match between bots that play on, the last one included."""
    random = Random(seed)
    states = [begun(ruleset, variant, random)]
    while ruleset.outcome(states[-1]) is None:
        states.append(_next(ruleset, states[-1], random))
    return states


def _next(ruleset: Ruleset[Any, Any], state: Any, random: Random) -> Any:
    if ruleset.chance_due(state):
        return step(ruleset, state, random.random)
    first, *_ = ruleset.decisions(state)
    answer = weighing.answer(ruleset, state, first, random.random)
    return weighing.stepped(ruleset, state, first, answer, random.random)


@pytest.mark.parametrize(("ruleset", "variant"), VARIANTS)
def test_who_is_about_to_win_is_held_to_be_winning(
    ruleset: Ruleset[Any, Any], variant: str
) -> None:
    shares = []
    for seed in range(3):
        states = _match(ruleset, variant, seed)
        outcome = ruleset.outcome(states[-1])
        assert outcome is not None
        if outcome.winner is None:
            continue
        end = weighing.prospects(ruleset, states[-1], outcome.winner, Random(1).random, tries=9)
        assert end == weighing.Worth(1.0, 1.0, 1.0, 0)
        for state in states[-3:-1]:
            found = weighing.prospects(
                ruleset, state, outcome.winner, Random(seed).random, tries=12
            )
            assert 0 <= found.low <= found.share <= found.high <= 1
            assert found.tries == 12
            shares.append(found.share)
    assert sum(shares) > 0.75 * len(shares)


@pytest.mark.parametrize(("ruleset", "variant"), VARIANTS)
def test_answers_are_compared_by_what_their_seat_can_know(
    ruleset: Ruleset[Any, Any], variant: str
) -> None:
    """Another position that looks the same gets the same figures, draw for draw."""
    states = _match(ruleset, variant, 7)
    weighed = 0
    for state in states[1 :: max(1, len(states) // 4)]:
        for decision in ruleset.decisions(state)[:1]:
            random = Random(3)
            moves = [ruleset.sample(state, decision, random.random) for _ in range(2)]
            view = ruleset.view(state, SEATS[decision.seat])
            other = ruleset.determinize(view, decision.seat, Random(11).random)
            found = [
                weighing.compared(
                    ruleset,
                    ruleset.view(each, SEATS[decision.seat]),
                    decision,
                    moves,
                    Random(5).random,
                    tries=4,
                )
                for each in (state, other)
            ]
            assert found[0] == found[1]
            weighed += 1
    assert weighed >= 2


def test_nothing_more_is_tried_once_there_is_no_time_but_a_few_always_are() -> None:
    ruleset = next(iter(REGISTRY))
    states = _match(ruleset, ruleset.variants[0].id, 1)
    found = weighing.prospects(
        ruleset, states[-4], 0, Random(1).random, tries=50, may_go_on=lambda: False
    )
    assert found.tries == weighing.AT_LEAST


def test_tries_that_agree_prove_more_the_more_of_them_there_are() -> None:
    few, many = weighing.worth_of([1.0] * 4), weighing.worth_of([1.0] * 400)
    assert few.share == many.share == many.high == 1.0
    assert few.low < 0.75
    assert many.low > 0.99


def test_beginnings_that_differ_make_a_wide_band() -> None:
    whole = weighing.worth_of([0.0, 1.0] * 20)
    alike = weighing._worth_of_beginnings([[0.0, 1.0] * 10, [1.0, 0.0] * 10])
    assert (alike.share, alike.tries) == (whole.share, whole.tries)
    assert whole.low - 0.15 < alike.low < whole.low
    assert whole.high < alike.high < whole.high + 0.15
    apart = weighing._worth_of_beginnings([[0.0] * 20, [1.0] * 20])
    assert apart.share == 0.5
    assert apart.low < 0.05
    assert apart.high > 0.95
    assert apart.tries == 40


# How much tries from one beginning have in common: docs/study.md.
MEASURED = 0.06


@pytest.mark.parametrize("beginnings", [1, 2, 4, 8])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.85])
def test_the_band_is_where_it_lies(share: float, beginnings: int) -> None:
    """95 times of 100, also where all tries follow one or two answers that happened to be given."""
    luck = Random(f"{share} {beginnings}")
    common = (1 - MEASURED) / MEASURED
    held = 0
    for _ in range(2_000):
        found = []
        for _ in range(beginnings):
            expected = luck.betavariate(share * common, (1 - share) * common)
            found.append([float(luck.random() < expected) for _ in range(24 // beginnings)])
        worth = weighing._worth_of_beginnings(found)
        held += worth.low <= share <= worth.high
    assert held / 2_000 >= 0.925


def test_both_seats_have_the_strong_bot_once() -> None:
    """Whoever is to move has nothing of that alone: one strong answer of each seat is made."""
    for ruleset, variant in ((each, each.variants[0].id) for each in REGISTRY):
        state = _match(ruleset, variant, 2)[2]
        after = weighing.led_off(ruleset, state, Random(1).random, may_think=lambda: False)
        assert after != state


def test_a_lead_is_counted_guess_by_guess() -> None:
    guesses = [0.0, 1.0] * 50
    better = [min(1.0, each + 0.1) if each < 0.5 else each for each in guesses]
    lead = weighing.led_by(better, guesses)
    assert lead.share == pytest.approx(0.05)
    apart = weighing.worth_of(better).low - weighing.worth_of(guesses).high
    assert apart < 0 < lead.low
    assert weighing.led_by(guesses, guesses).share == 0.0
