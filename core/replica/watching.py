"""Whether the replica answers, and by how much it lags behind: asked all the time by one thread of
each process that reads from it, so that nobody who reads has to.

The lag is measured by places in the log (LSN). This process notes how far the primary had come at
moments of its own clock; what the replica has replayed is then at least as new as the latest of
these that it has passed. So an idle primary makes no lag, which the time of the last transaction
would, no two clocks are compared, and a look that fails only makes the figure larger. A replica of
another cluster, one that has become a primary, and one that is ahead of its primary (which has
failed over to another) are never asked.
"""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final, NamedTuple

import psycopg
import structlog
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg.pq import ExecStatus

from core.database.base import REPLICA
from core.replica import is_there

log = structlog.get_logger("gauntlet.replica")

# How often it is looked, and how long one server is waited for.
LOOK_EVERY_S: Final = 0.25
LOOK_S: Final = 1.0

_PRIMARY: Final = """
    SELECT system_identifier, pg_current_wal_lsn() - '0/0'::pg_lsn FROM pg_control_system()
"""
_STANDBY: Final = """
    SELECT system_identifier, pg_last_wal_replay_lsn() - '0/0'::pg_lsn, pg_is_in_recovery()
    FROM pg_control_system()
"""


class Place(NamedTuple):
    """How far a server's log had come, by the system that it is the log of."""

    system: str
    lsn: int


class UnfitError(Exception):
    """It answers, and is no replica of ours. Its text is a code for the log."""


def _place(system: str | None, lsn: str | None, follows: str | None = "t") -> Place:
    """What a server has answered. Raises UnfitError ``no-standby``."""
    if follows != "t" or system is None or lsn is None:
        raise UnfitError("no-standby")
    return Place(system, int(lsn))


class _Line:
    """A connection of its own to one of the servers, beside all pools, which is never waited for
    longer than `LOOK_S`."""

    def __init__(self, alias: str) -> None:
        self.alias = alias
        self.link: psycopg.Connection[Any] | None = None

    def ask(self, sql: str) -> list[str | None]:
        """The first row of the answer. Raises the errors of psycopg."""
        try:
            return self._answer((self.link or self._connect()).pgconn, sql)
        except psycopg.Error:
            self.close()
            raise

    def close(self) -> None:
        """Have the next question make it anew."""
        link, self.link = self.link, None
        if link is not None:
            link.close()

    def _connect(self) -> psycopg.Connection[Any]:
        given: dict[str, Any] = connections[self.alias].get_connection_params()
        given |= {"connect_timeout": 2, "application_name": "gauntlet-look"}
        self.link = psycopg.connect(**given, autocommit=True)
        return self.link

    def _answer(self, pgconn: Any, sql: str) -> list[str | None]:
        until = time.monotonic() + LOOK_S
        readable = select.poll()  # its number may be a high one: there are sockets by the thousand
        readable.register(pgconn.socket, select.POLLIN)
        row: list[str | None] = []
        pgconn.send_query(sql.encode())
        pgconn.flush()
        while True:
            while pgconn.is_busy():
                left = until - time.monotonic()
                if left <= 0 or not readable.poll(1000 * left):
                    raise psycopg.OperationalError("It has not answered in time.")
                pgconn.consume_input()
            result = pgconn.get_result()
            if result is None:
                return row
            if result.status != ExecStatus.TUPLES_OK:
                raise psycopg.OperationalError(result.error_message.decode(errors="replace"))
            values = [result.get_value(0, column) for column in range(result.nfields)]
            row = [None if value is None else value.decode() for value in values]


class Lag:
    """What follows from places that were seen, at moments of the monotonic clock."""

    def __init__(self) -> None:
        self._passed: deque[tuple[float, int]] = deque()
        self._replayed = 0
        self._must_pass = 0
        # What was committed before this moment the replica shows.
        self.fresh_at = float("-inf")

    def note(self, began: float, primary: Place, standby: Place) -> None:
        """Take in where both were, asked in this order after ``began``. Raises UnfitError
        ``of-another`` and ``ahead``."""
        if primary.system != standby.system:
            raise UnfitError("of-another")
        if self._replayed > primary.lsn:
            # It has what its primary has not: that was lost when another took its place.
            self._must_pass = max(self._must_pass, self._replayed, standby.lsn)
        if self._passed and self._passed[-1][1] > primary.lsn:
            self._passed.clear()
        self._replayed = standby.lsn
        self._passed.append((began, primary.lsn))
        if standby.lsn <= self._must_pass and self._must_pass:
            raise UnfitError("ahead")
        while self._passed and self._passed[0][1] <= standby.lsn:
            self.fresh_at = self._passed.popleft()[0]
        while len(self._passed) > _MOMENTS:
            # One that lags by so much has far to go; it need not be known when it has got there.
            del self._passed[1]


