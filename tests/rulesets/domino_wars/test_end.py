"""Skipped turns, stuck players, the end test, ties and time."""

from __future__ import annotations

from typing import Any

import pytest

from games.engine.decisions import Outcome, Seat
from games.engine.playouts import playout
from games.rulesets.domino_wars.moves import ReserveTimeout
from games.rulesets.domino_wars.state import State
from tests.rulesets.domino_wars.helpers import (
    BLANK,
    RULES,
    begin,
    board,
    dealt,
    decision_of,
    position,
    say,
    shown,
    side,
    sizes,
    source,
    told,
)

# Nothing but a 6 fits on any square but those of column D, which are empty.
HIGH = "5a 5b 5a ..  5b 5a 5b ..  5a 5b 5a ..  5b 5a 5b .."
# Nothing fits anywhere but on A1 and A2, which only the first player can cover with one domino.
PILLAR = "0a 6a 6a 6b  0b 6b 6a 6b  6a 6b 6a 6b  6b 6a 6b 6a"


def passed(state: State) -> list[tuple[int, str]]:
    return [(each["seat"], each["why"]) for each in shown(state)["passed"]]


def outcome(state: State) -> Outcome | None:
    return RULES.outcome(state)


# -- skipped by a 6 ------------------------------------------------------------------------------


def test_a_turn_skipped_by_a_6_is_spent_when_it_comes_up_and_nothing_is_drawn() -> None:
    state = position(side("36 34", "12 35 45"), side("03 13 23", "35 45 46 56"))
    state = say(state, "36 A1:A2")
    assert shown(state)["sides"][0]["skip"]
    before = sizes(state, 0)
    state = say(state, "13 C4:D4")
    # Seat 0's turn has come and gone: seat 1 plays again.
    assert shown(state)["turn"] == 1
    assert passed(state) == [(0, "six")]
    assert not shown(state)["sides"][0]["skip"]
    assert sizes(state, 0) == before
    state = say(state, "23 C3:D3", "top 56")
    assert (shown(state)["turn"], passed(state)) == (0, [])


def test_both_can_be_skipped_one_after_the_other() -> None:
    state = position(side("36 34", "12 35"), side("03 46", "35", skip=True))
    state = say(state, "36 A1:A2")
    assert passed(state) == [(1, "six"), (0, "six")]
    assert shown(state)["turn"] == 1


def test_the_log_tells_of_a_skipped_turn() -> None:
    state = say(position(side("36 34", "12"), side("03 13", "35")), "36 A1:A2")
    assert told(state, "13 C4:D4", 0) == [
        "played 13 C4:D4",
        "drew a domino",
        "has no draw pile left to draw from",
        "had this turn skipped, because of the 6 played before",
    ]


# -- no play -------------------------------------------------------------------------------------


def test_no_domino_in_hand_skips_the_turn_and_nothing_is_drawn() -> None:
    state = say(position(side("34", "12"), side("", "35 45")), "34 A1:A2")
    assert (shown(state)["turn"], passed(state)) == (0, [(1, "hand")])
    assert sizes(state, 1) == (0, 2, 0)


def test_no_domino_that_fits_skips_the_turn_and_nothing_is_drawn() -> None:
    state = position(side("34 35", "12 13"), side("03 13", "56 46"), HIGH)
    state = say(state, "35 D1:D2")
    assert (shown(state)["turn"], passed(state)) == (0, [(1, "board")])
    assert sizes(state, 1) == (2, 2, 0)
    assert RULES.view(state, 0)["legal"] == {"34": ["D3:D4", "D4:D3"]}


def test_the_option_lets_a_stuck_player_draw_and_the_turn_passes() -> None:
    state = position(side("34 35", "12 13"), side("03 13", "56 46"), HIGH, draw_when_stuck=True)
    assert told(state, "35 D1:D2")[-2:] == [
        "had this turn skipped, since no domino in hand fits",
        "drew 56",
    ]
    state = say(state, "35 D1:D2")
    assert (shown(state)["turn"], passed(state)) == (0, [(1, "board")])
    assert shown(state)["sides"][1]["hand"] == ["03", "13", "56"]
    state = say(position(side("34", "12"), side("", "35"), draw_when_stuck=True), "34 A1:A2")
    assert sizes(state, 1) == (1, 0, 0)


def test_the_option_is_not_for_a_player_skipped_by_a_6() -> None:
    two = side("03 13", "56 46", skip=True)
    state = say(position(side("34 35", "12 13"), two, HIGH, draw_when_stuck=True), "35 D1:D2")
    assert passed(state) == [(1, "six")]
    assert sizes(state, 1) == (2, 2, 0)


