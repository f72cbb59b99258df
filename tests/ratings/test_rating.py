"""The arithmetic: published values, the formula by hand, and what must hold of any results."""

from __future__ import annotations

import itertools
import math
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import BradleyTerryFull, PlackettLuce

from games.ratings.rating import (
    METHOD,
    NEWCOMER,
    PROVISIONAL_SIGMA,
    Change,
    Meetings,
    RatedResult,
    Strength,
    changes_of,
    rate,
    rated_pair,
)
from tests.ratings.support import DAY_0, by_hand, results

pairs = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 6)).filter(lambda pair: pair[0] != pair[1]),
    max_size=40,
)


def test_the_library_gives_the_published_example() -> None:
    # The tests of the model's first public implementation give these for two newcomers. It had no
    # tau yet: a match did not make anything less sure.
    model = BradleyTerryFull(tau=0)
    (won,), (lost,) = model.rate([[model.rating()], [model.rating()]])
    assert (won.mu, won.sigma) == pytest.approx((27.63523138347365, 8.065506316323548), rel=1e-14)
    assert (lost.mu, lost.sigma) == pytest.approx((22.36476861652635, 8.065506316323548), rel=1e-14)


def test_two_newcomers_by_hand() -> None:
    # sigma = 8.333333, tau = 0.083333:  s² = 69.444444 + 0.006944 = 69.451389, s = 8.333750
    # beta² = 17.361111:                 c² = 2 * 69.451389 + 2 * 17.361111 = 173.625, c = 13.176684
    # mu are equal:                      p  = 1/2
    # mu    = 25 ± 69.451389 / 13.176684 / 2                  = 25 ± 2.635390
    # sigma = 8.333750 * sqrt(1 - (0.632462)³ / 4)            = 8.333750 * sqrt(0.936754) = 8.065898
    winner, loser = rated_pair(Strength(), Strength())
    assert winner.mu == pytest.approx(27.635390, abs=1e-6)
    assert loser.mu == pytest.approx(22.364610, abs=1e-6)
    assert winner.sigma == loser.sigma == pytest.approx(8.065898, abs=1e-5)


def test_a_favourite_who_wins_gains_little_and_one_who_loses_loses_much() -> None:
    # (30, 3) beats (22, 6): c² = 9.006944 + 36.006944 + 34.722222 = 79.736111, c = 8.929508
    # p = 1 / (1 + exp(-8 / 8.929508)) = 0.710106
    # 30 + 9.006944 / 8.929508 * 0.289894  = 30.292406
    # 22 - 36.006944 / 8.929508 * 0.289894 = 20.831050
    strong, weak = Strength(30, 3), Strength(22, 6)
    winner, loser = rated_pair(strong, weak)
    assert winner == pytest.approx((30.292406, 2.989407), abs=1e-5)
    assert loser == pytest.approx((20.831050, 5.810134), abs=1e-5)
    upset, beaten = rated_pair(weak, strong)
    assert beaten.mu < strong.mu - 2 * (winner.mu - strong.mu)
    assert upset.mu > weak.mu + 2 * (weak.mu - loser.mu)


strengths = st.tuples(st.floats(-20, 70), st.floats(0.5, 12))


@given(strengths, strengths)
def test_the_formula_that_is_told_is_the_one_that_is_used(
    winner: tuple[float, float], loser: tuple[float, float]
) -> None:
    ours = rated_pair(Strength(*winner), Strength(*loser))
    for reached, told in zip(ours, by_hand(winner, loser), strict=True):
        assert reached == pytest.approx(told, rel=1e-9)


@given(strengths, strengths)
def test_for_two_players_plackett_luce_says_the_same(
    winner: tuple[float, float], loser: tuple[float, float]
) -> None:
    model = PlackettLuce()
    (won,), (lost,) = model.rate([[model.rating(*winner)], [model.rating(*loser)]])
    ours = rated_pair(Strength(*winner), Strength(*loser))
    assert ours[0] == pytest.approx((won.mu, won.sigma), rel=1e-9)
    assert ours[1] == pytest.approx((lost.mu, lost.sigma), rel=1e-9)


@given(pairs)
def test_every_result_is_counted_once_for_each(played: list[tuple[int, int]]) -> None:
    standings, changes = rate(results(played))
    assert len(changes) == 2 * len(played)
    for user, standing in standings.items():
        own = [change for change in changes if change.user == user]
        assert standing == own[-1].after
        assert standing.games == len(own) == sum(user in pair for pair in played)
        assert standing.wins == sum(winner == user for winner, _ in played)
        assert standing.peak == max([NEWCOMER.peak, *(each.after.strength.shown for each in own)])
        assert [each.before for each in own[1:]] == [each.after.strength for each in own[:-1]]
        assert own[0].before == Strength()
    assert set(standings) == {user for pair in played for user in pair}


