"""The course of a match: who begins, whose turn it is, how it ends, and the clocks."""

import msgspec
import pytest

from core.refusals import Refusal
from games.engine.clocks import ClockPolicy
from games.engine.decisions import other
from games.engine.play import opened, submitted, timed_out
from games.engine.table import Header
from games.rulesets.domino_black_white.moves import ChooseOrder, TurnTimeout
from games.rulesets.domino_black_white.rules import DominoOptions
from games.rulesets.domino_black_white.state import MOST_PLACEMENTS
from tests.rulesets.domino_black_white import reference
from tests.rulesets.domino_black_white.helpers import (
    RULES,
    after,
    at_random,
    begun,
    decision,
    legal_squares,
    met,
    numbers,
    play,
    refusal,
)

# -- the order of play ---------------------------------------------------------------------------


@pytest.mark.parametrize("advantage", [0, 1])
@pytest.mark.parametrize("choice", ["first", "second"])
def test_the_seat_with_the_advantage_chooses_who_goes_first(advantage: int, choice: str) -> None:
    state = begun(advantage)
    asked = decision(state)
    assert (asked.id, asked.seat, asked.kind, asked.clock) == (
        "order",
        advantage,
        "order",
        "choice",
    )
    state = after(state, choice)
    assert state.first == (advantage if choice == "first" else other(advantage))
    assert decision(state).seat == state.first


def test_who_runs_out_of_time_choosing_goes_first() -> None:
    state = begun(1)
    move = RULES.on_timeout(state, decision(state))
    assert move == ChooseOrder(first=True)
    assert RULES.apply(state, ((1, move),)).first == 1


def test_the_order_cannot_be_chosen_twice_nor_left_out() -> None:
    assert refusal(begun(), "(1,2) CY:CZ hide 1").code == "move.wrong-kind"
    assert refusal(after(begun(), "first"), "second").code == "move.wrong-kind"


def test_players_take_turns() -> None:
    state = at_random(1, 0)
    first = state.first
    for count in range(8):
        state = at_random(1, count)
        asked = decision(state)
        assert asked.seat == (first if count % 2 == 0 else other(first or 0))
        assert (asked.id, asked.kind, asked.clock) == (f"place-{count + 1}", "place", "turn")
        assert state.to_move == asked.seat


# -- the end -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_the_match_ends_as_soon_as_no_spot_is_legal_and_not_before(seed: int) -> None:
    end = at_random(seed)
    for count in range(len(end.history)):
        state = at_random(seed, count)
        assert reference.legal(numbers(state))
        assert RULES.outcome(state) is None
    assert not reference.legal(numbers(end))
    assert RULES.outcome(end) is not None
    assert RULES.decisions(end) == ()
    assert end.to_move is None


@pytest.mark.parametrize("flat", [True, False])
def test_one_legal_spot_is_enough_be_it_flat_or_upright(flat: bool) -> None:
    """Among the last turns of random matches some leave one shape alone, and play goes on."""
    found = 0
    for seed in range(60):
        state = at_random(seed, len(at_random(seed).history) - 1)
        shapes = {one[1] == two[1] for one, two in legal_squares(state)}
        if shapes == {flat}:
            found += 1
            assert RULES.outcome(state) is None
            assert RULES.any_legal(state, decision(state))
    assert found


def test_numbers_and_hands_have_no_say_in_where_a_domino_can_lie() -> None:
    state = play("(0,1) CY:CZ hide 0", "(2,2) CX:DX hide CX")
    others = play("(3,5) CY:CZ hide 3", "(0,4) CX:DX hide 0")
    assert state.legal == others.legal


def test_the_dominoes_never_run_out() -> None:
    """63 squares have room for 31 dominoes; the players hold 42, and neither lays over 16."""
    assert MOST_PLACEMENTS == 63 // 2
    for seed in range(60):
        end = at_random(seed)
        assert len(end.history) <= MOST_PLACEMENTS
        assert min(RULES.view(end, "all")["left"]) >= 21 - 16


