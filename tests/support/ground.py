"""A site on servers of its own, every part of which can be killed, stopped and filled up.

Everything that happens to it is a method here, for the tests of each fault (`tests/faults`) and for
`script/soak`, which does all of it at random.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import psycopg
import redis

from script.lib.console import Failure
from script.lib.services import DATABASE, Postgres, Service, Valkey
from script.lib.testbed import KEPT, VARIABLE, fingerprint
from tests.support.site import Site, wait_for

R = TypeVar("R")

# A killed PostgreSQL starts again only once the last of its children has gone.
START_S = 60.0

NO_ROOM = """
CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
END $$;
CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON games_match
    FOR EACH STATEMENT EXECUTE FUNCTION no_room();
CREATE TRIGGER no_room BEFORE INSERT ON games_matchentry
    FOR EACH STATEMENT EXECUTE FUNCTION no_room();
"""
ROOM_AGAIN = "DROP FUNCTION IF EXISTS no_room() CASCADE"

SLOW = """
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_sleep(20); RETURN NEW; END $$;
CREATE TRIGGER slow BEFORE INSERT ON games_matchentry FOR EACH ROW EXECUTE FUNCTION slow();
"""
FAST_AGAIN = "DROP FUNCTION IF EXISTS slow() CASCADE"

# Where a turn can be held while it is stored: in the midst of its statement; when its statement is
# done, and it is about to be committed; and when it is, and whoever has asked is about to be told.
STATEMENT: Final = "in its statement"
COMMIT: Final = "before its commit"
COMMITTED: Final = "behind its commit"
# The advisory lock that it then waits for, and whoever waits for it. Behind its commit that is a
# standby that there never was.
GATE: Final = (20_061, 15)
# By another lock, which nobody waits for, turns are told from what time does to matches. The site's
# sessions wait for a lock ten seconds only; here they wait for the test, however slow it is.
_EACH: Final = "FOR EACH ROW WHEN (NEW.client_id IS NOT NULL) EXECUTE FUNCTION"
_MARK: Final = f"""
CREATE FUNCTION mark() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_advisory_xact_lock_shared({GATE[0]}, {GATE[1] + 1}); RETURN NULL; END $$;
CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS $$
BEGIN PERFORM pg_advisory_xact_lock_shared({GATE[0]}, {GATE[1]}); RETURN NULL; END $$;
CREATE TRIGGER a_mark AFTER INSERT ON games_matchentry {_EACH} mark();
"""
HOLDS: Final = {
    STATEMENT: f"{_MARK} CREATE TRIGGER hold AFTER INSERT ON games_matchentry {_EACH} hold();",
    COMMIT: f"{_MARK} CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON games_matchentry"
    f" DEFERRABLE INITIALLY DEFERRED {_EACH} hold();",
    COMMITTED: _MARK,
}
HOLDS_NO_MORE: Final = "SET LOCAL lock_timeout = '20s'; DROP FUNCTION IF EXISTS hold, mark CASCADE"
TURNS: Final = f"""
SELECT session.pid FROM pg_stat_activity session JOIN pg_locks held USING (pid)
WHERE held.locktype = 'advisory' AND held.classid = {GATE[0]} AND held.objid = {GATE[1] + 1}
    AND session.datname = current_database()
