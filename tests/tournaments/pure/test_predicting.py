"""Points of predictions, and the table, by the rule alone."""

from __future__ import annotations

import random

import pytest

from tournaments.predicting import MATCH_POINTS, WINNER_POINTS, Tally, ranked, together


@pytest.mark.parametrize(
    ("tally", "points"),
    [
        (Tally(1), 0),
        (Tally(1, right=0, of=4), 0),
        (Tally(1, right=3, of=4), 3),
        (Tally(1, winner=True), 3),
        (Tally(1, winner=False), 0),
        (Tally(1, right=2, of=2, winner=True), 5),
        (Tally(1, right=2, of=9, winner=False), 2),
    ],
)
def test_one_for_a_death_match_and_three_for_the_season(tally: Tally, points: int) -> None:
    assert (MATCH_POINTS, WINNER_POINTS) == (1, 3)
    assert tally.points == points


def test_who_has_as_many_shares_the_rank() -> None:
    rows = ranked([
        Tally(4, 1, 1), Tally(2, 0, 3), Tally(3, 2, 9), Tally(1, 0, 0, True), Tally(5, 2, 2),
    ])  # fmt: skip
    assert [(each.rank, each.shared, each.tally.user) for each in rows] == [
        (1, False, 1), (2, True, 3), (2, True, 5), (4, False, 4), (5, False, 2),
    ]  # fmt: skip


def test_of_whom_nothing_is_decided_nobody_is_told() -> None:
    assert ranked([Tally(1), Tally(2, 0, 1), Tally(3, winner=False)]) == ranked(
        [Tally(2, 0, 1), Tally(3, winner=False)]
    )
    assert ranked([Tally(1)]) == ranked([]) == []


def test_what_is_counted_apart_is_one_persons() -> None:
    found = together([Tally(1, 1, 2, True), Tally(2, 0, 1), Tally(1, 2, 2), Tally(2, 0, 0, False)])
    assert sorted(found) == [Tally(1, 3, 4, True), Tally(2, 0, 1, False)]


def test_the_order_in_which_tallies_come_makes_no_difference() -> None:
    draw = random.Random(7)
    for _ in range(30):
        rows = [
            Tally(user, draw.randint(0, 3), 3, draw.choice([None, True, False]))
            for user in range(12)
        ]
        table = ranked(rows)
        draw.shuffle(rows)
        assert ranked(rows) == table
        for each in table:
            above = sum(other.tally.points > each.tally.points for other in table)
            level = sum(other.tally.points == each.tally.points for other in table)
            assert (each.rank, each.shared) == (above + 1, level > 1)
