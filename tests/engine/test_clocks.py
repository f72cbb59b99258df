"""Clocks, to the millisecond."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.clocks import ClockPolicy, Watch, to_ms

TURN, RESERVE = 120_000, 480_000
CONTINUOUS = ClockPolicy(TURN, uses_reserve=True)
BY_TEN = ClockPolicy(TURN, uses_reserve=True, interval_ms=10_000)
NO_RESERVE = ClockPolicy(TURN)

spans = st.integers(0, 10**9)
policies = st.builds(
    ClockPolicy, turn_ms=spans, uses_reserve=st.booleans(), interval_ms=st.integers(0, 10**6)
)


@pytest.mark.parametrize(
    ("reading", "spent"),
    [
        (0, 0),
        (TURN - 1, 0),
        (TURN, 0),
        (TURN + 1, 1),
        (TURN + 9_999, 9_999),
        (TURN + RESERVE - 1, RESERVE - 1),
        (TURN + RESERVE, RESERVE),
        (TURN + RESERVE + 1, RESERVE),
    ],
)
def test_a_continuous_reserve_is_spent_by_the_millisecond(reading: int, spent: int) -> None:
    assert CONTINUOUS.spent(reading, RESERVE) == spent


@pytest.mark.parametrize(
    ("reading", "spent"),
    [
        (TURN, 0),
        (TURN + 1, 10_000),
        (TURN + 9_999, 10_000),
        (TURN + 10_000, 10_000),  # exactly 10.000 s over is one interval
        (TURN + 10_001, 20_000),
        (TURN + 20_000, 20_000),
        (TURN + RESERVE - 10_000, RESERVE - 10_000),
        (TURN + RESERVE - 9_999, RESERVE),
        (TURN + RESERVE, RESERVE),
    ],
)
def test_an_interval_reserve_is_spent_by_begun_intervals(reading: int, spent: int) -> None:
    assert BY_TEN.spent(reading, RESERVE) == spent


def test_an_interval_that_is_not_all_there_is_spent_as_far_as_it_goes() -> None:
    assert BY_TEN.spent(TURN + 1, 4_000) == 4_000
    assert BY_TEN.spent(TURN + 10_001, 14_000) == 14_000


def test_without_reserve_nothing_is_spent_and_time_ends_with_the_turn() -> None:
    assert NO_RESERVE.spent(TURN + RESERVE, RESERVE) == 0
    assert NO_RESERVE.limit(RESERVE) == TURN


@pytest.mark.parametrize("policy", [CONTINUOUS, BY_TEN])
def test_the_last_reading_is_turn_and_reserve_and_extension(policy: ClockPolicy) -> None:
    assert policy.limit(RESERVE) == TURN + RESERVE
    assert policy.limit(0) == TURN
    assert policy.limit(RESERVE, 5_000) == TURN + RESERVE + 5_000


@given(policy=policies, reserve=spans, extension=spans, reading=spans)
def test_spent_is_monotonous_and_never_more_than_is_left(
    policy: ClockPolicy, reserve: int, extension: int, reading: int
) -> None:
    spent = policy.spent(reading, reserve, extension)
    assert 0 <= spent <= reserve
    assert spent <= policy.spent(reading + 1, reserve, extension)
    assert policy.spent(policy.turn_ms + extension, reserve, extension) == 0


@given(policy=policies, reserve=spans, extension=spans, over=spans)
def test_spent_is_what_the_rule_says(
    policy: ClockPolicy, reserve: int, extension: int, over: int
) -> None:
    spent = policy.spent(policy.turn_ms + extension + over, reserve, extension)
    if not policy.uses_reserve:
        assert spent == 0
    elif policy.interval_ms:
        interval = policy.interval_ms
        assert spent == min(reserve, math.ceil(over / interval) * interval)
    else:
        assert spent == min(reserve, over)


@given(policy=policies, reserve=spans, extension=spans)
def test_whatever_is_in_time_leaves_a_reserve_that_is_not_negative(
    policy: ClockPolicy, reserve: int, extension: int
) -> None:
    limit = policy.limit(reserve, extension)
    assert reserve - policy.spent(limit, reserve, extension) >= 0
    if policy.uses_reserve:
        assert policy.spent(limit, reserve, extension) == reserve


@pytest.mark.parametrize(
    ("seconds", "ms"),
    [(0, 0), (0.001, 1), (0.0004, 0), (3.2, 3200), (119.9996, 120_000), (0.1 + 0.2, 300)],
)
def test_seconds_are_read_to_the_millisecond(seconds: float, ms: int) -> None:
    assert to_ms(seconds) == ms


@given(ms=st.integers(0, 10**12))
def test_milliseconds_survive_being_written_as_seconds(ms: int) -> None:
    assert to_ms(ms / 1000) == ms


# -- stopwatches ---------------------------------------------------------------------------------


def test_a_watch_stands_still_until_it_is_started() -> None:
    assert Watch().reading(10**6) == 0
    assert Watch(500).instant_of(600) is None
    assert Watch(500).started(1_000).reading(1_250) == 750


def test_starting_a_running_watch_and_stopping_a_held_one_change_nothing() -> None:
    running, held = Watch(500, 1_000), Watch(500)
    assert running.started(2_000) == running
    assert held.stopped(2_000) == held


def test_a_clock_that_is_set_back_takes_nothing_away() -> None:
    assert Watch(500, 1_000).reading(900) == 500


@given(
    before=spans,
    since=spans,
    stopped_after=spans,
    pause=spans,
    reading=spans,
)
def test_a_pause_restores_exactly_what_was_left(
    before: int, since: int, stopped_after: int, pause: int, reading: int
) -> None:
    watch = Watch(before, since)
    held = watch.stopped(since + stopped_after)
    assert held.reading(since + stopped_after + pause) == watch.reading(since + stopped_after)
    resumed = held.started(since + stopped_after + pause)
    later = watch.instant_of(reading)
    assert later is not None
    assert resumed.instant_of(reading) == later + pause


@given(before=spans, since=spans, more=spans)
def test_the_instant_of_a_reading_is_when_it_is_shown(before: int, since: int, more: int) -> None:
    watch = Watch(before, since)
    instant = watch.instant_of(before + more)
    assert instant is not None
    assert watch.reading(instant) == before + more
