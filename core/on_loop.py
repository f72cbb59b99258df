"""Prepared statements (`core.prepared`) that an event loop sends by itself, on connections of its
own, and whose answers it takes as it takes any other bytes.

For what a process does hundreds of times a second and knows beforehand: it saves the way to a
thread and back, and the wait for the interpreter that both are. What comes seldom, or asks the
database more than once, is better off in a thread.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Any, Final

import psycopg
import structlog
from django.conf import settings
from django.db import Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.pq import ConnStatus

from core.prepared import Row, encoded, names_of, new_name, rows_of

log = structlog.get_logger("gauntlet.database")

Answered = Callable[[list[Row] | None], None]
Later = Callable[[Callable[[], Any]], Any]

# How long no other connection is tried for after one that could not be made, in seconds.
REST_S: Final = 1.0


class Connections:
    """Connections of the running event loop, which alone may use them.

    ``later`` has a thread call something, soon; there connections are made and closed. ``lost`` is
    called when one has broken: the database may be another one by now.
    """

    def __init__(self, at_most: int, later: Later, lost: Callable[[], None]) -> None:
        self.loop = asyncio.get_running_loop()
        self.at_most = at_most
        self.later = later
        self.lost = lost
        self.idle: list[_Link] = []
        self.links: set[_Link] = set()
        self.opening = 0
        self.opens_next = float("-inf")
        self.closed = False

    def execute(self, sql: str, parameters: Sequence[str | None], answered: Answered) -> bool:
        """Send a statement, written as for `prepared_cursor`, that commits by itself. ``answered``
        is then called with its rows; or with None, where the database has refused it or the
        connection has broken, in which case nobody knows whether it was carried out.

        False, and nothing was sent, where no connection is free; there is one more later on then,
        up to ``at_most``.
        """
        while self.idle:
            if self.idle.pop().send(sql, parameters, answered):
                return True
        self._open()
        return False

    def close(self) -> None:
        """Close all of them. Whoever waits for an answer hears that nobody knows."""
        self.closed = True
        for link in tuple(self.links):
            link.give_up()

    def _open(self) -> None:
        # One at a time: what came together is seen to by threads.
        if self.closed or self.opening or len(self.links) >= self.at_most:
            return
        if self.loop.time() < self.opens_next:
            return
        self.opening += 1
        self.later(self._connect)

    def _connect(self) -> None:
        """Runs in a thread."""
        wrapper = connections["default"].copy()
        wrapper.inc_thread_sharing()  # it is closed by whichever thread is asked to
        try:
            wrapper.ensure_connection()
        except Error as error:
            log.warning("connection.failed", error=type(error).__name__)
        try:
            self.loop.call_soon_threadsafe(self._opened, wrapper)
        except RuntimeError:  # the loop is closed
            wrapper.close()

    def _opened(self, wrapper: BaseDatabaseWrapper) -> None:
        self.opening -= 1
        if wrapper.connection is None:
            self.opens_next = self.loop.time() + REST_S
        elif self.closed:
            self.later(wrapper.close)
        else:
            link = _Link(self, wrapper)
            self.links.add(link)
            self.idle.append(link)


class _Link:
    """One connection. Does one thing after the other."""

    def __init__(self, ours: Connections, wrapper: BaseDatabaseWrapper) -> None:
        self.ours = ours
        self.wrapper = wrapper
        self.pgconn = wrapper.connection.pgconn
        self.socket: int = self.pgconn.socket
        self.names = names_of(wrapper.connection)
        # What is still to be sent, and the names that are known once that before is answered.
        self.steps: deque[Callable[[], None]] = deque()
        self.preparing: dict[str, bytes] = {}
        self.answered: Answered | None = None
        # Of whoever has sent what is to be answered: answers come by the loop, which is nobody's.
        self.context = copy_context()
        self.rows: list[Row] | None = None
        self.failed = False
        ours.loop.add_reader(self.socket, self._on_readable)

    def send(self, sql: str, parameters: Sequence[str | None], answered: Answered) -> bool:
        """Send a statement; False, and nothing was, if the connection has broken."""
        if settings.GAUNTLET_DB_POOLER:
            return self._begin(
                partial(self.pgconn.send_query_params, sql.encode(), encoded(parameters)), answered
            )
        name = self.names.get(sql)
        if name is None:
            name = self.preparing[sql] = new_name()
            self.steps.append(partial(self.pgconn.send_prepare, name, sql.encode()))
        return self._begin(
            partial(self.pgconn.send_query_prepared, name, encoded(parameters)), answered
        )

    def _begin(self, last: Callable[[], None], answered: Answered) -> bool:
        """Send what is to be sent before, and then ``last``."""
        self.steps.append(last)
        try:
            self._next()
        except psycopg.Error as error:
            self._break(error)
            return False
        self.answered = answered
        self.context = copy_context()
        return True

    def _next(self) -> None:
        self.rows, self.failed = None, False
        self.steps.popleft()()
        self._flush()

    def _flush(self) -> None:
        if self.pgconn.flush():
            self.ours.loop.add_writer(self.socket, self._on_writable)
        else:
            self.ours.loop.remove_writer(self.socket)

    def _on_writable(self) -> None:
        try:
            self._flush()
        except psycopg.Error as error:
            self._break(error)

    def _on_readable(self) -> None:
        try:
            self.pgconn.consume_input()
            while self.answered is not None and not self.pgconn.is_busy():
                result = self.pgconn.get_result()
                if result is not None:
                    self._take(result)
                elif self.pgconn.status == ConnStatus.BAD:
                    break
                elif self.steps and not self.failed:
                    self.names.update(self.preparing)
                    self._next()
                else:
                    self._answer()
            if self.pgconn.status == ConnStatus.BAD:
                raise psycopg.OperationalError(self.pgconn.get_error_message())
        except psycopg.Error as error:
            self._break(error)

    def _take(self, result: Any) -> None:
        try:
            self.rows = rows_of(result)
        except psycopg.Error as error:
            self.context.run(log.info, "statement.refused", error=type(error).__name__)
            self.failed = True

    def _answer(self) -> None:
        answered, self.answered = self.answered, None
        rows = None if self.failed else self.rows
        self.steps.clear()
        self.preparing.clear()
        self.ours.idle.append(self)
        if answered is not None:
            self.context.run(answered, rows)

    def _break(self, error: Exception) -> None:
        self.context.run(log.warning, "connection.broken", error=type(error).__name__)
        self.ours.lost()
        self.give_up()

    def give_up(self) -> None:
        """Use this connection no more, whatever is under way."""
        self.ours.loop.remove_reader(self.socket)
        self.ours.loop.remove_writer(self.socket)
        self.ours.links.discard(self)
        with suppress(ValueError):
            self.ours.idle.remove(self)
        self.ours.later(self.wrapper.close)
        answered, self.answered = self.answered, None
        if answered is not None:
            self.context.run(answered, None)
