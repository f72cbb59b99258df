"""The site behind PgBouncer in transaction mode, where there is one: two web processes and two
workers with ten connections of the database's for all of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from core.prepared import prepared_cursor
from script.lib.ports import free_port
from tests.games.client import Reader
from tests.games.desk import Desk
from tests.infra.test_settings import PRODUCTION, evaluate
from tests.support.fronts import PGBOUNCER, Pooler
from tests.support.site import AnotherWeb, Site, wait_for

CONNECTIONS = 10


@pytest.fixture
def pooled(tmp_path: Path) -> Iterator[Site]:
    """A site whose processes know the database by PgBouncer alone, set up as in `deploy/`."""
    if PGBOUNCER is None:
        pytest.skip("NO PGBOUNCER: install it to try the site behind one")
    site = Site(tmp_path / "site")
    (tmp_path / "site").mkdir()
    pooler = Pooler(
        tmp_path / "bouncer",
        site.database_url,
        address=("127.0.0.1", free_port()),
        places={"default_pool_size = 40": f"default_pool_size = {CONNECTIONS}"},
    )
    try:
        pooler.start()
        site.processes, processes = [], site.processes
        site.start()  # the database, past PgBouncer
        site.processes = processes
        site.env["DATABASE_URL"] = pooler.url
        site.env["GAUNTLET_DB_POOLER"] = "true"
        for process in processes:
            process.start()
        yield site
    finally:
        site.stop()
        pooler.stop()


def test_nothing_is_said_to_the_session() -> None:
    options = "settings.DATABASES['default']['OPTIONS']"
    cursors = "settings.DATABASES['default']['DISABLE_SERVER_SIDE_CURSORS']"
    asked = f"['options' in {options}, {options}['prepare_threshold'], {cursors}]"
    assert evaluate(asked, **PRODUCTION).stdout.strip() == "[True, 0, False]"
    behind = evaluate(asked, **PRODUCTION, GAUNTLET_DB_POOLER="true")
    assert behind.stdout.strip() == "[False, None, True]"


@pytest.mark.django_db
def test_nothing_stays_prepared(settings: Any) -> None:
    def left() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_prepared_statements")
            count: int = cursor.fetchone()[0]
        return count

    def asked(sql: str) -> None:
        with prepared_cursor() as cursor:
            cursor.execute(sql, ["4"])
            assert cursor.fetchone() == ("5",)

    settings.GAUNTLET_DB_POOLER = True
    before = left()
    asked("SELECT $1::integer + 1 AS behind")
    assert left() == before
    settings.GAUNTLET_DB_POOLER = False
    asked("SELECT $1::integer + 1 AS without")
    assert left() == before + 1


@pytest.mark.site
async def test_matches_are_played_behind_it(pooled: Site) -> None:
    """By both web processes at the same time, without anything that outlives a transaction."""
    other, desk = AnotherWeb(pooled), Desk(pooled)
    other.web.start()
    source = random.Random(5)
    try:
        people = (desk.person(), desk.person())
        matches = [desk.match(*people) for _ in range(6)]
        for number, match in enumerate(matches):
            webs = (pooled, other) if number % 2 else (other, pooled)
            async with (
                await Reader.open(webs[0], match, people[0]) as first,
                await Reader.open(webs[1], match, people[1]) as second,
            ):
                readers = (first, second)
                for reader in readers:
                    await reader.next("sync")
                for turn in range(12):
                    await _turn(pooled, readers, match, source.randrange(1000), turn)
                assert (await first.submit("concede"))["type"] == "ack"
        # A deadline, by a worker.
        match = desk.match(*people, pick_time=1)
        wait_for(lambda: any(e["timeout"] for e in desk.rows(match)["entries"]), what="a timeout")
        for match in matches:
            assert desk.record(match)["ok"]
        logs = pooled.logs()
        for complaint in ("prepared statement", "Traceback", "connection.broken", "refused"):
            assert complaint not in logs, complaint
        ((most,),) = pooled.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid()"
        )
        assert 0 < most <= CONNECTIONS
    finally:
        other.stop()


async def _turn(
    site: Site, readers: tuple[Reader, Reader], match: int, seed: int, turn: int
) -> None:
    """A submission by whoever is to move."""
    views = []
    for seat, reader in enumerate(readers):
        view = (await reader.look())["view"]
        views.append(view)
        if any(each["seat"] == seat and each["sealed"] is None for each in view["decisions"]):
            text = site.hand.call(
                "tests.operations.filled:random_move", match=match, seat=seat, seed=seed
            )
            answer = await reader.submit(text)
            assert answer["type"] == "ack", (turn, answer)
            return
    raise AssertionError(f"nobody is to move: {views}")
