"""Statements that an event loop sends by itself, and whose answers it takes by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

from core.prepared import Row
from tests.support.looping import LoopSide

pytestmark = pytest.mark.django_db(transaction=True)

SELECT = "SELECT $1::bigint + 1, $2::text, $3::text"
PREPARED = "SELECT count(*) FROM pg_prepared_statements WHERE statement = $1"
PID = "SELECT pg_backend_pid()"


@pytest.fixture
def side() -> Iterator[LoopSide]:
    side = LoopSide(at_most=2)
    yield side
    side.close()


def test_values_come_and_go_in_the_databases_own_notation(side: LoopSide) -> None:
    text = "Zoë 🂡 'quoted' $1 %s"
    assert side.ask(SELECT, "41", text, None) == [("42", text, None)]
    assert side.ask("SELECT 1 WHERE $1::boolean", "False") == []
    assert side.ask("SELECT generate_series(1, 3)") == [("1",), ("2",), ("3",)]


def test_a_statement_is_prepared_once(side: LoopSide) -> None:
    for number in range(3):
        assert side.ask(SELECT, str(number), "", "")
    assert side.ask(PREPARED, SELECT) == [("1",)]


def test_a_connection_that_a_pool_hands_on_prepares_nothing_twice(
    side: LoopSide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From loop to loop, and to and from threads, which have prepared statements, too."""
    assert side.ask(SELECT, "1", "", "")
    (link,) = side.database.links
    with monkeypatch.context() as patched:
        patched.setattr(link.wrapper, "close", lambda: None)
        side.call(link.give_up)
        side.settle()
    with link.wrapper.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement = %s", [SELECT])
        assert cursor.fetchone() == (1,)
    side.call(lambda: side.database._opened(link.wrapper))
    assert side.ask(SELECT, "2", "", "") == [("3", "", "")]
    assert side.ask(PREPARED, SELECT) == [("1",)]
    assert len(side.database.links) == 1


def test_more_than_any_buffer_holds(side: LoopSide) -> None:
    """Both ways; and the loop goes on meanwhile."""
    much = "é" * 4_000_000
    turns = 0

    async def asking() -> Any:
        nonlocal turns
        asked = asyncio.ensure_future(side.execute(SELECT, "1", much, much))
        while not asked.done():
            turns += 1
            await asyncio.sleep(0)
        return await asked

    assert side.run(asking()) == [("2", much, much)]
    assert turns > 10


def test_it_goes_on_while_the_database_is_at_it(side: LoopSide) -> None:
    """One after the other on a connection, and side by side on two; who finds none free is told."""

    async def asking() -> list[Any]:
        await asyncio.gather(*[side.execute("SELECT pg_sleep(0.05)::text") for _ in range(2)])
        while len(side.database.idle) < 2:
            await side.execute(PID)
            await asyncio.gather(*[side.execute(PID) for _ in range(2)])
        found: list[list[Row] | None] = []
        wait = "SELECT pg_sleep(0.2)::text, pg_backend_pid()"
        sent = [side.database.execute(wait, (), found.append) for _ in range(3)]
        assert found == []
        while len(found) < 2:
            await side.execute(PID)
        return [sent, len({str(rows) for rows in found}), len(side.database.links)]

    assert side.run(asking()) == [[True, True, False], 2, 2]


@pytest.mark.parametrize(
    ("sql", "parameters"),
    [
        ("SELECT $1::bigint", ("one",)),
        ("INSERT INTO django_session VALUES ($1, $2, NULL)", ("a", "b")),
        ("SELECT nothing_like_it()", ()),
        ("SELECT", ("too", "many")),
    ],
)
def test_what_the_database_refuses_has_no_rows(
    side: LoopSide, sql: str, parameters: tuple[str, ...]
) -> None:
    for _ in range(2):
        assert side.ask(sql, *parameters) is None
    assert side.ask(SELECT, "1", "x", None) == [("2", "x", None)]
    assert side.lost == 0


def terminate(pid: str | None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", (pid,))


def test_a_connection_that_breaks_while_something_is_under_way(side: LoopSide) -> None:
    rows = side.ask(PID)
    assert rows
    asked = asyncio.run_coroutine_threadsafe(side.execute("SELECT pg_sleep(20)::text"), side.loop)
    side.until(lambda: not side.database.idle)
    terminate(rows[0][0])
    assert asked.result(20) is None
    assert side.lost == 1
    again = side.ask(PID)
    assert again
    assert again != rows


def test_a_connection_that_breaks_while_nobody_uses_it(side: LoopSide) -> None:
    """It is not used any more; whoever comes next does not notice."""
    rows = side.ask(PID)
    assert rows
    terminate(rows[0][0])
    side.until(lambda: not side.database.links)
    assert side.lost == 1
    assert side.ask(SELECT, "1", "", "") == [("2", "", "")]


def test_without_a_database_nothing_is_sent(
    side: LoopSide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it is not tried again at once."""
    tries = 0

    def fail(_self: BaseDatabaseWrapper) -> None:
        nonlocal tries
        tries += 1
        raise OperationalError

    monkeypatch.setattr(BaseDatabaseWrapper, "ensure_connection", fail)
    answers: list[Any] = []
    for _ in range(5):
        assert not side.call(lambda: side.database.execute(PID, (), answers.append))
        side.settle()
        side.call(lambda: None)
    assert (tries, answers) == (1, [])
    monkeypatch.undo()
    side.call(lambda: setattr(side.database, "opens_next", 0.0))
    assert side.ask("SELECT 1") == [("1",)]


def test_whoever_waits_when_all_is_closed_hears_of_it(side: LoopSide) -> None:
    side.ask(PID)
    asked = asyncio.run_coroutine_threadsafe(side.execute("SELECT pg_sleep(1)::text"), side.loop)
    side.until(lambda: not side.database.idle)
    side.call(side.database.close)
    assert asked.result(20) is None
    assert not side.call(lambda: side.database.execute(PID, (), lambda _rows: None))
    side.settle()
    assert not side.database.links
