"""Statements that the database prepares once for each connection: it parses and plans them once,
and binds their parameters itself. For the few that are asked hundreds of times a second.

They are sent by libpq's own calls, so that the process can go on while the database carries them
out: most of what a durable commit takes is waiting for the disk.

Behind a pooler that hands each transaction to another connection (`GAUNTLET_DB_POOLER`) nothing is
kept prepared: statements are the same, parsed and planned anew each time.
"""

from __future__ import annotations

import select
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, Final
from weakref import WeakKeyDictionary

import psycopg
from django.conf import settings
from django.db import connection
from django.db.backends.utils import CursorDebugWrapper, CursorWrapper
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.pq.abc import PGconn, PGresult

Row = tuple[str | None, ...]

_FAILED: Final = (ExecStatus.FATAL_ERROR, ExecStatus.BAD_RESPONSE)


def nothing() -> None:
    """What there is to do meanwhile where there is nothing."""


@contextmanager
def prepared_cursor(meanwhile: Callable[[], None] = nothing) -> Iterator[CursorWrapper]:
    """A cursor like `connection.cursor()`, with Django's errors and its log of statements, whose
    statements are prepared at their first use. Outside of transactions each commits by itself.

    Parameters are ``$1``, ``$2`` and so on in the statement, with a cast wherever their type does
    not follow, and are given in PostgreSQL's own notation; so is what is fetched. While the
    database carries a statement out, ``meanwhile`` is called; what it raises is raised once the
    statement has been carried out.
    """
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    raw = _Prepared(connection.connection, meanwhile)
    wrap = _Logged if connection.queries_logged else CursorWrapper
    with wrap(raw, connection) as cursor:
        yield cursor


class _Logged(CursorDebugWrapper):
    """Logs a statement as it was written: there is no text of one with its parameters put in."""

    def execute(self, sql: Any, params: Any = None) -> Any:
        with self.debug_sql(sql, params):
            return CursorWrapper.execute(self, sql, params)


class _Prepared:
    """What Django's cursors are wrapped around."""

    def __init__(self, link: psycopg.Connection[Any], meanwhile: Callable[[], None]) -> None:
        self.link = link
        self.meanwhile = meanwhile
        self.rows: list[Row] = []

    def execute(self, sql: str, params: Sequence[str | None] = ()) -> None:
        """Carry a statement out. Raises the errors of psycopg."""
        pgconn = self.link.pgconn
        if settings.GAUNTLET_DB_POOLER:
            pgconn.send_query_params(sql.encode(), encoded(params))
        else:
            pgconn.send_query_prepared(_name_of(self.link, sql), encoded(params))
        failed: BaseException | None = None
        try:
            _flush(pgconn)
            self.meanwhile()
        except BaseException as error:  # noqa: BLE001  (raised below, when the answer is there)
            failed = error
        self.rows = rows_of(_received(pgconn))
        if failed is not None:
            raise failed

    def fetchone(self) -> Row | None:
        """The next row, if there is one."""
        return self.rows.pop(0) if self.rows else None

    def close(self) -> None:
        """Nothing is held."""


# By connection: the names of what it has prepared, by statement. A pool hands connections on.
_names: WeakKeyDictionary[psycopg.Connection[Any], dict[str, bytes]] = WeakKeyDictionary()
_numbers: Final = count()


def names_of(link: psycopg.Connection[Any]) -> dict[str, bytes]:
    """The names of what a connection has prepared, by statement: whoever prepares adds to them."""
    return _names.setdefault(link, {})


def new_name() -> bytes:
    """A name that no connection of this process has a statement of."""
    return f"prepared_{next(_numbers)}".encode()


def _name_of(link: psycopg.Connection[Any], sql: str) -> bytes:
    names = names_of(link)
    name = names.get(sql)
    if name is None:
        name = new_name()
        rows_of(link.pgconn.prepare(name, sql.encode()))
        names[sql] = name
    return name


def _flush(pgconn: PGconn) -> None:
    while pgconn.flush():
        # The database may itself wait for us to read, before it reads on.
        if _wait(pgconn, select.POLLIN | select.POLLOUT) & select.POLLIN:
            pgconn.consume_input()


def _received(pgconn: PGconn) -> PGresult | None:
    """The result of the one statement that was sent."""
    last = None
    while True:
        while pgconn.is_busy():
            _wait(pgconn, select.POLLIN)
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is None:
            break
        last = result
    if pgconn.status == ConnStatus.BAD:
        raise psycopg.OperationalError(pgconn.get_error_message())
    return last


def _wait(pgconn: PGconn, events: int) -> int:
    poll = select.poll()
    poll.register(pgconn.socket, events)
    return poll.poll()[0][1]


def encoded(parameters: Sequence[str | None]) -> list[bytes | None]:
    """Parameters as libpq takes them."""
    return [None if each is None else each.encode() for each in parameters]


def rows_of(result: PGresult | None) -> list[Row]:
    """All rows of a result. Raises the errors of psycopg."""
    if result is None:
        raise psycopg.OperationalError("the database did not answer")
    if result.status in _FAILED:
        raise error_from_result(result)
    return [
        tuple(_text(result.get_value(row, column)) for column in range(result.nfields))
        for row in range(result.ntuples)
    ]


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()
