"""The pool of connections, while the database is away and after it was started again."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection
from psycopg_pool import pool as library

from core.database.base import DatabaseWrapper
from core.database.returning import RETURNING
from tests.infra.test_settings import PRODUCTION, evaluate

SIZE = 5
NAME = "pool-under-test"


def wrapper() -> DatabaseWrapper:
    """What a thread has: all of them share one pool."""
    own = connection.settings_dict
    pool = {"min_size": SIZE, "max_size": SIZE, **RETURNING}
    options = {**own["OPTIONS"], "application_name": NAME, "pool": pool}
    return DatabaseWrapper({**own, "OPTIONS": options}, alias=NAME)


@pytest.fixture
def wrappers() -> Iterator[list[DatabaseWrapper]]:
    made = [wrapper() for _ in range(SIZE)]
    yield made
    made[0].close_pool()


def terminate() -> int:
    """End the sessions of the pool, as a database that is started again does; how many."""
    own = connection.get_connection_params()
    names = {name: own[name] for name in ("dbname", "user", "password", "host", "port")}
    with psycopg.connect(**names, autocommit=True) as other:
        found = other.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE application_name = %s",
            [NAME],
        )
        return len(found.fetchall())


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_for_connections_that_have_broken(
    wrappers: list[DatabaseWrapper], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library would come upon one after the other, and sleep in between."""
    pool: Any = wrappers[0].pool
    pool.open()
    pool.wait()
    assert terminate() == SIZE
    slept: list[float] = []
    monkeypatch.setattr(library, "sleep", slept.append)
    links = [each.get_new_connection(each.get_connection_params()) for each in wrappers]
    for link in links:
        link.execute("SELECT 1")
        pool.putconn(link)
    assert slept == []


# -- while it is away ----------------------------------------------------------------------------

OUTAGE_S = 60.0
# Longer than any pause; far less than the library's own, which doubles up to minutes.
SOON_S = 2.5


class Outage:
    """A database that is not there, and what a pool does meanwhile, in seconds that pass at
    once."""

    def __init__(self, pool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.attempts: list[float] = []
        self.numbers = itertools.count()
        self.due: list[tuple[float, int, Any]] = []
        monkeypatch.setattr(library, "monotonic", lambda: self.now)
        monkeypatch.setattr(pool, "_connect", self._connect)
        monkeypatch.setattr(pool, "run_task", lambda task: self._later(task, 0.0))
        monkeypatch.setattr(pool, "schedule_task", self._later)

    def _connect(self, *_: Any) -> Any:
        self.attempts.append(self.now)
        raise psycopg.OperationalError

    def _later(self, task: Any, seconds: float) -> None:
        heapq.heappush(self.due, (self.now + seconds, next(self.numbers), task))

    def passes(self) -> None:
        """Do whatever is to be done in it."""
        while self.due and self.due[0][0] <= OUTAGE_S:
            self.now, _, task = heapq.heappop(self.due)
            task.run()

    @property
    def longest(self) -> float:
        """The longest time without an attempt."""
        moments = [0.0, *self.attempts, OUTAGE_S]
        return max(after - before for before, after in itertools.pairwise(moments))


def test_however_long_it_is_away_it_is_tried_for_every_second_or_two(
    wrappers: list[DatabaseWrapper], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though nobody asks for a connection."""
    pool: Any = wrappers[0].pool
    with monkeypatch.context() as patched:
        outage = Outage(pool, patched)
        pool.open()
        outage.passes()
    assert outage.longest < SOON_S
    # Nor is anybody kept busy by it.
    assert len(outage.attempts) < 2 * SIZE * OUTAGE_S


def test_the_settings_have_all_pools_do_so() -> None:
    replica = {"GAUNTLET_REPLICA_URL": "postgresql://someone:secret@replica.example/gauntlet"}
    asked = "[each['OPTIONS']['pool'] for each in settings.DATABASES.values()]"
    told = evaluate(asked, **PRODUCTION, **replica).stdout
    assert [told.count(repr(name)) for name in RETURNING] == [2, 2], told
