"""Many playouts in one call are the same ones, one step after another, as the plain rules play."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from games.engine import playouts
from games.engine.capabilities import simulates_of
from games.engine.ruleset import HeldItem, Options, Ruleset, Setup
from games.rulesets import REGISTRY
from tests.support import depth
from tests.toy.rules import TOY

AnyRuleset = Ruleset[Any, Any]

RULESETS: list[AnyRuleset] = [TOY, *REGISTRY]
VARIANTS = [(ruleset, variant.id) for ruleset in RULESETS for variant in ruleset.variants]
FASTER = [each for each in VARIANTS if simulates_of(each[0]) is not None]


def named(variants: list[tuple[AnyRuleset, str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("ruleset", "variant"), variants, ids=[f"{ruleset.id}.{v}" for ruleset, v in variants]
    )


def begun(ruleset: AnyRuleset, variant: str, random: Random) -> Any:
    """A match that has not begun, with items and with what can be switched on at random."""
    options: Options = ruleset.options_type()  # type: ignore[call-arg]
    switches = {
        name: random.random() < 0.5
        for name in type(options).__struct_fields__
        if getattr(options, name) is False
    }
    items = tuple(
        [
            HeldItem(seat, item.id)
            for seat in (0, 1)
            for item in ruleset.items
            if not item.variants or variant in item.variants
            for _ in range(random.choice((0, 0, 1, 2)))
        ]
    )
    chosen = ruleset.options_type(**switches)
    return ruleset.initial(Setup(variant, chosen, random.randrange(2), items))


def plain(
    ruleset: AnyRuleset, state: Any, random: Random, count: int, most: int
) -> list[tuple[Any, int]]:
    return [playouts.playout(ruleset, state, random.random, most) for _ in range(count)]


@named(VARIANTS)
def test_playouts_end_where_single_ones_end(ruleset: AnyRuleset, variant: str) -> None:
    for seed in range(depth.examples(8)):
        state = begun(ruleset, variant, Random(seed))
        one, many = Random(seed), Random(seed)
        ends = playouts.playouts(ruleset, state, many.random, 3)
        assert ends == plain(ruleset, state, one, 3, playouts.MOST)
        assert one.random() == many.random(), "as many numbers were drawn"
        assert all(ruleset.outcome(end) is not None for end, _ in ends)
        assert playouts.playouts(ruleset, ends[0][0], many.random, 2) == [(ends[0][0], 0)] * 2
        assert playouts.playouts(ruleset, state, many.random, 2, most=0) == [(state, 0)] * 2


@named(FASTER)
def test_every_step_is_the_one_that_the_plain_rules_make(ruleset: AnyRuleset, variant: str) -> None:
    """From every state of a match, so many steps on for every number that may be asked for."""
    simulated = 0
    simulates = simulates_of(ruleset)
    assert simulates is not None
    for seed in range(depth.examples(40)):
        random = Random(seed)
        state = begun(ruleset, variant, random)
        while ruleset.outcome(state) is None:
            for most in (1, 2, 3, random.randrange(4, 12)):
                here = random.randrange(10**6)
                one, many = Random(here), Random(here)
                found = playouts.playouts(ruleset, state, many.random, 1, most)
                assert found == plain(ruleset, state, one, 1, most)
                assert one.random() == many.random(), "as many numbers were drawn"
                assert ruleset.decode(ruleset.encode(found[0][0])) == found[0][0]
            twin = ruleset.decode(ruleset.encode(state))
            simulated += simulates.simulate(twin, random.random, 4)[1]
            state = playouts.step(ruleset, state, random.random)
    assert simulated > 100, "the faster form took no part in this"


@named(FASTER)
def test_a_state_is_left_as_it_was(ruleset: AnyRuleset, variant: str) -> None:
    random = Random(7)
    state = begun(ruleset, variant, random)
    while ruleset.outcome(state) is None:
        before = ruleset.encode(state)
        playouts.playouts(ruleset, state, random.random, 2, most=10)
        assert ruleset.encode(state) == before
        state = playouts.step(ruleset, state, random.random)
