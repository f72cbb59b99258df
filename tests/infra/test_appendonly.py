"""Append-only tables: one guard for all, that can be put on and taken off by migrations."""

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.migrations.state import ProjectState

from core.appendonly import append_only

# Stands for the table of any app. The suite rolls it back.
TABLE = "CREATE TABLE accounts_testlog (id integer PRIMARY KEY, said text)"


def run(forwards: bool) -> None:
    state = ProjectState()
    for operation in append_only("accounts", "testlog"):
        with connection.schema_editor() as editor:
            step = operation.database_forwards if forwards else operation.database_backwards
            step("accounts", editor, state, state)


def execute(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.django_db
def test_a_table_can_be_guarded_and_freed() -> None:
    execute(TABLE)
    execute("INSERT INTO accounts_testlog VALUES (1, 'first')")
    run(forwards=True)
    execute("INSERT INTO accounts_testlog VALUES (2, 'second')")
    for statement in ("UPDATE accounts_testlog SET said = ''", "DELETE FROM accounts_testlog"):
        with pytest.raises(DatabaseError, match="accounts_testlog is append-only"):
            execute(statement)
    execute("SET LOCAL gauntlet.allow_truncate = 'off'")
    with pytest.raises(DatabaseError, match="append-only: TRUNCATE refused"):
        execute("TRUNCATE accounts_testlog")
    execute("SET LOCAL gauntlet.allow_truncate = 'on'")
    execute("TRUNCATE accounts_testlog")
    execute("INSERT INTO accounts_testlog VALUES (1, 'third')")
    run(forwards=False)
    execute("UPDATE accounts_testlog SET said = 'changed'")
    execute("DELETE FROM accounts_testlog")


@pytest.mark.django_db
def test_no_guard_has_a_function_of_its_own() -> None:
    # The rows of one table are filled in step by step: its guard knows in which order.
    own = {"games_matchdraws_stay"}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT p.proname FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid "
            "WHERE NOT t.tgisinternal AND t.tgname LIKE '%%_no_change'"
        )
        assert {name for (name,) in cursor.fetchall()} == {"gauntlet_append_only", *own}


@pytest.mark.parametrize(
    ("app", "table"),
    [
        ("games", "games_matchentry"),
        ("games", "MatchEntry"),
        ("games", "a; DROP"),
        ("", "entry"),
    ],
)
def test_wrong_names_are_bugs(app: str, table: str) -> None:
    with pytest.raises(ValueError, match="name"):
        append_only(app, table)
