import random
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.refusals import Refusal
from games.engine.errors import EngineFault
from tests.support import depth
from tests.tournaments.pure.helpers import by_lot, bye, field, played, void, walkover, won
from tournaments.formats.field import Pairing, Player, Result
from tournaments.formats.swiss import rules as swiss
from tournaments.formats.swiss.rules import Field, PairedRound, pair_round, weight


def sides(paired: PairedRound) -> list[tuple[int, ...]]:
    return [pairing.sides for pairing in paired.pairings]


def test_the_first_round_folds_the_field() -> None:
    # Nobody has points: the upper half meets the lower half in order. Seat 0 to the better seed.
    assert sides(pair_round(field(8), [], number=1)) == [(1, 5), (2, 6), (3, 7), (4, 8)]


def test_the_second_round_brings_winners_together() -> None:
    results = [won(1, 1, 5), won(1, 2, 6), won(1, 3, 7), won(1, 4, 8)]
    # Winners 1 2 3 4 fold to 1-3 and 2-4, though all of them have had seat 0.
    # Between two who have had the same seats it goes to the better seed.
    assert sides(pair_round(field(8), results, number=2)) == [(1, 3), (2, 4), (5, 7), (6, 8)]


def test_seats_are_evened_out() -> None:
    # 1 and 2 have had seat 0, 3 and 4 seat 1, and 1 3 and 2 4 are level on points.
    results = [won(1, 1, 4), Result(1, 2, 3, 3)]
    # Level on points: 1 and 3 (one each), 4 and 2 (none). 3 has not had seat 0 yet, nor has 4.
    assert sides(pair_round(field(4), results, number=2)) == [(3, 1), (4, 2)]


def test_the_bye_goes_to_the_foot_and_only_once() -> None:
    first = pair_round(field(5), [], number=1)
    assert sides(first)[-1] == (5,)
    results = [won(1, 1, 3), won(1, 2, 4), bye(1, 5)]
    # 3 and 4 have no points; 4 is the lower seed.
    assert sides(pair_round(field(5), results, number=2))[-1] == (4,)


def test_the_bye_moves_up_when_the_rest_could_not_be_paired() -> None:
    # 3 stands last, but 1 and 2 have met: only with 2 resting can the round be paired.
    results = [won(1, 1, 2), void(1, 2, 3)]
    assert sides(pair_round(field(3), results, number=2)) == [(3, 1), (2,)]


def test_everybody_rested() -> None:
    results = [bye(1, 1), bye(2, 2), bye(3, 3)]
    with pytest.raises(Refusal) as refused:
        pair_round(field(3), results, number=4)
    assert refused.value.code == "pairing.bye"
    lenient = pair_round(field(3), results, number=4, lenient=True)
    assert sides(lenient) == [(1, 2), (3,)]


def test_a_rematch_is_refused_and_can_be_allowed() -> None:
    results = [won(1, 1, 2)]
    with pytest.raises(Refusal) as refused:
        pair_round(field(2), results, number=2)
    assert refused.value.code == "pairing.rematch"
    allowed = pair_round(field(2), results, number=2, lenient=True)
    assert sides(allowed) == [(2, 1)], "with seats changed"
    assert allowed.rematches == allowed.pairings


def test_no_more_rematches_than_there_must_be() -> None:
    # 1 has met everybody: one rematch, for 1, and no other.
    results = [won(n - 1, 1, n) for n in range(2, 7)]
    allowed = pair_round(field(6), results, number=6, lenient=True)
    assert len(allowed.rematches) == 1
    assert 1 in allowed.rematches[0].sides


def test_a_void_match_may_be_played_again_and_a_walkover_may_not() -> None:
    assert sides(pair_round(field(2), [void(1, 1, 2)], number=2)) == [(1, 2)]
    with pytest.raises(Refusal):
        pair_round(field(2), [walkover(1, 1, 2)], number=2)


def test_late_entries_begin_with_nothing_and_who_left_is_not_paired() -> None:
    results = [won(1, 1, 3), won(1, 2, 4)]
    late = [*field(4)[:3], Player(9, 9)]  # 4 has gone, 9 has come
    # 9 has no points, like 3; 3 has had seat 1 and 9 nothing yet.
    assert sides(pair_round(late, results, number=2)) == [(1, 2), (3, 9)]


def test_bad_fields() -> None:
    with pytest.raises(Refusal) as refused:
        pair_round(field(1), [], number=1)
    assert refused.value.code == "pairing.too-few"
    with pytest.raises(EngineFault):
        pair_round(field(4), [Result(1, 1, 2)], number=2)


# -- against brute force ---------------------------------------------------------------------------


