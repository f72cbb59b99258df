"""What a simulation remembers from turn to turn holds only until a peg leaves the domain."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from games.engine import playouts
from games.engine.ruleset import HeldItem, Setup
from games.rulesets.peg_domain.boards import DOMAIN, DOMAIN_SQUARES, PALLET_SQUARES, members, set_of
from games.rulesets.peg_domain.state import PegDomainState
from tests.rulesets.peg_domain.helpers import RULES

ITEMS = tuple([HeldItem(seat, "peg-subtraction") for seat in (0, 1) for _ in range(9)])


def scraps(seed: int) -> PegDomainState:
    """Scraps of two pallets and a domain that is nearly full, with many pegs to take off it."""
    random = Random(seed)
    options = RULES.options_type()  # type: ignore[call-arg]
    state = RULES.initial(Setup("final", options, 0, ITEMS))
    while state.phase != "play":
        state = playouts.step(RULES, state, random.random)
    corner = [square for square in PALLET_SQUARES if square % 13 < 8 and square // 13 < 8]
    left = [set_of(random.sample(corner, 45)) for _ in range(2)]
    pegs = [set_of(random.sample(members(each), 12)) for each in left]
    free = set_of(random.sample(DOMAIN_SQUARES, 16))
    frame = replace(
        state.frame,
        pegs=(pegs[0], pegs[1]),
        listed=(tuple(members(pegs[0])), tuple(members(pegs[1]))),
    )
    return replace(state, frame=frame, left=(left[0], left[1]), standing=DOMAIN & ~free)


@pytest.mark.parametrize("seed", range(60))
def test_what_was_out_of_reach_is_tried_again_after_a_subtraction(seed: int) -> None:
    state = scraps(seed)
    one, many = Random(seed), Random(seed)
    plain = [playouts.playout(RULES, state, one.random) for _ in range(40)]
    assert playouts.playouts(RULES, state, many.random, 40) == plain
    assert one.random() == many.random(), "as many numbers were drawn"
