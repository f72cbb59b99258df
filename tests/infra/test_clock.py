"""The clock of a process, by a database, a host and a steady clock that are all played."""

from __future__ import annotations

import itertools
import time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import clock as module
from core.clock import SLEW, Clock

MS = 1_000_000
SECOND = 1000 * MS
START = 1_700_000_000 * SECOND


class World:
    """All that has a time in it, in ns. Answers take as long each way as they are told to."""

    def __init__(self, *, host_ahead: int = 0) -> None:
        self.passed = 5 * SECOND
        self.host_ahead = host_ahead
        self.database_ahead = 0
        self.clock = self.another()

    def another(self) -> Clock:
        return Clock(steady=lambda: self.passed, host=lambda: START + self.passed + self.host_ahead)

    @property
    def database(self) -> int:
        return START + self.passed + self.database_ahead

    def ask(self, there: int = MS, back: int = MS, *, clock: Clock | None = None) -> module.Asked:
        def told() -> int:
            self.passed += there
            answer = self.database
            self.passed += back
            return answer

        return (clock or self.clock).ask(told)

    def begin(self, *, ahead_ms: int = 0) -> None:
        self.clock.begin()
        self.clock.settle([self.ask()], ahead_ms=ahead_ms)

    @property
    def out_by(self) -> int:
        """By how much the clock shows more than the database."""
        return self.clock.now_ns() - self.database


@pytest.mark.parametrize("ahead", [20 * SECOND, -20 * SECOND])
def test_it_shows_the_time_of_the_database_whatever_the_host_shows(ahead: int) -> None:
    world = World(host_ahead=ahead)
    assert world.out_by == ahead  # it has not begun, or not asked yet
    world.clock.begin()
    world.passed += SECOND
    assert world.out_by == ahead
    asked = [world.ask(30 * MS, 200 * MS), world.ask(2 * MS, 2 * MS), world.ask(90 * MS, MS)]
    world.clock.settle(asked)
    assert world.out_by == 0  # by the answer that came soonest
    world.passed += 3600 * SECOND
    assert world.out_by == 0
    assert world.clock.ahead_ms == 0
    assert world.clock.host_ahead_ns == ahead
    assert world.clock.skew == (ahead // MS, 3)


@pytest.mark.parametrize("step", [20 * SECOND, -20 * SECOND])
def test_a_host_whose_clock_is_set_changes_nothing_but_what_is_told_of_it(step: int) -> None:
    world = World()
    world.begin()
    before = world.clock.now_ns()
    world.host_ahead = step
    assert world.clock.now_ns() == before
    world.clock.compare(world.ask())
    assert world.out_by == 0
    assert world.clock.skew is not None
    assert world.clock.skew.ms == step // MS


@pytest.mark.parametrize("step", [2 * SECOND, -2 * SECOND])
def test_a_database_whose_clock_is_set_is_followed_slowly(step: int) -> None:
    world = World()
    world.begin()
    world.database_ahead = step
    asked_every, shown = SECOND // 2, [world.clock.now_ns()]
    for _ in range(abs(step) // SECOND * SLEW * 2 // 2):
        world.passed += asked_every
        shown.append(world.clock.now_ns())
        world.clock.compare(world.ask(0, 0))
    # It has gone half of the way, and nobody noticed.
    assert abs(abs(world.out_by) - SECOND) < 20 * MS
    assert abs(world.clock.ahead_ms + step // 2 // MS) < 20
    passed = [later - earlier for earlier, later in itertools.pairwise(shown)]
    assert all(abs(each - asked_every) <= asked_every // SLEW for each in passed)
    # Who begins now shows the same, and both arrive.
    other = world.another()
    other.begin()
    other.settle([world.ask(clock=other)], ahead_ms=world.clock.ahead_ms)
    assert abs(other.now_ns() - world.clock.now_ns()) < 2 * MS
    world.passed += 101 * SECOND
    for each in (world.clock, other):
        assert abs(each.now_ns() - world.database) < 2 * MS
        assert each.ahead_ms == 0


@pytest.mark.parametrize("ahead_ms", [0, 700, -700])
def test_one_that_alone_is_behind_catches_up_at_once(ahead_ms: int) -> None:
    world = World()
    world.begin()
    world.database_ahead = 15 * SECOND  # it stood still meanwhile
    world.clock.compare(world.ask())
    world.clock.catch_up(ahead_ms=ahead_ms)
    assert abs(world.out_by - ahead_ms * MS) <= 2 * MS
    assert world.clock.ahead_ms == pytest.approx(ahead_ms, abs=2)
    world.passed += abs(ahead_ms) * SLEW * MS
    assert abs(world.out_by) <= 2 * MS


def test_one_that_is_ahead_does_not_turn_back() -> None:
    world = World()
    world.begin()
    world.database_ahead = -15 * SECOND
    world.clock.compare(world.ask())
    shown = world.clock.now_ns()
    world.clock.catch_up(ahead_ms=0)
    assert world.clock.now_ns() == shown
    assert world.clock.ahead_ms == pytest.approx(15_000, abs=2)


def test_what_lies_within_the_time_of_an_answer_is_no_difference() -> None:
    """A database that is slow says less about the time, and is believed no more than that."""
    world = World()
    world.begin()
    for there, back in ((5 * SECOND, 0), (0, 5 * SECOND), (SECOND, 8 * SECOND)):
        world.clock.compare(world.ask(there, back))
        world.passed += 60 * SECOND
        assert world.out_by == 0
    skew = world.clock.skew
    assert skew is not None
    assert abs(skew.ms) <= skew.out_by_ms


def test_only_the_first_answer_sets_it_at_once() -> None:
    world = World()
    world.begin()
    world.database_ahead = 60 * SECOND
    world.clock.settle([world.ask()])
    world.clock.begin()
    assert world.out_by == -60 * SECOND


@given(
    st.lists(
        st.tuples(
            st.integers(0, 5 * SECOND),  # passes
            st.integers(-30 * SECOND, 30 * SECOND),  # the database's clock is set by
            st.integers(0, 2 * SECOND),
            st.integers(0, 2 * SECOND),
        ),
        max_size=30,
    )
)
def test_it_never_goes_back_nor_runs(steps: list[tuple[int, int, int, int]]) -> None:
    world = World()
    world.begin()
    for passes, is_set_by, there, back in steps:
        before, from_ = world.clock.now_ns(), world.passed
        world.database_ahead += is_set_by
        world.clock.compare(world.ask(there, back))
        world.passed += passes
        passed = world.passed - from_
        assert abs(world.clock.now_ns() - before - passed) <= passed // SLEW + 1


def test_the_time_that_matches_are_judged_by_does_not_jump(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the real steady clock: the system's is set by an hour, and back."""
    real = time.time_ns

    def set_system(ahead: int) -> None:
        monkeypatch.setattr(module, "time", SimpleNamespace(time_ns=lambda: real() + ahead))

    own = Clock(steady=module.steady_ns, host=module.clock._host)
    monkeypatch.setattr(module, "clock", own)
    before = module.now_ms()
    set_system(3600 * SECOND)
    assert module.now_ms() - before > 3_000_000  # a process that never began goes by its host
    set_system(0)
    own.begin()
    shown = [module.now_ms()]
    for ahead in (3600 * SECOND, -3600 * SECOND, 0):
        set_system(ahead)
        shown.append(module.now_ms())
    assert shown == sorted(shown)
    assert shown[-1] - shown[0] < 60_000
