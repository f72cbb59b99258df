"""When the sweep comes upon a match: early enough, and without a turn having to say so."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import closing
from functools import partial

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import F

from accounts.models import User
from games import tasks
from games.engine.chance import RandomSource
from games.jobs import TELL_TURN, WAKE
from games.models import Match
from tests.games.support import GAMES, SECOND, T0, Play, Wire, committing, group, placing, started
from tests.support.workers import Workers

AHEAD = settings.GAUNTLET_WAKE_AHEAD_MS
# A task is sent this long after the instant that it is for, so that it comes upon something.
SENT_AFTER = 2


def bounds(play: Play) -> tuple[int, int]:
    """When it must be looked at, and when the sweep comes upon it, in ms after `T0`."""
    match = play.match
    assert match.wake_at is not None
    assert match.sweep_at is not None
    return match.wake_at - T0, match.sweep_at - T0


class Watch:
    """The sweep every second and workers that do what they are handed at its instant."""

    def __init__(self, workers: Workers, set_clock: Callable[[int], None]) -> None:
        self.workers = workers
        self.set_clock = set_clock
        self.now = 0
        self.due: list[tuple[int, int]] = []

    def go_on(self, until: int) -> None:
        """Time passes, second by second."""
        while self.now < until:
            for at, pk in sorted(each for each in self.due if each[0] <= self.now):
                self.due.remove((at, pk))
                self._do(at, partial(tasks.wake, pk))
            self._do(self.now, tasks.sweep)
            self.now += SECOND

    def _do(self, at: int, call: Callable[[], object]) -> None:
        self.set_clock(at)
        with committing():
            call()
        for task, (pk, *_), countdown in self.workers.handed:
            assert task == WAKE
            self.due.append((at + round((countdown or 0) * 1000), pk))
        self.workers.handed.clear()


@pytest.fixture(autouse=True)
def no_other_tasks(workers: Workers) -> None:
    """Nobody looks at these matches, and that is told elsewhere (test_turn_told)."""
    workers.unnoted.add(TELL_TURN)


def test_a_turn_leaves_the_bound_where_it_was(play: Play) -> None:
    before = bounds(play)
    assert before == (30 * SECOND, 30 * SECOND)
    placing(play)
    for number, at in enumerate((4, 5, 6)):
        seat = number % 2
        play.move(seat, play.random_move(seat, random.Random(3).random), at * SECOND)
        wake, bound = bounds(play)
        assert wake == (30 + at) * SECOND
        assert bound == 30 * SECOND


def test_a_turn_that_must_be_looked_at_earlier_says_so(ada: User, ben: User) -> None:
    play = started((ada, ben), options={"choice_time": 20, "pick_time": 3600})
    assert bounds(play) == (3570 * SECOND, 3570 * SECOND)
    play.move(0, "pick T", 1 * SECOND)
    play.move(1, "pick L", 2 * SECOND)
    assert bounds(play) == (7 * SECOND, 7 * SECOND)


def test_a_pause_takes_it_out_of_the_sweep_and_resuming_puts_it_back(
    play: Play, orla: User
) -> None:
    play.act(orla, "pause", 1 * SECOND)
    assert (play.match.wake_at, play.match.sweep_at) == (None, None)
    play.act(orla, "resume", 100 * SECOND)
    assert bounds(play) == (129 * SECOND, 129 * SECOND)


def test_the_sweep_moves_a_bound_that_was_early(
    play: Play, set_clock: Callable[[int], None], workers: Workers
) -> None:
    placing(play)
    assert bounds(play) == (33 * SECOND, 30 * SECOND)
    set_clock(30 * SECOND - AHEAD - 1)
    tasks.sweep()
    assert bounds(play) == (33 * SECOND, 30 * SECOND)
    set_clock(30 * SECOND)
    tasks.sweep()
    assert bounds(play) == (33 * SECOND, 33 * SECOND)
    assert workers.handed == []
    # A match whose bound is long past is near by its own instant alone.
    Match.objects.filter(pk=play.pk).update(sweep_at=1)
    set_clock(33 * SECOND - AHEAD)
    tasks.sweep()
    assert [handed.arguments for handed in workers.handed] == [(play.pk,)]


def test_many_early_bounds_keep_no_match_from_its_turn(
    ada: User, ben: User, set_clock: Callable[[int], None], workers: Workers,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A sweep looks at so many and no more: those that only seem to be due do not count."""
    monkeypatch.setattr(settings, "GAUNTLET_SWEEP_AT_MOST", 2)
    early = [started((ada, ben), at=T0 + 60 * SECOND) for _ in range(5)]
    due = started((ada, ben))
    Match.objects.filter(pk__in=[play.pk for play in early]).update(sweep_at=1)
    Match.objects.filter(pk=due.pk).update(sweep_at=F("wake_at"))
    set_clock(29 * SECOND)
    tasks.sweep()
    assert [handed.arguments for handed in workers.handed] == [(due.pk,)]
    for _ in range(2):
        tasks.sweep()
    assert [bounds(play) for play in early] == [(90 * SECOND, 90 * SECOND)] * 5