def test_with_the_option_the_end_test_comes_first() -> None:
    """Seat 1 would draw the 56, which fits; but nobody can play with what is in hand."""
    state = say(position(side("34"), side("03", "56"), PILLAR, draw_when_stuck=True), "34 A1:A2")
    assert shown(state)["phase"] == "over"
    assert sizes(state, 1) == (1, 1, 0)


# -- the end -------------------------------------------------------------------------------------


def test_the_end_is_when_neither_can_play_with_the_hand() -> None:
    state = say(position(side("34"), side("03", "56"), PILLAR), "34 A1:A2")
    assert outcome(state) == Outcome(0, "points", (9, 7))
    assert RULES.decisions(state) == ()
    assert board(state).split()[:5:4] == ["3a", "4a"]


def test_the_end_is_tested_before_a_skip_is_spent() -> None:
    """Seat 0 has a skip pending and nothing that fits, and so has seat 1: there is no skip any
    more."""
    state = say(position(side("36"), side("03", skip=True), PILLAR), "36 A1:A2")
    assert shown(state)["phase"] == "over"
    assert [each["skip"] for each in shown(state)["sides"]] == [True, True]
    assert passed(state) == []


def test_a_domino_drawn_at_the_end_of_the_turn_counts() -> None:
    state = say(position(side("34", "56"), side("03"), PILLAR), "34 A1:A2")
    assert (shown(state)["turn"], passed(state)) == (0, [(1, "board")])


def test_whoever_is_skipped_can_still_play_later() -> None:
    """Seat 1 is stuck and seat 0 has to sit out a turn: the match goes on with seat 0."""
    state = say(position(side("36", "56"), side("03"), TWO_PILLARS), "36 A1:A2")
    assert passed(state) == [(1, "board"), (0, "six"), (1, "board")]
    assert shown(state)["turn"] == 0


def test_the_log_tells_the_end() -> None:
    lines = told(position(side("34"), side("03"), PILLAR), "34 A1:A2", "room")
    assert lines[-1] == "Neither player has a domino in hand that fits."


# The same with room for another one on A3 and A4.
TWO_PILLARS = "0a 6a 6a 6b  0b 6b 6a 6b  0a 6b 6a 6b  0b 6a 6b 6a"
# Eight squares each once seat 0 has covered A1 and A2.
TIED = "0a 6b 6a 6b  0b 6b 6a 6b  6a 6b 6a 6b  6b 6a 6b 6a"


@pytest.mark.parametrize(
    ("terms", "winner"),
    [
        ({"advantage": 0}, 0),
        ({"advantage": 1}, 1),
        ({"advantage": 0, "ties": (0, 1)}, 1),
        ({"advantage": 1, "ties": (1, 0)}, 0),
        ({"advantage": 1, "ties": (1, 1)}, 1),
    ],
)
def test_a_tie_goes_to_the_holder_of_tie_advantage_else_to_the_advantage(
    terms: dict[str, Any], winner: Seat
) -> None:
    state = say(position(side("34"), side("03"), TIED, **terms), "34 A1:A2")
    assert outcome(state) == Outcome(winner, "tie-break", (8, 8))


def test_more_squares_win_whatever_the_items() -> None:
    state = say(position(side("34"), side("03"), PILLAR, ties=(0, 1), advantage=1), "34 A1:A2")
    assert outcome(state) == Outcome(0, "points", (9, 7))


def test_a_turn_that_outlasts_its_reserve_loses() -> None:
    state = position(side("34", "12"), side("03"))
    for late in (state, say(position(side("23", "12 35"), side("03")), "23 A1:A2")):
        decision = decision_of(late, 0)
        move = RULES.on_timeout(late, decision)
        assert isinstance(move, ReserveTimeout)
        after = RULES.apply(late, ((0, move),))
        ended = outcome(after)
        assert ended is not None
        assert (ended.winner, ended.reason) == (1, "timeout")
        assert RULES.events(late, ((0, move),), after) == []
        assert shown(after)["late"] == 0


def test_before_anything_counts_it_stands_0_to_0() -> None:
    assert RULES.scores(begin()) == (0, 0)
    assert RULES.scores(dealt()) == (0, 0)


def test_the_opening_position_can_always_be_played() -> None:
    state = dealt()
    assert len(list(RULES.legal(state, RULES.decisions(state)[0]))) == 3 * 24
    end, _ = playout(RULES, state, source(1))
    assert RULES.outcome(end) is not None
    assert board(dealt()) == BLANK
