"""The pool of connections, after the database was started again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection
from psycopg_pool import pool as library

from core.database.base import DatabaseWrapper

SIZE = 5
NAME = "pool-under-test"


def wrapper() -> DatabaseWrapper:
    """What a thread has: all of them share one pool."""
    own = connection.settings_dict
    options = {
        **own["OPTIONS"], "application_name": NAME, "pool": {"min_size": SIZE, "max_size": SIZE},
    }  # fmt: skip
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
