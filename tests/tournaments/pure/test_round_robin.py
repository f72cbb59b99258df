from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.refusals import Refusal
from games.engine.errors import EngineFault
from tests.tournaments.pure.helpers import field, walkover, won
from tournaments.formats.field import Pairing, Result, ResultBasis
from tournaments.formats.round_robin.rules import counted, timetable


def test_four_players() -> None:
    # Place 4 stands still and meets 1, 2, 3 in turn, on either seat in turn; the others go round.
    assert timetable(field(4)) == (
        Pairing(1, 1, 4), Pairing(1, 2, 3),
        Pairing(2, 4, 2), Pairing(2, 3, 1),
        Pairing(3, 3, 4), Pairing(3, 1, 2),
    )  # fmt: skip


@given(st.integers(2, 25), st.sampled_from([1, 2]))
def test_everybody_meets_everybody_once_a_leg_with_seats_balanced(size: int, legs: int) -> None:
    pairings = timetable(field(size), legs=legs)
    rounds = legs * (size - 1 + size % 2)
    for number in range(1, rounds + 1):
        sides = [side for p in pairings if p.round == number for side in p.sides]
        assert sorted(sides) == list(range(1, size + 1)), "everybody is in each round once"
    met = Counter(frozenset(p.sides) for p in pairings if p.away is not None)
    assert len(met) == size * (size - 1) // 2
    assert set(met.values()) == {legs}
    rests = Counter(p.home for p in pairings if p.away is None)
    assert rests == (dict.fromkeys(range(1, size + 1), legs) if size % 2 else {})
    home = Counter(p.home for p in pairings if p.away is not None)
    away = Counter(p.away for p in pairings if p.away is not None)
    for number in range(1, size + 1):
        assert abs(home[number] - away[number]) <= (1 if legs == 1 and size % 2 == 0 else 0)


def test_the_second_leg_changes_seats() -> None:
    first = timetable(field(5))
    both = timetable(field(5), legs=2)
    assert both[: len(first)] == first
    for there, back in zip(first, both[len(first) :], strict=True):
        assert back.round == there.round + 5
        assert back.sides == there.sides[::-1]


def test_bad_fields_are_refused() -> None:
    with pytest.raises(Refusal) as refused:
        timetable(field(1))
    assert refused.value.code == "pairing.too-few"
    with pytest.raises(EngineFault):
        timetable(field(4), legs=3)


# -- withdrawals: five players, four matches each, so half is two ----------------------------------


FIVE = timetable(field(5))


def result(one: int, other: int, winner: int) -> Result:
    pairing = next(p for p in FIVE if {*p.sides} == {one, other})
    return Result(pairing.round, pairing.home, pairing.away, winner)


def test_who_leaves_before_half_of_their_matches_leaves_no_trace() -> None:
    mine = result(1, 2, 1)
    other = result(2, 3, 3)
    now = counted(FIVE, [mine, other], withdrawn=[1])
    assert now.out == {1}
    assert now.annulled == (mine,)
    assert other in now.results
    assert all(1 not in r.sides for r in now.results)
    assert all(1 not in p.sides for p in now.open)
    assert len(now.open) == 5, "2-3 is done; five of the six among 2, 3, 4 and 5 are left"


def test_who_leaves_after_half_gives_walkovers() -> None:
    kept = [result(1, 2, 1), result(1, 3, 3)]
    now = counted(FIVE, kept, withdrawn=[1])
    assert now.out == frozenset()
    assert now.annulled == ()
    assert all(r in now.results for r in kept)
    walkovers = [r for r in now.results if r.how is ResultBasis.WALKOVER]
    assert sorted((r.winner, r.loser) for r in walkovers) == [(4, 1), (5, 1)]
    assert all(1 not in p.sides for p in now.open)


def test_of_two_who_leave_late_the_first_to_go_loses() -> None:
    kept = [result(1, 2, 1), result(1, 3, 3), result(4, 2, 4), result(4, 3, 4)]
    now = counted(FIVE, kept, withdrawn=[1, 4])
    assert now.out == frozenset()
    assert sorted((r.winner, r.loser) for r in now.results if r.how is ResultBasis.WALKOVER) == [
        (4, 1), (5, 1), (5, 4),
    ]  # fmt: skip


def test_who_left_late_stays_in_the_table_when_another_is_annulled() -> None:
    kept = [result(1, 2, 1), result(1, 3, 3)]
    # 1 leaves with two of four finished, which gives 2 a walkover win in nothing: they have met.
    # Then 2 leaves with one of four finished; the match with 1 goes, but 1 had finished it.
    now = counted(FIVE, kept, withdrawn=[1, 2])
    assert now.out == {2}
    assert now.annulled == (kept[0],)
    assert sorted((r.winner, r.loser) for r in now.results if r.how is ResultBasis.WALKOVER) == [
        (4, 1), (5, 1),
    ]  # fmt: skip
    # Had 2 left first, without a trace but the one match on record: the same.
    assert counted(FIVE, kept, withdrawn=[2, 1]) == now


def test_recorded_walkovers_count_as_finished() -> None:
    meeting = next(p for p in FIVE if {*p.sides} == {1, 2})
    recorded = walkover(meeting.round, 1, 2)
    assert counted(FIVE, [recorded, result(1, 3, 1)], withdrawn=[1]).out == frozenset()


def test_rests_are_settled_and_strange_results_are_a_bug() -> None:
    now = counted(FIVE, [])
    assert [r.how for r in now.results] == [ResultBasis.BYE] * 5
    assert all(r.winner is None for r in now.results), "a rest is worth nothing"
    with pytest.raises(EngineFault):
        counted(FIVE, [won(1, 1, 99)])