_MOMENTS: Final = 4000


class Watch:
    """What this process knows of the replica. The thread that looks begins with the first who wants
    to know, who is told that it may not be asked yet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: set[Any] = set()
        self._thread: threading.Thread | None = None
        self._said = ""
        self.answers = False
        self.lag = Lag()

    @property
    def lag_s(self) -> float:
        """How old what it shows may be, in seconds, at most; infinite where nobody knows."""
        return time.monotonic() - self.lag.fresh_at

    def may_be_asked(self) -> bool:
        """Whether it answers, and shows what was committed before the time that the settings give
        it to lag behind."""
        if self._thread is None:
            self._begin()
            return False
        return self.answers and 1000 * self.lag_s <= settings.GAUNTLET_REPLICA_LAG_MS

    def failed(self, error: BaseException) -> None:
        """Have nobody ask it before it has answered the thread that looks: it has let somebody
        down."""
        self.answers = False
        self._say("away", error=type(error).__name__)

    @contextmanager
    def held(self, link: Any) -> Iterator[None]:
        """Whoever waits for an answer by this connection meanwhile stops waiting once it is known
        that none comes."""
        with self._lock:
            self._held.add(link)
        try:
            yield
        finally:
            with self._lock:
                self._held.discard(link)

    def figures(self) -> Mapping[tuple[str, ...], float]:
        """For metrics: whether it is asked, by no label. Nothing where there is no replica."""
        return {(): float(self.may_be_asked())} if is_there() else {}

    def lag_figures(self) -> Mapping[tuple[str, ...], float]:
        """The same of `lag_s`; nothing where it is not known."""
        known = is_there() and self.lag.fresh_at > float("-inf")
        return {(): self.lag_s} if known else {}

    def _begin(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._look_on, name="gauntlet-replica", daemon=True
                )
                self._thread.start()

    def _look_on(self) -> None:
        primary, standby = _Line(DEFAULT_DB_ALIAS), _Line(REPLICA)
        while True:
            try:
                self._look(primary, standby)
            except Exception:  # whatever it is: without a look, it is not asked
                log.exception("replica.not-looked-at")
            time.sleep(LOOK_EVERY_S)

    def _look(self, primary: _Line, standby: _Line) -> None:
        began = time.monotonic()
        try:
            system, lsn = primary.ask(_PRIMARY)
        except psycopg.Error as error:
            # Not the replica's fault. Nobody knows how old what it shows is, so that ages.
            log.info("replica.not-measured", error=type(error).__name__)
            return
        try:
            of, replayed, follows = standby.ask(_STANDBY)
        except psycopg.Error as error:
            self.failed(error)
            self._cut()
            # A server that has gone says why; one that refuses us says what we lack.
            log.debug("replica.said", error=str(error))
            return
        try:
            self.lag.note(began, _place(system, lsn), _place(of, replayed, follows))
        except UnfitError as error:
            self.answers = False
            self.lag.fresh_at = float("-inf")
            self._say(str(error))
            return
        if not self.answers:
            self._mend()
            self.answers = True
        lags = 1000 * self.lag_s > settings.GAUNTLET_REPLICA_LAG_MS
        self._say("lags" if lags else "")

    def _cut(self) -> None:
        """End the connections by which somebody waits: a server that hangs never answers."""
        with self._lock:
            for link in self._held:
                with suppress(OSError, psycopg.Error):
                    ours = socket.socket(fileno=os.dup(link.pgconn.socket))
                    with ours:
                        ours.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def _mend() -> None:
        # Connections that it broke are still in the pool.
        pool = getattr(connections[REPLICA], "pool", None)
        if pool is not None and not pool.closed:
            pool.check()

    def _say(self, why: str, **more: Any) -> None:
        """Say in the log that it is not asked from now on, and why; or that it is again."""
        if why == self._said:
            return
        self._said = why
        if not why:
            log.info("replica.asked", lag_ms=round(1000 * self.lag_s))
        else:
            log.warning("replica.not-asked", why=why, **more)

    def _after_fork(self) -> None:
        # The thread that looks has stayed behind, and so have those who hold connections.
        self.__init__()  # type: ignore[misc]


WATCH: Final = Watch()
os.register_at_fork(after_in_child=WATCH._after_fork)  # noqa: SLF001  (its own module)