@given(pairs)
def test_who_wins_goes_up_and_who_loses_goes_down(played: list[tuple[int, int]]) -> None:
    for change in rate(results(played))[1]:
        assert (change.after.strength.mu > change.before.mu) is change.won
        # tau lets doubt grow by a hair in a match whose outcome was nearly certain.
        assert change.after.strength.sigma < math.hypot(change.before.sigma, 0.1)


@given(pairs, st.integers(0, 40))
def test_going_on_from_a_standing_is_the_same_as_from_nothing(
    played: list[tuple[int, int]], cut: int
) -> None:
    whole, changes = rate(results(played))
    met = Meetings()
    first, before = rate(results(played)[:cut], None, met)
    both, after = rate(results(played)[cut:], first, met)
    assert both == whole
    assert before + after == changes


def test_standings_are_brought_up_to_date_as_changes_are_taken() -> None:
    standings = {1: NEWCOMER}
    changes = changes_of(results([(1, 2), (2, 1)]), standings)
    first: list[Change] = list(itertools.islice(changes, 2))
    assert standings == {1: first[0].after, 2: first[1].after}


def test_what_is_shown() -> None:
    # 1500 + 30 (mu - 25) - 90 sigma; ± 60 sigma
    newcomer = Strength()
    assert (newcomer.shown, newcomer.estimate, newcomer.margin) == (750, 1500, 500)
    settled = Strength(31.5, 2)
    assert (settled.shown, settled.estimate, settled.margin) == (1515, 1695, 120)
    assert newcomer.is_provisional
    assert not settled.is_provisional


def test_nobody_is_provisional_for_long() -> None:
    # Against equals who are as new, which teaches the least.
    one = two = Strength()
    for games in range(1, 30):
        one, two = rated_pair(one, two) if games % 2 else rated_pair(two, one)[::-1]
        if not one.is_provisional:
            break
    assert 7 <= games <= 12
    assert one.sigma < PROVISIONAL_SIGMA


def test_weights_fall_with_each_match_of_the_pair_within_thirty_days() -> None:
    days = (0, 1, 29, 30, 31, 90)
    played = [
        RatedResult(number, DAY_0 + timedelta(days=day), *((1, 2) if number % 2 else (2, 1)))
        for number, day in enumerate(days)
    ]
    played.insert(2, RatedResult(99, DAY_0 + timedelta(days=1), 1, 3))
    weights = [change.weight for change in rate(played)[1] if change.won]
    # On the thirtieth day the first is thirty days old, and no longer one of the earlier ones.
    assert weights == pytest.approx([1, 1 / 2, 1, 1 / 3, 1 / 3, 1 / 3, 1])


@given(st.floats(0.01, 1), st.floats(0, 50), st.floats(0, 50))
def test_a_result_of_less_weight_goes_that_part_of_the_way(
    weight: float, better: float, worse: float
) -> None:
    pair = Strength(better, 4), Strength(worse, 7)
    whole = rated_pair(*pair)
    for before, full, part in zip(pair, whole, rated_pair(*pair, weight), strict=True):
        assert part.mu - before.mu == pytest.approx(weight * (full.mu - before.mu), abs=1e-9)
        went = weight * (full.sigma**2 - before.sigma**2)
        assert part.sigma**2 - before.sigma**2 == pytest.approx(went, abs=1e-9)


def test_forty_matches_of_a_pair_say_what_four_and_a_quarter_do() -> None:
    farmed = rate(results([(1, 2)] * 40))[0][1].strength
    one, other = Strength(), Strength()
    for _ in range(5):
        one, other = rated_pair(one, other)
    assert Strength().shown < farmed.shown < one.shown


def test_the_method_is_pinned() -> None:
    """Whoever changes a number below must change METHOD too: stored ratings are then made anew."""
    sample = rate(results([(1, 2), (3, 1), (2, 3), (1, 3)]))[0]
    assert METHOD == "bradley-terry-full 2"
    assert {user: each.strength for user, each in sample.items()} == {
        1: pytest.approx(SAMPLE[1], rel=1e-12),
        2: pytest.approx(SAMPLE[2], rel=1e-12),
        3: pytest.approx(SAMPLE[3], rel=1e-12),
    }


# By the formula, without the library; the fourth is the second of its pair, and counts half.
SAMPLE = {
    1: (26.102995064906693, 7.705051903569487),
    2: (25.441317476072392, 7.823827551379743),
    3: (23.649624332476545, 7.697726767727117),
}
