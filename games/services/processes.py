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

from core.clock import clock, now_ms
from games.models import ServiceProcess

log = structlog.get_logger("gauntlet.processes")

# How often the database is asked the time at the start; the answer that came soonest counts.
ASKED_AT_START: Final = 5
# How long nothing more is said about a clock that is wrong.
SAID_EVERY_S: Final = 300.0


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
    clock.settle(asked, ahead_ms=_ahead_of_others())
    _tell_of_clocks()


def process_record() -> None:
    """Note that this process is well, and compare its clock. Does nothing in one that is none of
    the site's."""
    who = here.identity
    if who is None:
        return
    clock_settle()
    skew = clock.skew
    row = (
        *who[:4], who.started_at, now_ms(),
        None if skew is None else skew.ms, 0 if skew is None else skew.out_by_ms, clock.ahead_ms,
    )  # fmt: skip

    def write() -> int:
        with connection.cursor() as cursor:
            cursor.execute(_RECORD, row)
            return int(cursor.fetchone()[0])

    clock.compare(clock.ask(write))
    _tell_of_clocks()


def process_end() -> None:
    """Take this process's row away: it is about to end, and nobody need wonder where it is."""
    who, here.identity = here.identity, None
    if who is not None:
        ServiceProcess.objects.filter(pk=who.id).delete()


def processes_forget(*, at: int) -> int:
    """Take away the rows of processes that have not been heard of for long; returns how many. One
    that goes on after all writes its own anew."""
    long_ago = at - settings.GAUNTLET_PROCESS_KEPT_MS
    gone, _ = ServiceProcess.objects.filter(at__lt=long_ago).delete()
    return gone


_NOW = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000"
_RECORD = f"""
    INSERT INTO games_serviceprocess
        (id, kind, host, pid, started_at, at, skew_ms, skew_out_by_ms, ahead_ms)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (id) DO UPDATE SET at = greatest(games_serviceprocess.at, excluded.at),
        skew_ms = excluded.skew_ms, skew_out_by_ms = excluded.skew_out_by_ms,
        ahead_ms = excluded.ahead_ms
    RETURNING {_NOW}
"""  # noqa: S608  (constants only)
# Of those that are well the one that has run for longest.
_AHEAD = f"""
    SELECT ahead_ms FROM games_serviceprocess
    WHERE at > {_NOW} / 1000000 + ahead_ms - %s AND skew_ms IS NOT NULL
    ORDER BY started_at LIMIT 1
"""  # noqa: S608  (constants only)


def _database_ns() -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {_NOW}")
        return int(cursor.fetchone()[0])


def _ahead_of_others() -> int:
    with connection.cursor() as cursor:
        cursor.execute(_AHEAD, (settings.GAUNTLET_PROCESS_SILENT_MS,))
        row = cursor.fetchone()
    return 0 if row is None else int(row[0])


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
