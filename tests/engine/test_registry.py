"""The registry of rulesets, refusals, draws, and random playouts."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.refusals import Refusal
from games.engine import playouts
from games.engine.chance import below, choose, shuffled
from games.engine.errors import EngineFault
from games.engine.registry import Registry
from games.engine.ruleset import Setup
from games.rulesets import REGISTRY
from tests.engine.helpers import header, refused
from tests.toy.rules import TOY, Toy


def test_rulesets_are_found_by_id_in_the_order_given() -> None:
    class Second(Toy):
        id = "second"

    second = Second()
    registry = Registry(second, TOY)
    assert list(registry) == [second, TOY]
    assert registry.get("toy") is TOY
    assert "second" in registry
    assert "third" not in registry
    assert None not in registry


@pytest.mark.parametrize("ruleset_id", ["", "Toy", "toy ", "third"])
def test_an_unknown_ruleset_is_refused(ruleset_id: str) -> None:
    refusal = refused("setup.ruleset", Registry(TOY).get, ruleset_id)
    assert repr(ruleset_id) in refusal.sentence


def test_two_rulesets_cannot_share_an_id() -> None:
    with pytest.raises(EngineFault):
        Registry(TOY, Toy())


def test_the_site_offers_rulesets() -> None:
    assert {ruleset.id for ruleset in REGISTRY} >= {"domino-black-white", "tetronogo"}


def test_a_refusal_has_a_code_a_sentence_and_squares() -> None:
    refusal = Refusal("place.occupied", "This is taken.", ("A1",))
    assert (refusal.code, refusal.sentence, refusal.squares) == (
        "place.occupied",
        "This is taken.",
        ("A1",),
    )
    assert str(refusal) == "place.occupied: This is taken."
    assert Refusal("a.b", "C.").squares == ()


# -- draws ---------------------------------------------------------------------------------------

sources = st.floats(0, 1, exclude_max=True)


@given(number=sources, bound=st.integers(1, 10**6))
def test_a_number_below_a_bound(number: float, bound: int) -> None:
    assert 0 <= below(lambda: number, bound) < bound


@given(number=sources, items=st.lists(st.integers(), min_size=1))
def test_a_choice_is_one_of_the_items(number: float, items: list[int]) -> None:
    assert choose(lambda: number, items) in items


@given(seed=st.integers(), items=st.lists(st.integers()))
def test_shuffling_keeps_the_items_and_leaves_the_list_alone(seed: int, items: list[int]) -> None:
    before = list(items)
    assert Counter(shuffled(Random(seed).random, items)) == Counter(items)
    assert items == before


def test_every_order_is_equally_likely() -> None:
    source = Random(1).random
    orders = Counter(tuple(shuffled(source, "abc")) for _ in range(6000))
    assert len(orders) == 6
    assert all(850 < count < 1150 for count in orders.values())


# -- playouts ------------------------------------------------------------------------------------


def test_a_playout_takes_chance_and_sealed_choices_in_its_stride() -> None:
    toy = header()
    setup = Setup(toy.variant, toy.options, 1)
    state, steps = playouts.playout(TOY, TOY.initial(setup), Random(5).random)
    assert TOY.outcome(state) is not None
    assert steps > 10
    assert playouts.playout(TOY, TOY.initial(setup), Random(5).random) == (state, steps)
    # Ended already: nothing is left to play.
    assert playouts.playout(TOY, state, Random(5).random) == (state, 0)


def test_a_playout_can_be_cut_short() -> None:
    toy = header()
    state = TOY.initial(Setup(toy.variant, toy.options, 1))
    cut, steps = playouts.playout(TOY, state, Random(5).random, most=3)
    assert steps == 3
    assert TOY.outcome(cut) is None
