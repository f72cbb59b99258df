"""Clocks: the times of each decision, the reserve of a bout, and what happens when it is gone."""

from __future__ import annotations

import msgspec
import pytest

from core.refusals import Refusal
from games.engine import course, limits, play, saving
from games.engine.clocks import ClockPolicy
from games.engine.decisions import Seat
from games.engine.errors import EngineFault
from games.engine.ruleset import Options
from games.engine.table import Entry, Header, Table
from games.rulesets.tetronogo.rules import TetronogoOptions
from tests.rulesets.tetronogo.helpers import RULES

Said = tuple[Seat, str, int]  # seat, text, reading in milliseconds


def _table(*entries: Said | Entry, options: Options | None = None) -> Table:
    header = Header(
        ruleset="tetronogo",
        variant="standard",
        options=options or TetronogoOptions(),
        advantage=1,
    )
    table = play.opened(RULES, header)
    for entry in entries:
        if not isinstance(entry, Entry):
            seat, text, reading = entry
            entry = Entry(actor=1 if seat else 0, text=text, reading_ms=reading)  # noqa: PLW2901
        table = course.entered(RULES, table, entry).table
    return table


def _timeout(seat: Seat) -> Entry:
    return Entry(actor=1 if seat else 0, timeout=True)


def _chance(text: str) -> Entry:
    return Entry(actor="chance", text=text)


PICKS: tuple[Said, ...] = ((0, "pick T", 1000), (1, "pick L", 2000))
BEGUN: tuple[Said, ...] = (*PICKS, (1, "second", 500))  # seat 0 to place


def test_the_usual_times() -> None:
    assert RULES.policies(TetronogoOptions()) == {
        "pick": ClockPolicy(60_000),
        "choice": ClockPolicy(60_000),
        "turn": ClockPolicy(60_000, uses_reserve=True),
    }
    assert _table().reserve_ms == (120_000, 120_000)


def test_every_time_is_an_option() -> None:
    options = msgspec.convert(
        {"turn_time": 1.5, "reserve": 2, "choice_time": 3, "pick_time": 0.004},
        RULES.options_type,
    )
    assert RULES.policies(options) == {
        "pick": ClockPolicy(4),
        "choice": ClockPolicy(3000),
        "turn": ClockPolicy(1500, uses_reserve=True),
    }
    assert _table(options=options).reserve_ms == (2000, 2000)


@pytest.mark.parametrize("unknown", [{"interval": 10}, {"turn_time": "60"}, {"reserve": -1}])
def test_unknown_or_impossible_options_are_rejected(unknown: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(unknown, RULES.options_type)


def test_the_options_of_another_ruleset_are_a_fault() -> None:
    with pytest.raises(EngineFault):
        RULES.policies(Options(turn_time=1, reserve=1))


def test_both_clocks_of_the_picks_run_at_once_and_use_no_reserve() -> None:
    table = _table()
    assert [limits.limit_of(RULES, table, seat) for seat in (0, 1)] == [60_000, 60_000]
    _table((0, "pick T", 60_000), (1, "pick L", 60_000))
    with pytest.raises(Refusal) as refused:
        _table((0, "pick T", 60_001))
    assert refused.value.code == "clock.over"


def test_a_missing_pick_is_drawn_and_then_both_are_revealed() -> None:
    table = _table((1, "pick L", 3), _timeout(0))
    assert table.state.frame.pieces is None
    assert [draw.whose for draw in play.draws_due(RULES, table)] == [0]
    table = _table((1, "pick L", 3), _timeout(0), _chance("pick 0 T"))
    assert table.state.frame.pieces == ("T", "L")


def test_both_picks_can_be_missing() -> None:
    table = _table(_timeout(0), _timeout(1), _chance("Pick 1 s"), _chance("pick 0 S"))
    assert table.state.frame.pieces == ("S", "S")


def test_the_starter_choice_uses_no_reserve() -> None:
    table = _table(*PICKS)
    assert limits.limit_of(RULES, table, 1) == 60_000
    assert _table(*PICKS, (1, "first", 60_000)).reserve_ms == (120_000, 120_000)


def test_who_does_not_choose_the_starter_goes_first() -> None:
    assert _table(*PICKS, _timeout(1)).state.mover == 1


@pytest.mark.parametrize(
    ("reading", "left"),
    [(0, 120_000), (60_000, 120_000), (60_001, 119_999), (75_250, 104_750), (180_000, 0)],
)
def test_the_reserve_is_spent_continuously_after_the_turn_time(reading: int, left: int) -> None:
    assert _table(*BEGUN, (0, "A1 0", reading)).reserve_ms == (left, 120_000)


def test_the_last_millisecond_of_the_reserve_counts_and_the_next_does_not() -> None:
    _table(*BEGUN, (0, "A1 0", 180_000))
    with pytest.raises(Refusal) as refused:
        _table(*BEGUN, (0, "A1 0", 180_001))
    assert refused.value.code == "clock.over"


def test_the_reserve_lasts_for_the_whole_bout() -> None:
    table = _table(*BEGUN, (0, "A1 0", 100_000), (1, "D1 0", 60_000), (0, "G1 0", 130_000))
    assert table.reserve_ms == (10_000, 120_000)
    table = course.entered(RULES, table, Entry(actor=1, text="J1 0", reading_ms=0)).table
    assert limits.limit_of(RULES, table, 0) == 70_000


def test_who_is_out_of_reserve_loses_the_bout_not_the_match() -> None:
    table = _table(*BEGUN, (0, "A1 180", 0), _timeout(1))
    (bout,) = table.state.frame.bouts
    assert (bout.out_of_time, bout.winner, bout.points) == (1, 0, (140, 0))
    assert table.result is None
    assert [slot.decision.id for slot in table.open if slot] == ["2.pick.0", "2.pick.1"]


def test_the_reserve_is_full_again_in_the_next_bout() -> None:
    table = _table(*BEGUN, (0, "A1 180", 100_000), _timeout(1))
    assert table.reserve_ms == (120_000, 120_000)
    assert table.epoch == RULES.reserve_epoch(table.state) == 2


def test_two_bouts_lost_on_time_end_the_match() -> None:
    bout_2 = ((0, "pick O", 0), (1, "pick O", 0), (1, "first", 0))
    table = _table(*BEGUN, (0, "A1 180", 0), _timeout(1), *bout_2, _timeout(1))
    assert table.result is not None
    assert (table.result.winner, table.result.reason) == (0, "two-in-a-row")
    assert table.result.scores == (140, 0)
    assert table.open == (None, None)


def test_a_refused_placement_leaves_everything_as_it_was() -> None:
    table = _table(*BEGUN)
    before = saving.encode_table(RULES, table)
    for text in ("L12 0", "pick O", "first", "D4 45", "rubbish"):
        with pytest.raises(Refusal):
            play.submitted(RULES, table, seat=0, text=text, reading_ms=1)
    assert saving.encode_table(RULES, table) == before


def test_the_log_shows_the_smallest_rotation() -> None:
    table = _table((0, "pick S", 0), (1, "pick L", 0), (1, "second", 0))
    step = play.submitted(RULES, table, seat=0, text="d4 270", reading_ms=0)
    assert step.text == "D4 90"
    assert [event.text for event in step.events] == ["placed S at D4 90"]
