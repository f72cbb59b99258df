"""The search for placements against one that tries every peg, square and rotation in turn."""

from __future__ import annotations

import random

import pytest

from games.rulesets.peg_domain import search
from games.rulesets.peg_domain.boards import DOMAIN, DOMAIN_SQUARES, PALLET_SQUARES, members


def can_be_placed(left: int, pegs: int, free: int) -> bool:
    """Slow and plain."""
    draw = random.Random(1).random
    return any(
        search.path_from(left, pegs, free, draw, start=start, target=target, turns=turns)
        for start in members(pegs)
        for target in DOMAIN_SQUARES
        if free >> target & 1
        for turns in range(4)
    )


@pytest.mark.parametrize("seed", range(400))
def test_it_finds_one_exactly_where_there_is_one(seed: int) -> None:
    source = random.Random(seed)
    # Long rows to walk along, few pegs to meet, and a domain with holes.
    thickly = source.choice((0.6, 0.85))
    among = [each for each in PALLET_SQUARES if source.random() < thickly]
    left = sum(1 << each for each in among)
    pegs = sum(1 << each for each in source.sample(among, source.randint(2, 5)))
    holes = source.choice((0.1, 0.4, 0.6))
    free = DOMAIN & ~sum(1 << each for each in DOMAIN_SQUARES if source.random() < holes)
    place = search.thorough(left, pegs, free, source.random)
    assert (place is not None) == can_be_placed(left, pegs, free)


def test_ways_of_the_same_length_are_told_apart() -> None:
    """A position of a match in which a way into the row below was once mistaken for one along the
    row: nothing can be placed here, and a placement was promised."""
    left = int("1684784575213662940666587399631598989099476270302672714574574018560")
    pegs = int("849080351577742317751964098199592865641694409811299719131988754432")
    free = 575620562549676700432773313654784
    for seed in range(50):
        place = search.thorough(left, pegs, free, random.Random(seed).random)
        assert (place is not None) == can_be_placed(left, pegs, free)
