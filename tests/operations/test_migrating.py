"""Migrations have limits of time of their own: none for what they do, and a short one for what
others would have to wait behind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from config.operations.management.commands.migrate import LIMITS
from tests.support.site import PATIENCE, wait_for

# What a statement of the site's may take, in this test; and what its migration takes.
SITES_MS = 150
TAKES_S = 3 * SITES_MS / 1000

pytestmark = pytest.mark.django_db(transaction=True)


def shown(name: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting(%s)", (name,))
        value: str = cursor.fetchone()[0]
    return value


def run(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


@pytest.fixture
def migration(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Has a migration do what is given."""

    def given(does: Callable[[], None]) -> None:
        def migrate(_self: Any, _targets: Any, plan: Any, **more: Any) -> Any:
            does()
            return more["state"]

        monkeypatch.setattr(MigrationExecutor, "migrate", migrate)

    return given


@pytest.fixture(autouse=True)
def sites_limits() -> Iterator[None]:
    """Short ones, and those that there were afterwards."""
    before = {name: shown(name) for name in LIMITS}
    run(f"SET statement_timeout = {SITES_MS}")
    yield
    for name, value in before.items():
        run(f"SET {name} = '{value}'")


def test_a_statement_may_take_its_time(migration: Callable[[Callable[[], None]], None]) -> None:
    seen: dict[str, str] = {}

    def slow() -> None:
        seen.update({name: shown(name) for name in LIMITS})
        run(f"SELECT pg_sleep({TAKES_S})")

    with pytest.raises(Exception, match="statement timeout"):
        slow()  # as the site's own
    migration(slow)
    call_command("migrate", interactive=False, verbosity=0)
    assert seen == {"lock_timeout": "2s", "statement_timeout": "0"}
    # Whatever this process does next has the site's limits again.
    assert shown("statement_timeout") == f"{SITES_MS}ms"


def test_nobody_waits_behind_it(migration: Callable[[Callable[[], None]], None]) -> None:
    """Somebody reads a table, for as long as a backup takes. The migration gives up, and whoever
    came after it goes on, though the reader is still there."""
    known = connection.get_connection_params()
    address = {key: known[key] for key in ("dbname", "user", "password", "host", "port")}
    answers: list[Any] = []
    later = threading.Thread(target=_come_later, args=(address, answers))
    migration(lambda: run("ALTER TABLE games_match ALTER COLUMN status SET NOT NULL"))
    with psycopg.connect(**address) as reader:
        reader.execute("SELECT count(*) FROM games_match")
        later.start()
        run("SET statement_timeout = 0")  # of which it is not to be
        with pytest.raises(CommandError, match="Somebody holds what had to be changed"):
            call_command("migrate", interactive=False, verbosity=0)
        later.join(PATIENCE)
        assert answers == [(0,)]
    assert shown("lock_timeout") != LIMITS["lock_timeout"]


def _come_later(address: dict[str, Any], answers: list[Any]) -> None:
    """Read the table once the migration waits for it."""
    waits = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'games_match'::regclass"
    with psycopg.connect(**address, autocommit=True) as link:
        wait_for(lambda: link.execute(waits).fetchone(), what="the migration to wait")
        answers.append(link.execute("SELECT count(*) FROM games_match").fetchone())


def test_behind_a_pooler_nothing_is_said(
    migration: Callable[[Callable[[], None]], None], settings: Any
) -> None:
    """It would be said to somebody else's connection."""
    settings.GAUNTLET_DB_POOLER = True
    seen: list[str] = []
    migration(lambda: seen.append(shown("statement_timeout")))
    call_command("migrate", interactive=False, verbosity=0)
    assert seen == [f"{SITES_MS}ms"]


def test_another_fault_is_told_as_ever(migration: Callable[[Callable[[], None]], None]) -> None:
    migration(lambda: run("SELECT 1 / 0"))
    with pytest.raises(Exception, match="division by zero"):
        call_command("migrate", interactive=False, verbosity=0)
    assert shown("statement_timeout") == f"{SITES_MS}ms"
