"""This process among the others of the site: who it is, when it was last well, and its clock.

Each process has a row of its own (`ServiceProcess`), so that one that hangs beside others that do
not is seen. It is written with each sign of life, and in the same statement the database says what
time it is: what the process shows is compared with that (`core.clock`).
"""

from __future__ import annotations

import os
import platform
import time
import uuid
from typing import Final, NamedTuple

import structlog
from django.conf import settings
from django.db import connection

from core.clock import Asked, clock, now_ms
from games.models import ServiceProcess

log = structlog.get_logger("gauntlet.processes")

# How often the database is asked the time at the start; the answer that came soonest counts.
ASKED_AT_START: Final = 5
# How long nothing more is said about a clock that is wrong.
SAID_EVERY_S: Final = 300.0
# By how much, in ms, a process is behind the database before it asks whether the others are; and
# after how long, in ms, all of them have compared their clocks anew, as a rule.
BEHIND_MS: Final = 500
COMPARED_WITHIN_MS: Final = settings.GAUNTLET_PROCESS_EVERY_MS * 3 // 2


class Identity(NamedTuple):
    """Who a process is."""

    id: uuid.UUID
    kind: str
    host: str
    pid: int
    started_at: int


class _Here:
    """This process; nobody, where it is none of the site's (a command, a test)."""

    identity: Identity | None = None
    said_at: float = float("-inf")
    # By how much it was ahead of the database, as its row has it.
    ahead_ms: int = 0
    # By how much it was behind when that was compared last, and when that was last news, by its own
    # monotonic clock.
    behind_ms: int = 0
    news_at: float = float("-inf")


here = _Here()


def process_begin(*, kind: ServiceProcess.Kind) -> None:
    """Be a process of the site from now on, and have its clock go by itself (`core.clock`)."""
    clock.begin()
    here.identity = Identity(uuid.uuid4(), kind.value, platform.node(), os.getpid(), now_ms())


def clock_settle() -> None:
    """Set this process's clock by the database's, where that is yet to be done: it must be before
    anything is judged by it. A process that begins shows what the others show."""
    if here.identity is None or clock.is_settled:
        return
    asked = [clock.ask(_database_ns) for _ in range(ASKED_AT_START)]
    others = _ahead_of_others(within_ms=settings.GAUNTLET_PROCESS_SILENT_MS)
    clock.settle(asked, ahead_ms=others or 0)
    _tell_of_clocks()


def process_record() -> None:
    """Note that this process is well, and compare its clock. Does nothing in one that is none of
    the site's."""
    who = here.identity
    if who is None:
        return
    clock_settle()
    _write_row(who)
    if abs(clock.ahead_ms - here.ahead_ms) > BEHIND_MS:
        _write_row(who)  # or the others would take it for one that has seen no difference
    _tell_of_clocks()


def _write_row(who: Identity) -> None:
    skew, here.ahead_ms = clock.skew, clock.ahead_ms
    row = (
        *who[:4], who.started_at, now_ms(),
        None if skew is None else skew.ms, 0 if skew is None else skew.out_by_ms, here.ahead_ms,
    )  # fmt: skip

    def write() -> int:
        with connection.cursor() as cursor:
            cursor.execute(_RECORD, row)
            return int(cursor.fetchone()[0])

    clock_compare(clock.ask(write))


def clock_compare(asked: Asked) -> None:
    """Compare this process's clock with what the database has just answered, and find out what it
    means where they differ.

    Where the database's clock was set, all processes differ by the same, and each follows slowly.
    Where this one alone is behind, its steady clock stood still, as where its machine was paused:
    it shows what the others do, at once.
    """
    clock.compare(asked)
    if here.identity is None:
        return
    before, here.behind_ms = here.behind_ms, -clock.ahead_ms
    if here.behind_ms <= BEHIND_MS:
        return
    if here.behind_ms - before > BEHIND_MS:
        here.news_at = time.monotonic()
    # Those who have not compared theirs since cannot have seen that the database's was set.
    is_old = 1000 * (time.monotonic() - here.news_at) > COMPARED_WITHIN_MS
    least = BEHIND_MS if is_old else COMPARED_WITHIN_MS
    theirs = _ahead_of_others(within_ms=COMPARED_WITHIN_MS)
    if theirs is not None and here.behind_ms + theirs > least:
        log.warning("clock.stood-still", behind_ms=here.behind_ms + theirs)
        clock.catch_up(ahead_ms=theirs)
        here.behind_ms = -clock.ahead_ms


def process_end() -> None:
    """Take this process's row away: it is about to end, and nobody need wonder where it is."""
    who, here.identity = here.identity, None
    if who is not None:
        ServiceProcess.objects.filter(pk=who.id).delete()


def all_derive_draws() -> bool:
    """Whether every process that there is, or was until lately, keeps what a match's draws are
    derived from. In a rolling deploy those of a release before that do not: what they store is
    without, and what they draw follows from nothing."""
    return not ServiceProcess.objects.filter(derives_draws=False).exists()


def processes_forget(*, at: int) -> int:
    """Take away the rows of processes that have not been heard of for long; returns how many. One
    that goes on after all writes its own anew."""
    long_ago = at - settings.GAUNTLET_PROCESS_KEPT_MS
    gone, _ = ServiceProcess.objects.filter(at__lt=long_ago).delete()
    return gone


NOW: Final = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000"
_RECORD = f"""
    INSERT INTO games_serviceprocess
        (id, kind, host, pid, started_at, at, skew_ms, skew_out_by_ms, ahead_ms, derives_draws)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, true)
    ON CONFLICT (id) DO UPDATE SET at = greatest(games_serviceprocess.at, excluded.at),
        skew_ms = excluded.skew_ms, skew_out_by_ms = excluded.skew_out_by_ms,
        ahead_ms = excluded.ahead_ms
    RETURNING {NOW}
"""  # noqa: S608  (constants only)
# The median of all others that are well, and have compared their clocks with the database's as that
# is now: had it been set since, they would seem not to have done so lately, or to be yet to do it.
# Where they are of two minds those are right that are ahead: a clock that stood still is behind.
_AHEAD = f"""
    SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY ahead_ms DESC)
    FROM games_serviceprocess
    WHERE {NOW} / 1000000 + ahead_ms - at BETWEEN -%s AND %s AND skew_ms IS NOT NULL
        AND id IS DISTINCT FROM %s
"""  # noqa: S608  (constants only)
# What the answers' way may cost, in ms.
_OUT_BY_MS: Final = 100


def _database_ns() -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {NOW}")
        return int(cursor.fetchone()[0])


def _ahead_of_others(*, within_ms: int) -> int | None:
    """By how much the other processes show more than the database, in ms, of those that have
    compared their clocks with it lately; None where there are none."""
    who = here.identity
    with connection.cursor() as cursor:
        cursor.execute(_AHEAD, (_OUT_BY_MS, within_ms, who and who.id))
        (ahead,) = cursor.fetchone()
    return None if ahead is None else int(ahead)


def _tell_of_clocks() -> None:
    """Say in the log, now and then, that the host's clock is wrong, or that the database's was
    set."""
    most, now, skew = settings.GAUNTLET_SKEW_TOLD_MS, time.monotonic(), clock.skew
    if skew is None or now - here.said_at < SAID_EVERY_S:
        return
    if abs(skew.ms) - skew.out_by_ms > most:
        here.said_at = now
        log.warning("clock.skew", ahead_ms=skew.ms, out_by_ms=skew.out_by_ms)
    if abs(clock.ahead_ms) > most:
        here.said_at = now
        log.warning("clock.database-set", ahead_ms=clock.ahead_ms)
