"""Statements that are prepared once for each connection, and what is done while they run."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, OperationalError, connection
from django.db.utils import DataError
from django.test.utils import CaptureQueriesContext

from core.prepared import prepared_cursor

pytestmark = pytest.mark.django_db(transaction=True)

SELECT = "SELECT $1::bigint + 1, $2::text, $3::text"


def asked(sql: str, *parameters: str | None) -> tuple[str | None, ...] | None:
    with prepared_cursor() as cursor:
        cursor.execute(sql, parameters)
        row: tuple[str | None, ...] | None = cursor.fetchone()
        return row


def still_answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return asked(SELECT, "1", "x", None) == ("2", "x", None)


def test_values_come_and_go_in_the_databases_own_notation() -> None:
    assert asked(SELECT, "41", "Zoë 🂡 'quoted' $1 %s", None) == ("42", "Zoë 🂡 'quoted' $1 %s", None)
    assert asked("SELECT 1 WHERE $1::boolean", "False") is None


def test_a_statement_is_prepared_once() -> None:
    def prepared() -> str | None:
        row = asked("SELECT count(*) FROM pg_prepared_statements WHERE statement = $1", SELECT)
        return None if row is None else row[0]

    connection.close()
    assert prepared() == "0"
    for number in range(3):
        asked(SELECT, str(number), "", "")
    assert prepared() == "1"
    connection.close()  # another connection has none
    assert prepared() == "0"
    assert asked(SELECT, "1", "", "") == ("2", "", "")


def test_more_than_any_buffer_holds() -> None:
    much = "é" * 4_000_000
    assert asked(SELECT, "1", much, much) == ("2", much, much)


@pytest.mark.parametrize(
    ("sql", "parameters", "error"),
    [
        ("SELECT $1::bigint", ("one",), DataError),
        ("INSERT INTO django_session VALUES ($1, $2, NULL)", ("a", "b"), IntegrityError),
        ("SELECT pg_sleep($1::float8)", ("5",), OperationalError),
    ],
)
def test_what_the_database_refuses_is_djangos_error(
    sql: str, parameters: tuple[str, ...], error: type[Exception]
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 300")
    try:
        with pytest.raises(error):
            asked(sql, *parameters)
        assert still_answers()
    finally:
        connection.close()


def test_a_connection_that_breaks_meanwhile() -> None:
    asked(SELECT, "1", "", "")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = cursor.fetchone()[0]

    def break_it() -> None:
        other = connection.copy()
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", (backend,))
        other.close()

    with pytest.raises(OperationalError), prepared_cursor(break_it) as cursor:
        cursor.execute("SELECT pg_sleep($1::float8)", ("20",))
    connection.close()
    assert still_answers()


def test_meanwhile_is_before_the_answer_and_its_fault_after_it() -> None:
    marks = "CREATE TABLE IF NOT EXISTS marks (mark text)"
    with connection.cursor() as cursor:
        cursor.execute(marks)
    try:

        def fail() -> None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError), prepared_cursor(fail) as cursor:
            cursor.execute("INSERT INTO marks VALUES ($1::text)", ("made",))
        assert asked("SELECT mark FROM marks") == ("made",)  # committed, whatever failed beside it
        assert still_answers()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE marks")


def test_it_stands_in_djangos_log_of_statements() -> None:
    with CaptureQueriesContext(connection) as queries:
        asked(SELECT, "1", "", "")
    assert [query["sql"] for query in queries] == [SELECT]
