"""The turned domain against `landing`, which turns one square after the other."""

from __future__ import annotations

from random import Random

import pytest

from games.rulesets.peg_domain import turning
from games.rulesets.peg_domain.boards import (
    DOMAIN_SQUARES,
    OFFSET,
    PALLET_SQUARES,
    landing,
    members,
    set_of,
)


@pytest.mark.parametrize("seed", range(40))
def test_a_set_laid_over_a_pallet_is_what_lands_in_it(seed: int) -> None:
    random = Random(seed)
    free = set_of([square for square in DOMAIN_SQUARES if random.random() < 0.7])
    lanes = turning.narrow(free)
    for start in random.sample(PALLET_SQUARES, 12):
        for target in random.sample(DOMAIN_SQUARES, 6):
            for turns in range(4):
                lands = {each: landing(start, each, target, turns) for each in PALLET_SQUARES}
                assert members(turning.laid_over(lanes, start, target, turns)) == [
                    each for each, at in lands.items() if at is not None and free >> at & 1
                ]
                offset = OFFSET[turns]
                for each, at in lands.items():
                    assert at in (None, target + offset[each] - offset[start])


@pytest.mark.parametrize("seed", range(40))
def test_a_shift_tells_from_where_a_square_lands_in_a_set(seed: int) -> None:
    random = Random(seed)
    free = set_of([square for square in DOMAIN_SQUARES if random.random() < 0.7])
    all_targets, lanes = turning.wide(set_of(DOMAIN_SQUARES)), turning.wide(free)
    for start in random.sample(PALLET_SQUARES, 8):
        for square in random.sample(PALLET_SQUARES, 12):
            expected = {
                (target, turns)
                for turns in range(4)
                for target in DOMAIN_SQUARES
                if (at := landing(start, square, target, turns)) is not None and free >> at & 1
            }
            if not turning.NEAR[start] >> square & 1:
                assert not expected
                continue
            away = turning.PLACE[square] - turning.PLACE[start]
            found = all_targets & (lanes >> away if away >= 0 else lanes << -away)
            assert found.bit_count() == len(expected)
            if found:
                count = len(expected)
                numbers = iter([(at + 0.5) / count for at in range(count)])
                drawn = [turning.some_target(found, numbers.__next__) for _ in range(count)]
                assert drawn == sorted(expected, key=lambda each: (each[1], each[0]))
