from collections.abc import Callable

import pytest

from games.engine.errors import EngineFault
from tests.tournaments.pure.helpers import bye, void, walkover, won
from tournaments.formats.field import Player, Result, ResultBasis, by_seed


@pytest.mark.parametrize(
    "make",
    [
        lambda: Result(1, 1, 2, winner=3),
        lambda: Result(1, 1, 1),
        lambda: Result(1, 1, None),
        lambda: Result(1, 1, 2, how=ResultBasis.BYE),
        lambda: Result(1, 1, 2, winner=1, how=ResultBasis.VOID),
    ],
)
def test_a_result_that_contradicts_itself_cannot_be_made(make: Callable[[], Result]) -> None:
    with pytest.raises(EngineFault):
        make()


def test_what_is_settled_and_who_lost() -> None:
    assert won(1, 5, 6).settled
    assert won(1, 5, 6).loser == 6
    assert walkover(1, 5, 6).loser == 6
    assert bye(1, 5).settled
    assert bye(1, 5).loser is None
    assert void(1, 5, 6).settled
    assert void(1, 5, 6).loser is None
    assert not Result(1, 5, 6).settled
    assert Result(1, 5, None, how=ResultBasis.BYE).settled, "a rest is settled too"
    with pytest.raises(EngineFault):
        won(1, 5, 6).opponent_of(7)


def test_seeds_and_ids_are_unique() -> None:
    assert [p.id for p in by_seed([Player(7, 2), Player(8, 1)])] == [8, 7]
    with pytest.raises(EngineFault):
        by_seed([Player(7, 1), Player(8, 1)])
    with pytest.raises(EngineFault):
        by_seed([Player(7, 1), Player(7, 2)])