def _end_with(reason: str) -> list[tuple[int, ...]]:
    return [
        (seed, *outcome.scores)
        for seed in range(150)
        if (outcome := RULES.outcome(at_random(seed))) is not None and outcome.reason == reason
    ]


def test_most_points_win() -> None:
    found = _end_with("points")
    assert len(found) > 50
    for seed, one, two in found:
        outcome = RULES.outcome(at_random(seed))
        assert outcome is not None
        assert one != two
        assert outcome.winner == (0 if one > two else 1)


def test_a_tie_goes_to_whoever_placed_the_last_domino() -> None:
    found = _end_with("tie-break")
    winners = set()
    for seed, one, two in found:
        end = at_random(seed)
        outcome = RULES.outcome(end)
        assert outcome is not None
        assert one == two
        assert outcome.winner == end.placer(len(end.history) - 1)
        winners.add(outcome.winner)
    assert winners == {0, 1}


def test_nobody_can_tie_without_a_placement() -> None:
    """An empty board has legal spots, so a match without a placement is not over."""
    assert legal_squares(play())


def test_who_runs_out_of_reserve_loses_whatever_the_scores() -> None:
    state = play("(1,1) CZ:DZ hide CZ", "(3,4) EZ:FZ hide EZ", "(0,2) HX:HY hide 0")
    assert met(state) == ""
    asked = decision(state)
    assert asked.seat == 1
    lost = RULES.apply(state, ((1, RULES.on_timeout(state, asked)),))
    outcome = RULES.outcome(lost)
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.scores) == (0, "timeout", (0, 1))
    assert RULES.decisions(lost) == ()
    assert legal_squares(lost) == set()
    assert RULES.view(lost, "all")["late"] == 1
    assert RULES.view(lost, "all")["phase"] == "over"


def test_nobody_can_submit_running_out_of_time() -> None:
    state = play()
    with pytest.raises(Refusal) as caught:
        RULES.validate(state, decision(state), TurnTimeout())
    assert caught.value.code == "move.wrong-kind"
    assert refusal(state, "out of time").code == "notation.unreadable"


# -- the clocks ----------------------------------------------------------------------------------


def test_a_turn_has_two_minutes_and_ten_of_reserve_and_the_order_one_minute() -> None:
    policies = RULES.policies(DominoOptions())
    assert policies == {
        "choice": ClockPolicy(60_000),
        "turn": ClockPolicy(120_000, uses_reserve=True),
    }
    assert policies["turn"].limit(600_000) == 720_000
    assert policies["turn"].spent(121_234, 600_000) == 1_234
    assert policies["choice"].limit(600_000) == 60_000
    assert DominoOptions().reserve == 600


def test_every_time_is_an_option() -> None:
    options = msgspec.convert(
        {"turn_time": 0.5, "reserve": 86_400, "choice_time": 3}, RULES.options_type
    )
    policies = RULES.policies(options)
    assert policies["turn"].turn_ms == 500
    assert policies["choice"].turn_ms == 3_000
    assert options.reserve == 86_400


@pytest.mark.parametrize("options", [{"pick_time": 3}, {"turn_time": "2"}, {"reserve": -1}])
def test_other_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(options, RULES.options_type)


def test_the_reserve_is_spent_over_the_whole_match() -> None:
    header = Header(ruleset=RULES.id, variant="standard", options=DominoOptions(), advantage=0)
    table = opened(RULES, header)
    for seat, text, reading in (
        (0, "first", 59_000),
        (0, "(1,2) CY:CZ hide 1", 150_000),
        (1, "(1,2) DY:DZ hide 1", 120_000),
        (0, "(1,3) EY:EZ hide 1", 160_001),
    ):
        step = submitted(RULES, table, seat=seat, text=text, reading_ms=reading)
        table = step.table
    assert table.reserve_ms == (600_000 - 30_000 - 40_001, 600_000)
    late = timed_out(RULES, table, seat=1)
    assert late.table.result is not None
    assert (late.table.result.winner, late.table.result.reason) == (0, "timeout")
    assert RULES.step_notes(late.events) == {"met": ""}
    assert RULES.step_notes(step.events) == {"met": ""}