"""  # noqa: S608  (constants only)
HELD: Final = f"{TURNS} AND session.wait_event IN ('advisory', 'SyncRep') ORDER BY 1"
IDLE: Final = f"{TURNS} AND session.state = 'idle in transaction' ORDER BY 1"


class Ground:
    """The site, its database and its Valkey."""

    def __init__(self, folder: Path, data: Path | None = None) -> None:
        """``data`` is where the database keeps its files, for one that is to have little room."""
        python = Path(sys.executable)
        self.postgres = Postgres(data or folder / "postgres", python, durable=False)
        self.postgres.seed = KEPT / fingerprint()
        # A commit can wait for a standby.
        self.postgres.settings |= {"wal_level": "replica", "max_wal_senders": 1}
        self.valkey = Valkey(folder / "valkey", python)
        self.folder = folder
        self.site: Site | None = None
        # For which standby commits wait; for none.
        self.standby = ""
        # The processes of the database that stand still.
        self.still: list[int] = []

    def start(self) -> Site:
        """Start the servers, and the site on them."""
        self.valkey.start()
        self.postgres.start()
        self.site = Site(
            self.folder,
            {
                "DATABASE_URL": self.postgres.url,
                "REDIS_URL": self.valkey.url,
                VARIABLE: f"{DATABASE}_template" if self.postgres.from_seed else "",
            },
        )
        self.site.start()
        return self.site

    def stop(self) -> None:
        """End all of it, and remove the data."""
        self.mend()
        if self.site is not None:
            self.site.stop()
        self.valkey.stop()
        self.postgres.stop()
        Postgres.remove_below(self.postgres.folder)

    @property
    def there(self) -> Site:
        """The site, which has been started."""
        assert self.site is not None
        return self.site

    def mend(self) -> None:
        """Undo every fault: what stands still goes on, and what is dead starts again."""
        self._resume_postgres()
        for service in (self.valkey, self.postgres):
            if not service.is_dead():
                assert service.child is not None
                os.kill(service.child.pid, signal.SIGCONT)
            start(service)
        with self.valkey_client() as client:
            client.replicaof("NO", "ONE")
            client.config_set("maxmemory", 0)
        if self.site is not None:
            for process in self.site.processes:
                process.resume()
        self._await_standby("")
        for undone in (ROOM_AGAIN, FAST_AGAIN, HOLDS_NO_MORE):
            self.sql(undone)
        if self.site is not None:
            self.site.ensure_running()

    # -- the database ----------------------------------------------------------------------------

    def sql(self, statement: Any, *parameters: Any) -> list[tuple[Any, ...]]:
        """Run a statement on the site's database, as soon as that takes one."""
        if self.site is None:
            return []
        return _as_soon_as_it_can(partial(self.site.sql, statement, *parameters))

    def kill_postgres(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Kill -9 of the whole server, or another signal: SIGQUIT ends it at once, too, and has it
        recover when it starts."""
        assert self.postgres.child is not None
        pid = self.postgres.child.pid
        os.kill(pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.postgres.child.wait(START_S)
        self.postgres.stop(timeout=5)

    def start_postgres(self) -> None:
        """Start it again."""
        start(self.postgres)

    @contextmanager
    def hung_postgres(self) -> Iterator[None]:
        """All its processes stand still, in the block: its connections are open, and nothing
        answers."""
        assert self.postgres.child is not None
        server = self.postgres.child.pid
        asking = _as_soon_as_it_can(partial(psycopg.connect, self.there.database_url))
        with closing(asking) as connection:
            os.kill(server, signal.SIGSTOP)  # from now on there are no more of them
            found = connection.execute("SELECT pid FROM pg_stat_activity").fetchall()
            self.still = [server, *(pid for (pid,) in found)]
            for pid in self.still:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            self._resume_postgres()

    def _resume_postgres(self) -> None:
        still, self.still = self.still, []
        for pid in still:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def end_sessions(self) -> int:
        """End every session of the web service that has nothing to do, as an administrator may, or
        a pooler that is started again; how many. It takes its time, so some are in use by then."""
        found = self.sql(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'gauntlet'"
            " AND state = 'idle'"
        )
        return len(found)

    def kill_backend(self) -> bool:
        """Kill -9 of one process that serves the web service, in mid-transaction where one is: the
        server ends all others then, and recovers. Whether there was one."""
        found = self.sql(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
            " AND application_name = 'gauntlet' ORDER BY (state = 'active') DESC, random() LIMIT 1"
        )
        for (pid,) in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return bool(found)

    @contextmanager
    def slow_turns(self) -> Iterator[None]:
        """Have whoever stores a turn stay in the midst of it, for as long as the block takes."""
        self.sql(SLOW)
        try:
            yield
        finally:
            self.sql(FAST_AGAIN)

    def storing(self) -> list[int]:
        """The processes of the database that are in the midst of a turn, by `slow_turns`."""
        return [
            pid
            for (pid,) in self.sql(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                " AND wait_event = 'PgSleep'"
            )
        ]

    @contextmanager
    def held_turns(self, where: str) -> Iterator[Callable[[], None]]:
        """Have each turn stay where it is while it is stored, in the block, at `STATEMENT`,
        `COMMIT` or `COMMITTED`; gives what lets them go on before that. The database may be killed
        and started again meanwhile."""
        if where == COMMITTED:
            let_go = partial(self._await_standby, "")
            self.sql(HOLDS[where])
            self._await_standby("nobody")
            try:
                yield let_go
            finally:
                let_go()
                self.sql(HOLDS_NO_MORE)
            return
        with closing(psycopg.connect(self.there.database_url, autocommit=True)) as gate:
            gate.execute("SELECT pg_advisory_lock(%s, %s)", GATE)
            self.sql(HOLDS[where])
            try:
                yield gate.close
            finally:
                gate.close()
                self.sql(HOLDS_NO_MORE)

    def held(self) -> list[int]:
        """The processes of the database that hold a turn so."""
        return [pid for (pid,) in self.sql(HELD)]

    def end_held(self) -> None:
        """End the sessions that hold a turn so, and return once all of these turns are held by
        others."""
        held = self.held()
        for pid in held:
            self.sql("SELECT pg_terminate_backend(%s, 10000)", pid)

        def by_others() -> bool:
            now = self.held()
            return len(now) == len(held) and not set(now) & set(held)

        wait_for(by_others, what="the turns to be stored by other sessions")

    def idle(self) -> list[int]:
        """Those that have done the statement of a turn, and are not told to commit it."""
        return [pid for (pid,) in self.sql(IDLE)]

    def _await_standby(self, name: str) -> None:
        """Have whoever commits wait for a standby of that name, or for none."""
        if self.site is None or name == self.standby:
            return
        url, value = self.site.database_url, f"SET synchronous_standby_names = '{name}'"

        def configure() -> None:
            with closing(psycopg.connect(url, autocommit=True)) as connection:
                connection.execute(f"ALTER SYSTEM {value}")
                connection.execute("SELECT pg_reload_conf()")

        _as_soon_as_it_can(configure)
        self.standby = name

    @contextmanager
    def no_room(self) -> Iterator[None]:
        """Have every write of a match refused as where the disk is full, in the block."""
        self.sql(NO_ROOM)
        try:
            yield
        finally:
            self.sql(ROOM_AGAIN)

    # -- Valkey ----------------------------------------------------------------------------------

    def valkey_client(self) -> redis.Redis:
        """A client that waits for a server that is just starting."""
        client = redis.Redis.from_url(self.valkey.url, socket_timeout=30)

        def answers() -> bool:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False

        wait_for(answers, what="Valkey to answer")
        return client

    def empty_valkey(self) -> None:
        """It forgets everything, tasks included."""
        with self.valkey_client() as client:
            client.flushall()

    @contextmanager
    def hung_valkey(self) -> Iterator[None]:
        """It takes every connection and says nothing, in the block."""
        assert self.valkey.child is not None
        os.kill(self.valkey.child.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.valkey.child.pid, signal.SIGCONT)

    @contextmanager
    def read_only_valkey(self) -> Iterator[None]:
        """It is the replica of a server that is not there, in the block."""
        with self.valkey_client() as client:
            client.replicaof("127.0.0.1", "1")
        try:
            yield
        finally:
            with self.valkey_client() as client:
                client.replicaof("NO", "ONE")

    @contextmanager
    def full_valkey(self) -> Iterator[None]:
        """It has no memory left for anything new, in the block."""
        with self.valkey_client() as client:
            client.config_set("maxmemory", 1)
        try:
            yield
        finally:
            with self.valkey_client() as client:
                client.config_set("maxmemory", 0)

    def kill_valkey(self) -> None:
        """Kill -9; it keeps nothing on disk."""
        assert self.valkey.child is not None
        os.kill(self.valkey.child.pid, signal.SIGKILL)
        self.valkey.stop(timeout=5)

    def start_valkey(self) -> None:
        """Start it again, empty."""
        start(self.valkey)

    # -- everything ------------------------------------------------------------------------------

    def kill_everything(self) -> None:
        """Kill -9 of every part at the same moment, as where the machine loses its power."""
        for process in self.there.processes:
            if process.alive:
                os.kill(process.pid, signal.SIGKILL)
        self.kill_postgres()
        self.kill_valkey()
        for process in self.there.processes:
            process.kill()

    def start_everything(self) -> None:
        """Start all of it again."""
        self.start_valkey()
        self.start_postgres()
        self.there.ensure_running()


def _as_soon_as_it_can(call: Callable[[], R]) -> R:
    """What a call to the database returns, once that takes one."""
    until = time.monotonic() + START_S
    while True:
        try:
            return call()
        except psycopg.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def start(service: Service) -> None:
    """Start a server again at its address, if it is dead, however long the last one takes to go."""
    until = time.monotonic() + START_S
    while service.is_dead():
        try:
            service.start()
        except Failure:
            if time.monotonic() > until:
                raise
            time.sleep(0.3)
