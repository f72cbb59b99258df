"""Statements that the database prepares once for each connection: it parses and plans them once,
and binds their parameters itself. For the few that are asked hundreds of times a second."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorDebugWrapper, CursorWrapper


@contextmanager
def prepared_cursor() -> Iterator[CursorWrapper]:
    """A cursor like `connection.cursor()`, with Django's errors and its log of statements, whose
    statements are prepared at their first use. Parameters need a cast in the statement wherever
    their type does not follow.

    Django's own cursors put parameters into the text, so that nothing can be prepared. That this
    one's are is due to "prepare_threshold" in the settings.
    """
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    with connection.wrap_database_errors:
        raw: Any = psycopg.Cursor(connection.connection)
    wrap = _Logged if connection.queries_logged else CursorWrapper
    with wrap(raw, connection) as cursor:
        yield cursor


class _Logged(CursorDebugWrapper):
    """Logs a statement as it was written: psycopg keeps no text of one that was prepared before."""

    def execute(self, sql: Any, params: Any = None) -> Any:
        with self.debug_sql(sql, params):
            return CursorWrapper.execute(self, sql, params)
