"""How bouts make a match, and how a match ends."""

from __future__ import annotations

import pytest

from games.engine.decisions import Outcome, Seat
from games.rulesets.tetronogo.state import TetronogoState
from tests.rulesets.tetronogo.helpers import (
    RULES,
    begin,
    bricks,
    drawn_bout,
    outcome,
    picks,
    run_out,
    say,
    start,
    strips,
    walk,
    won_on_time,
)


@pytest.mark.parametrize("winner", [0, 1])
def test_two_bouts_won_in_a_row_win_the_match(winner: Seat) -> None:
    state = say(start(picks(begin(), "O", "O"), 0), *strips(0, winner=winner))
    assert RULES.outcome(state) is None
    state = say(start(picks(state, "I", "I"), winner), *bricks(winner))
    scores = (51, 21) if winner == 0 else (21, 51)
    assert outcome(state) == Outcome(winner, "two-in-a-row", scores)
    assert RULES.decisions(state) == ()


def test_two_in_a_row_counts_whenever_it_happens() -> None:
    state = begin()
    for winner in (0, 1):
        state = won_on_time(state, winner)
    assert RULES.outcome(state) is None
    third = won_on_time(state, 1)
    assert outcome(third) == Outcome(1, "two-in-a-row", (0, 0))
    fourth = won_on_time(won_on_time(state, 0), 0, points=140)
    assert outcome(fourth) == Outcome(0, "two-in-a-row", (140, 0))


def test_two_in_a_row_beats_a_higher_total() -> None:
    state = won_on_time(won_on_time(begin(), 0, points=140), 1)
    assert outcome(won_on_time(state, 1)) == Outcome(1, "two-in-a-row", (140, 0))


def test_a_drawn_bout_breaks_a_run() -> None:
    state = won_on_time(begin(), 0)
    state = drawn_bout(state, "L")
    state = won_on_time(state, 0)
    assert RULES.outcome(state) is None
    assert state.frame.number == 4


def test_two_drawn_bouts_in_a_row_win_nothing() -> None:
    state = drawn_bout(drawn_bout(begin(), "L"), "J")
    assert RULES.outcome(state) is None


def _alternating(
    points: dict[int, int], winners: tuple[Seat, ...] = (0, 1, 0, 1)
) -> TetronogoState:
    state = begin()
    for number, winner in enumerate(winners, start=1):
        assert RULES.outcome(state) is None
        state = won_on_time(state, winner, points.get(number, 0))
    return state


def test_after_four_bouts_the_higher_total_wins() -> None:
    """Seat 1 won the latest bout; the total decides all the same."""
    assert outcome(_alternating({1: 140})) == Outcome(0, "total", (140, 0))
    assert outcome(_alternating({2: 140, 3: 140, 4: 140})) == Outcome(1, "total", (140, 280))


def test_the_total_counts_all_bouts() -> None:
    state = _alternating({1: 140, 4: 140}, (0, 1, 0))
    state = say(start(picks(state, "L", "L"), 1), "A1 180")
    assert RULES.scores(state) == (140, 0)
    state = run_out(state)
    assert outcome(state) == Outcome(1, "tie-break", (140, 140))


@pytest.mark.parametrize("latest", [0, 1])
def test_with_equal_totals_the_winner_of_the_latest_bout_wins(latest: Seat) -> None:
    state = _alternating({}, (1 - latest, latest, 1 - latest, latest))
    assert outcome(state) == Outcome(latest, "tie-break", (0, 0))


@pytest.mark.parametrize("latest", [0, 1])
def test_the_latest_bout_that_anybody_won_counts(latest: Seat) -> None:
    """Bouts 3 and 4 are drawn, so bout 2 is the latest that was won."""
    state = _alternating({}, (1 - latest, latest))
    state = drawn_bout(drawn_bout(state, "L"), "J")
    assert outcome(state) == Outcome(latest, "tie-break", (0, 0))


@pytest.mark.parametrize("advantage", [0, 1])
def test_if_no_bout_was_won_the_advantage_wins(advantage: Seat) -> None:
    state = begin(advantage)
    for letter in "OILJ":
        assert RULES.outcome(state) is None
        state = drawn_bout(state, letter)
    assert outcome(state) == Outcome(advantage, "tie-break", (0, 0))


def test_a_bout_lost_on_time_does_not_change_the_reason_of_the_match() -> None:
    reasons = {
        outcome(won_on_time(won_on_time(begin(), 0), 0)).reason,
        outcome(_alternating({1: 140})).reason,
        outcome(_alternating({})).reason,
    }
    assert reasons == {"two-in-a-row", "total", "tie-break"}


def test_scores_are_the_points_of_finished_bouts_only() -> None:
    state = begin()
    assert RULES.scores(state) == (0, 0)
    state = say(start(picks(state, "O", "O"), 0), *strips(0))
    assert RULES.scores(state) == (24, 12)
    state = say(start(picks(state, "T", "T"), 0), "D4 0")
    assert RULES.scores(state) == (24, 12)


def test_every_random_match_ends_as_the_rules_say() -> None:
    """The rules of the end, applied again to the list of finished bouts."""
    reasons = set()
    for seed in range(150):
        state = walk(seed)[-1]
        bouts = state.frame.bouts
        found = outcome(state)
        winners = [bout.winner for bout in bouts]
        totals = tuple(sum(bout.points[seat] for bout in bouts) for seat in (0, 1))
        runs = [
            number
            for number in range(1, len(winners))
            if winners[number] is not None and winners[number] == winners[number - 1]
        ]
        assert found.scores == totals
        reasons.add(found.reason)
        if found.reason == "two-in-a-row":
            assert runs == [len(bouts) - 1]
            assert found.winner == winners[-1]
        else:
            assert not runs
            assert len(bouts) == 4
            if found.reason == "total":
                assert totals[found.winner or 0] > totals[1 - (found.winner or 0)]
    assert {"two-in-a-row", "total"} <= reasons
