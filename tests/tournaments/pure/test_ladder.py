import random
from collections.abc import Collection, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.refusals import Refusal
from tests.tournaments.pure.helpers import field, void, won
from tournaments.formats.field import Player, Result
from tournaments.formats.ladder.rules import check, in_reach, moved, rungs_of


def order_of(
    players: Sequence[Player], results: Sequence[Result], withdrawn: Collection[int] = ()
) -> tuple[int, ...]:
    return tuple(rung.player for rung in rungs_of(players, results, withdrawn))


def test_a_winner_from_below_takes_the_rung() -> None:
    # 4 beats 2: takes the second rung; 2 and 3 go down by one.
    assert order_of(field(5), [won(1, 4, 2)]) == (1, 4, 2, 3, 5)
    # A defence changes nothing, nor does what is open or void.
    assert order_of(field(5), [won(1, 2, 4), void(1, 1, 5), Result(1, 1, 5)]) == (1, 2, 3, 4, 5)
    assert order_of(field(5), [won(1, 4, 2), won(2, 3, 4)]) == (1, 3, 4, 2, 5)
    # 2 has challenged 4, who had won against them, and 4 has defended the rung. Once the first of
    # the two is corrected 4 stands below; a defence still moves nobody.
    defended = Result(2, 2, 4, 4)
    assert order_of(field(5), [won(1, 4, 2), defended]) == (1, 4, 2, 3, 5)
    assert order_of(field(5), [Result(1, 4, 2, 2), defended]) == (1, 2, 3, 4, 5)


def test_who_leaves_makes_room_and_who_comes_late_begins_at_the_foot() -> None:
    assert order_of(field(5), [won(1, 4, 2)], withdrawn={4}) == (1, 2, 3, 5)
    assert order_of([*field(3), Player(9, 4)], [won(1, 3, 1)]) == (3, 1, 2, 9)


def test_every_rung_says_how_its_holder_came_there() -> None:
    names = {1: "Ann", 2: "Bob", 3: "Cyd", 4: "Dan", 5: "Eve", 6: "Fay"}

    def told(
        results: Sequence[Result], withdrawn: Collection[int] = (), size: int = 4
    ) -> list[tuple[str, str]]:
        rungs = rungs_of(field(size), results, withdrawn)
        return [(names[each.player], each.why(each.player, names)) for each in rungs]

    climbed = [won(1, 4, 2), won(2, 3, 1)]
    assert told(climbed) == [
        ("Cyd", "Took the rung from Ann."),
        ("Ann", "Entered with seed 1. Since passed by Cyd."),
        ("Dan", "Took the rung from Bob. Since passed by Cyd."),
        ("Bob", "Entered with seed 2. Since passed by Dan and Cyd."),
    ]
    # What one has won back counts from there; a defence says nothing.
    top, *_ = told([*climbed, won(3, 1, 3), Result(4, 2, 4, 4)])
    assert top == ("Ann", "Took the rung from Cyd.")
    # Who has left makes room: those whom they had passed are where they were.
    assert told(climbed, withdrawn={3}) == [
        ("Ann", "Entered with seed 1."),
        ("Dan", "Took the rung from Bob."),
        ("Bob", "Entered with seed 2. Since passed by Dan."),
    ]
    assert told([], withdrawn={1, 2}) == [
        ("Cyd", "Entered with seed 3. Ann and Bob, above, have left."),
        ("Dan", "Entered with seed 4. Ann and Bob, above, have left."),
    ]
    everybody = [won(number, number, 1) for number in (2, 3, 4, 5, 6)]
    assert ("Ann", "Entered with seed 1. Since passed by 5 others.") in told(everybody, size=6)


def test_whom_one_may_challenge() -> None:
    order = (10, 20, 30, 40, 50)
    assert in_reach(order, 50, 2) == (40, 30)
    assert in_reach(order, 20, 3) == (10,)
    assert in_reach(order, 10, 3) == ()
    assert in_reach(order, 50, 2, busy={40}) == (30,)
    assert in_reach(order, 50, 2, busy={50}) == ()
    assert in_reach(order, 99, 2) == ()


@pytest.mark.parametrize(
    ("challenger", "defender", "busy", "code"),
    [
        (99, 10, (), "ladder.unknown"),
        (10, 99, (), "ladder.unknown"),
        (10, 10, (), "ladder.self"),
        (10, 20, (), "ladder.not-above"),
        (50, 20, (), "ladder.out-of-reach"),
        (50, 40, (50,), "ladder.busy"),
        (50, 40, (40,), "ladder.busy"),
    ],
)
def test_challenges_that_are_refused(
    challenger: int, defender: int, busy: tuple[int, ...], code: str
) -> None:
    with pytest.raises(Refusal) as refused:
        check((10, 20, 30, 40, 50), challenger=challenger, defender=defender, reach=2, busy=busy)
    assert refused.value.code == code
    assert refused.value.sentence.endswith(".")


@given(st.integers(2, 12), st.integers(1, 4), st.integers(0, 10**6))
def test_a_ladder_keeps_everybody_and_moves_nobody_who_is_not_concerned(
    size: int, reach: int, seed: int
) -> None:
    source = random.Random(seed)
    order = order_of(field(size), [])
    results: list[Result] = []
    for number in range(1, 30):
        challenger = source.choice(order[1:])
        defender = source.choice(in_reach(order, challenger, reach))
        check(order, challenger=challenger, defender=defender, reach=reach)
        winner = source.choice((challenger, defender))
        loser = challenger if winner == defender else defender
        results.append(Result(number, challenger, defender, winner))
        after = order_of(field(size), results)
        assert after == tuple(moved(order, winner=winner, loser=loser))
        assert sorted(after) == sorted(order)
        top, bottom = order.index(defender), order.index(challenger)
        assert after[:top] == order[:top]
        assert after[bottom + 1 :] == order[bottom + 1 :]
        order = after