@pytest.mark.parametrize("early", [False, True], ids=["exact", "early"])
def test_nothing_is_late_or_lost_whatever_the_bound(
    early: bool, ada: User, ben: User, wire: Wire, workers: Workers,
    set_clock: Callable[[int], None],
) -> None:  # fmt: skip
    """Every reminder comes, each once and at its instant, and time runs out at its own."""
    play = placing(started((ada, ben)))  # opened at 3 s: 60 s of turn, 120 s of reserve
    bound = 1 if early else F("wake_at")
    Match.objects.filter(pk=play.pk).update(sweep_at=bound)
    wire.texts()
    Watch(workers, set_clock).go_on(190 * SECOND)
    mine = [frame for to, frame in wire.frames() if to == group(play.pk, "room")]
    assert [frame["type"] for frame in mine] == ["reminder"] * 7 + ["step"]
    dues = [33, 48, 58, 63, 93, 123, 153]
    assert [frame["at"] - T0 for frame in mine[:7]] == [due * SECOND for due in dues]
    ran_out = mine[7]["at"] - T0 - 183 * SECOND - settings.GAUNTLET_SETTLE_MS
    assert 0 < ran_out <= 1 + SENT_AFTER


@pytest.mark.django_db(transaction=True)
def test_the_sweep_waits_for_nobody_who_holds_a_match(
    ada: User, ben: User, set_clock: Callable[[int], None]
) -> None:
    held, free = placing(started((ada, ben))), placing(started((ada, ben)))
    set_clock(30 * SECOND)
    holder = connection.copy()
    holder.set_autocommit(False)
    with closing(holder), holder.cursor() as cursor:
        cursor.execute("SELECT id FROM games_match WHERE id = %s FOR UPDATE", (held.pk,))
        tasks.sweep()
        assert bounds(free) == (33 * SECOND, 33 * SECOND)
        assert bounds(held) == (33 * SECOND, 30 * SECOND)
        holder.rollback()
    tasks.sweep()
    assert bounds(held) == (33 * SECOND, 33 * SECOND)


@pytest.mark.django_db(transaction=True)
def test_turns_leave_the_indexes_of_matches_alone(
    ada: User, ben: User, rng: random.Random, draws: RandomSource
) -> None:
    """By what the database itself counts: updates are of heap-only tuples, unless a page is full of
    what somebody may still look at."""
    before = _updates()
    for ruleset, variant in GAMES:
        play = started((ada, ben), ruleset, variant=variant, random=draws)
        for at in range(1, 60):
            if play.match.is_over:
                break
            table = play.held.live.table
            seat = next(s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s))
            play.move(seat, play.random_move(seat, rng.random), at * SECOND)
    updates, hot = (now - then for now, then in zip(_updates(), before, strict=True))
    assert updates > 30 * len(GAMES)
    assert hot > 0.5 * updates, f"{hot} of {updates}"


def _updates() -> tuple[int, int]:
    """How many rows of matches have been updated, and how many of those without their indexes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'games_match'"
        )
        row: tuple[int, int] = cursor.fetchone()
    return row
