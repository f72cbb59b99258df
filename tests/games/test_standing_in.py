"""Looking at matches in the place of workers: when, by whom, and at which; and what is known of
each process."""

from __future__ import annotations

import os
import threading
import time
import uuid
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from accounts.models import User
from core.clock import Clock, now_ms, steady_ns
from core.jobs.models import JobDone
from games import watch
from games.models import ServiceProcess
from games.reading.processes import WEB_SWEEP, WORKERS_SWEEP, processes, sweeps, worst_skew_ms
from games.services import outage, sweeping
from games.services import processes as services
from games.services.processes import (
    here,
    process_begin,
    process_end,
    process_record,
    processes_forget,
)
from games.services.sweeping import matches_wake_instead
from games.services.waking import match_wake
from games.sockets import threads
from games.sockets.threads import WatchedThreads
from tests.games.support import Play, nothing_changes, started
from tests.support.workers import Workers

LEAST_S = settings.GAUNTLET_STAND_IN_AFTER_MS / 1000


def done(task: str, *, ago_s: float) -> None:
    """A task was done so long ago."""
    at = timezone.now() - timedelta(seconds=ago_s)
    JobDone.objects.update_or_create(task=task, defaults={"at": at})


def stand_in(pause_s: float = 0.0) -> bool:
    return matches_wake_instead(least_s=LEAST_S, pause_s=pause_s)


@pytest.fixture
def overdue(ada: User, ben: User) -> Play:
    """A match whose first decisions ran out long ago."""
    return started((ada, ben), at=now_ms() - 600_000)


@pytest.mark.django_db(transaction=True)
def test_workers_that_sweep_are_left_to_it(overdue: Play, workers: Workers) -> None:
    done(WORKERS_SWEEP, ago_s=LEAST_S - 1)
    assert not stand_in()
    assert overdue.entries == []
    assert sweeps().by_web is None
    done(WORKERS_SWEEP, ago_s=LEAST_S + 1)
    assert stand_in()
    assert len(overdue.entries) == 4
    assert sweeps().last_by == "web"
    # Nothing was handed to workers who are not there.
    assert [each.task for each in workers.handed if "wake" in each.task] == []


@pytest.mark.django_db(transaction=True)
def test_where_no_worker_has_ever_swept(overdue: Play) -> None:
    assert stand_in()
    assert len(overdue.entries) == 4


@pytest.mark.django_db(transaction=True)
def test_of_many_one_does_it(overdue: Play) -> None:
    holder = connection.copy()
    with closing(holder):
        holder.set_autocommit(False)
        with holder.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", sweeping._LOCK)
        assert stand_in()  # there is a need, which another sees to
        assert overdue.entries == []
        holder.rollback()
    done(WEB_SWEEP, ago_s=0)
    assert stand_in(pause_s=60)  # another just has
    assert overdue.entries == []
    assert stand_in()
    assert len(overdue.entries) == 4


@pytest.mark.django_db(transaction=True)
def test_a_match_that_fails_is_set_aside_as_by_workers(overdue: Play, ada: User, ben: User) -> None:
    from core.jobs.models import SetAside
    from games.models import Match

    broken = started((ada, ben), at=now_ms() - 700_000)
    Match.objects.filter(pk=broken.pk).update(snapshot="{}")
    assert stand_in()
    assert len(overdue.entries) == 4
    assert list(SetAside.objects.values_list("job", "key")) == [(sweeping.WOKEN, str(broken.pk))]


@pytest.mark.django_db(transaction=True)
def test_whatever_a_look_meets_the_next_one_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> Any:
        raise RecursionError

    monkeypatch.setattr(watch, "sweeps", fails)
    looks = watch._Watch()
    looks.since -= 60
    looks.look()
    monkeypatch.undo()
    looks.look()
    assert looks.stands_in


@pytest.mark.django_db(transaction=True)
def test_who_does_not_know_what_time_it_is_looks_at_nothing(
    overdue: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage.known, "is_awaited", True)
    looks = watch._Watch()
    looks.since -= 60
    for _ in range(2):
        looks.look()
    assert not looks.stands_in
    assert overdue.entries == []
    outage_ends = outage.beat_record(at=now_ms())
    assert not outage_ends
    for _ in range(2):
        looks.look()
    assert len(overdue.entries) == 4