def perfect(players: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Every way to pair an even number of players."""
    if not players:
        yield []
        return
    first, *others = players
    for index, other in enumerate(others):
        for rest in perfect(others[:index] + others[index + 1 :]):
            yield [(first, other), *rest]


def brute(players: list[Player], results: list[Result], paired: PairedRound) -> tuple[int, int]:
    """The fewest rematches and then the least weight, with the bye where it is."""
    resting = [p.home for p in paired.pairings if p.away is None]
    byes = [Pairing(0, player, None) for player in resting]
    ids = [player.id for player in players if player.id not in resting]
    met = {frozenset(r.sides) for r in results if r.away is not None}
    return min(
        (
            sum(frozenset(pair) in met for pair in pairs),
            weight(players, results, [*(Pairing(0, *pair) for pair in pairs), *byes]),
        )
        for pairs in perfect(ids)
    )


@settings(max_examples=depth.examples(60), deadline=None)
@given(st.integers(2, 8), st.integers(1, 8), st.integers(0, 10**6))
def test_each_round_is_the_lightest_and_repeats_no_more_than_it_must(
    size: int, rounds: int, seed: int
) -> None:
    source = random.Random(seed)
    players = field(size)
    results: list[Result] = []
    for number in range(1, rounds + 1):
        paired = pair_round(players, results, number=number, lenient=True)
        fewest, least = brute(players, results, paired)
        assert weight(players, results, paired.pairings) == least
        assert len(paired.rematches) == fewest
        if paired.rematches:
            with pytest.raises(Refusal):
                pair_round(players, results, number=number)
        results += played(paired.pairings, by_lot(source))


@settings(max_examples=depth.examples(40), deadline=None)
@given(st.integers(3, 9).filter(lambda n: n % 2), st.integers(2, 9), st.integers(0, 10**6))
def test_the_bye_is_the_lowest_that_can_be(size: int, rounds: int, seed: int) -> None:
    source = random.Random(seed)
    players = field(size)
    results: list[Result] = []
    for number in range(1, min(rounds, size) + 1):
        try:
            paired = pair_round(players, results, number=number)
        except Refusal:
            return
        rested = Counter(r.home for r in results if r.away is None)
        resting = paired.pairings[-1].home
        assert rested[resting] == 0
        points = Counter(r.winner for r in results)
        met = {frozenset(r.sides) for r in results if r.away is not None}
        below = [p.id for p in players if points[p.id] < points[resting] and not rested[p.id]]
        for lower in below:
            others = [p.id for p in players if p.id != lower]
            assert all(any(frozenset(pair) in met for pair in pairs) for pairs in perfect(others))
        results += played(paired.pairings, by_lot(source))


# -- whole tournaments -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "rounds", "seed"), [(64, 9, 1), (63, 9, 2), (64, 9, 3), (20, 9, 4), (131, 6, 5)]
)
def test_whole_tournaments(size: int, rounds: int, seed: int) -> None:
    source = random.Random(seed)
    players = field(size)
    results: list[Result] = []
    for number in range(1, rounds + 1):
        if number == 3:
            players = [*players[1:], Player(1000 + seed, 1000)]
        paired = pair_round(players, results, number=number)
        assert paired.rematches == ()
        everybody = sorted(side for pairing in paired.pairings for side in pairing.sides)
        assert everybody == sorted(player.id for player in players), "everybody once a round"
        results += played(paired.pairings, by_lot(source))
    met = Counter(frozenset(r.sides) for r in results if r.away is not None)
    assert set(met.values()) == {1}
    assert max(Counter(r.home for r in results if r.away is None).values(), default=0) <= 1
    seats = Counter(r.home for r in results if r.away) - Counter()
    for player in players:
        mine = [r for r in results if player.id in r.sides and r.away is not None]
        assert abs(2 * seats[player.id] - len(mine)) <= 3


def test_the_same_field_is_paired_the_same_whatever_the_order_of_the_input() -> None:
    source = random.Random(7)
    players = field(17)
    results: list[Result] = []
    for number in range(1, 6):
        paired = pair_round(players, results, number=number)
        shuffled, jumbled = list(players), list(results)
        source.shuffle(shuffled)
        source.shuffle(jumbled)
        assert pair_round(shuffled, jumbled, number=number) == paired
        results += played(paired.pairings, by_lot(source))


def test_near_neighbours_are_enough_in_large_fields(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The restricted candidates of large fields against all candidates, on the same rounds.
    source = random.Random(11)
    players = field(60)
    results: list[Result] = []
    for number in range(1, 8):
        best = pair_round(players, results, number=number)
        with monkeypatch.context() as patch:
            patch.setattr(swiss, "COMPLETE", 10)
            near = pair_round(players, results, number=number)
        # Hardly heavier at all, and no further apart in points.
        points = Counter(result.winner for result in results)
        apart = [
            sum((points[p.home] - points[p.away]) ** 2 for p in paired.pairings)
            for paired in (near, best)
        ]
        assert apart[0] == apart[1]
        results += played(best.pairings, by_lot(source))


def test_pairs_that_are_left_out_beforehand_are_in_no_lightest_round() -> None:
    # The quick way of small fields against a matching over all pairs, with nothing left out.
    source = random.Random(5)
    players = field(40)
    results: list[Result] = []
    for number in range(1, 10):
        paired = pair_round(players, results, number=number)
        everybody = swiss.Field(players, results)
        costs = swiss._edges(everybody, 40, rematches=False)
        slow = swiss._lightest(40, costs)
        assert slow is not None
        assert weight(players, results, paired.pairings) == sum(costs[pair] for pair in slow)
        results += played(paired.pairings, by_lot(source))


def test_more_pairs_are_looked_at_when_near_ones_leave_somebody_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tries: list[int] = []
    looked = swiss._edges

    def spy(spied: Field, reach: int, *, rematches: bool) -> dict[tuple[int, int], int]:
        tries.append(reach)
        return looked(spied, reach, rematches=rematches)

    monkeypatch.setattr(swiss, "_edges", spy)
    monkeypatch.setattr(swiss, "COMPLETE", 10)
    monkeypatch.setattr(swiss, "REACHES", (1,))
    # 8 is near 7, 9, and (as the fold of twelve puts them) 1, 2, 3: having met them all, only a
    # wider look finds somebody.
    met = [won(n, 8, other) for n, other in enumerate((7, 9, 1, 2, 3, 6, 10), start=1)]
    lost = [void(n, 8, 11) for n in range(8, 10)]
    wide = pair_round(field(12), [*met, *lost], number=10)
    assert tries == [1, 12]
    assert wide.rematches == ()