@pytest.mark.django_db(transaction=True)
def test_that_no_worker_is_there_is_told_before_all_else(
    overdue: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Going through the matches takes long where many are overdue, and may fail."""
    had_run_out: list[tuple[str, int]] = []

    class Log:
        def error(self, event: str, **_more: object) -> None:
            had_run_out.append((event, len(overdue.entries)))

    monkeypatch.setattr(watch, "log", Log())
    looks = watch._Watch()
    looks.since -= 60
    looks.look()
    looks.look()
    assert had_run_out == [("deadlines.no-worker", 0)]
    assert len(overdue.entries) == 4


@pytest.mark.django_db(transaction=True)
def test_workers_that_come_a_little_later_are_waited_for() -> None:
    looks = watch._Watch()
    looks.look()
    assert not looks.stands_in


@pytest.mark.django_db
def test_who_comes_a_moment_too_early_is_to_come_again(play: Play) -> None:
    """Each process knows the time only as well as the database answers at once."""
    wake_at, apart = play.match.wake_at or 0, settings.GAUNTLET_CLOCKS_APART_MS
    with nothing_changes():
        assert match_wake(match_id=play.pk, at=wake_at - apart - 1)
        assert not match_wake(match_id=play.pk, at=wake_at - apart)
    assert match_wake(match_id=play.pk, at=wake_at)
    assert play.match.wake_at != wake_at


# -- processes -----------------------------------------------------------------------------------


def process(*, silent_ms: int = 0, skew_ms: int | None = 0, **more: Any) -> ServiceProcess:
    at = now_ms() - silent_ms
    return ServiceProcess.objects.create(
        kind="web", host="one", pid=7, started_at=at - 1000, at=at, skew_ms=skew_ms, **more
    )


@pytest.mark.django_db
def test_who_is_silent_and_whose_clock_is_worst() -> None:
    silent = settings.GAUNTLET_PROCESS_SILENT_MS
    process(skew_ms=None)
    process(skew_ms=300)
    process(skew_ms=-20_000)
    process(skew_ms=90_000, silent_ms=silent + 1000)  # it may be right by now
    found = processes()
    assert [each.is_silent for each in found].count(True) == 1
    assert worst_skew_ms(found) == -20_000


@pytest.mark.django_db
def test_who_is_gone_is_forgotten_in_time() -> None:
    process(silent_ms=settings.GAUNTLET_PROCESS_KEPT_MS - 30_000)
    gone = process(silent_ms=settings.GAUNTLET_PROCESS_KEPT_MS + 1000)
    assert processes_forget(at=now_ms()) == 1
    assert not ServiceProcess.objects.filter(pk=gone.pk).exists()
    assert ServiceProcess.objects.count() == 1


@pytest.mark.django_db
def test_a_process_that_is_none_of_the_sites_writes_nothing() -> None:
    assert here.identity is None
    process_record()
    assert not ServiceProcess.objects.exists()


@pytest.mark.django_db
def test_a_process_writes_its_row_until_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong_s = 20
    own = Clock(steady=steady_ns, host=lambda: time.time_ns() + wrong_s * 1_000_000_000)
    monkeypatch.setattr(services, "clock", own)
    monkeypatch.setattr(services, "now_ms", lambda: own.now_ns() // 1_000_000)
    monkeypatch.setattr(here, "identity", None)
    process_begin(kind=ServiceProcess.Kind.WORKER)
    for _ in range(2):
        process_record()
        row = ServiceProcess.objects.get()
        assert (row.kind, row.pid, row.ahead_ms) == ("worker", os.getpid(), 0)
        assert row.derives_draws
        assert row.skew_ms is not None
        assert abs(row.skew_ms - 1000 * wrong_s) <= row.skew_out_by_ms + 50
        assert abs(row.at - now_ms()) < 10_000
    process_end()
    process_record()
    assert not ServiceProcess.objects.exists()


@pytest.mark.django_db
def test_who_begins_shows_what_most_others_show() -> None:
    """After the database's clock was set, which they make up for together. One whose machine was
    paused is one of them."""
    assert services._ahead_of_others(within_ms=5000) is None
    at = now_ms()
    for shows, ahead in (
        (at + 7000, 7000), (at + 7010 - 4000, 7010), (at + 7005, 7005), (at - 15_000, -15_000),
        # Not heard of lately; and since before the clock was set.
        (at - 60_000, 9000), (at - 60_000, 9000), (at + 3_600_000, 0), (at + 3_600_000, 0),
    ):  # fmt: skip
        ServiceProcess.objects.create(
            kind="web", host="one", pid=7, started_at=at, at=shows, skew_ms=0, ahead_ms=ahead
        )
    assert services._ahead_of_others(within_ms=5000) == 7005
    assert services._ahead_of_others(within_ms=3000) == 7000
    # Of two one is right: the other one stood still.
    ServiceProcess.objects.filter(ahead_ms__in=[7000, 7010]).delete()
    assert services._ahead_of_others(within_ms=5000) == 7005


@pytest.mark.django_db
def test_the_log_tells_who_falls_silent_and_who_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, uuid.UUID]] = []
    monkeypatch.setattr(watch, "_tell_of", lambda what, each: told.append((what, each.id)))
    well, quiet = process(), process()
    process(silent_ms=60_000)  # that is no news
    looks = watch._Watch()
    looks._call_the_roll()
    ServiceProcess.objects.filter(pk=quiet.pk).update(at=now_ms() - 10_000)
    looks._call_the_roll()
    looks._call_the_roll()
    assert told == [("process.silent", quiet.pk)]
    ServiceProcess.objects.filter(pk__in=[well.pk, quiet.pk]).update(at=now_ms())
    looks._call_the_roll()
    assert told[1:] == [("process.answers-again", quiet.pk)]


# -- turn threads --------------------------------------------------------------------------------


def test_threads_that_hang_do_not_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "PATIENCE_S", 0.05)
    pool = WatchedThreads(max_workers=2, thread_name_prefix="test")
    ends = threading.Event()
    try:
        assert pool.go_on()
        pool.submit(ends.wait)
        assert pool.go_on()  # the other is free
        hung = [pool.submit(ends.wait) for _ in range(5)]
        _settled(pool)
        assert not pool.go_on()
        assert not pool.go_on()
        ends.set()
        for each in hung:
            each.result(timeout=30)
        assert pool.go_on()
    finally:
        ends.set()
        pool.shutdown()


def test_threads_that_are_busy_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the queue is: it gets shorter."""
    monkeypatch.setattr(threads, "PATIENCE_S", 0)
    pool = WatchedThreads(max_workers=1, thread_name_prefix="test")
    steps = threading.Semaphore(0)
    try:
        calls = [pool.submit(steps.acquire) for _ in range(8)]
        _settled(pool)
        for number, call in enumerate(calls[:5]):
            steps.release()
            call.result(timeout=30)
            while pool._ended == number:
                time.sleep(0.001)
            assert pool.go_on()
            assert not pool.go_on()  # nothing has ended since
    finally:
        for _ in range(8):
            steps.release()
        pool.shutdown()


def _settled(pool: WatchedThreads) -> None:
    """What has ended before is no news to it any more."""
    while pool.go_on():
        time.sleep(0.01)
