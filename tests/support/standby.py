"""A PostgreSQL with a standby that follows it, and a site that reads from that."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg

from script.lib.console import ROOT
from script.lib.ports import free_port
from script.lib.processes import spawn, stop
from script.lib.services import DATABASE, ROLE, NotStarted, Postgres, Valkey, unprivileged
from script.lib.testbed import KEPT, VARIABLE, fingerprint
from tests.support.ground import start
from tests.support.site import Site, wait_for

PGBOUNCER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


class Standby(Postgres):
    """A hot standby: its data are a copy of the primary's, and then what that sends."""

    name = "standby"

    def __init__(self, folder: Path, python: Path, primary: Postgres) -> None:
        super().__init__(folder, python, durable=False)
        self.primary = primary
        # As the primary has them, which a standby asks for.
        self.settings = {"hot_standby": "on", **FOLLOWED}

    def choose_password(self) -> None:
        """The primary's, which comes with its data."""
        self.secret.touch(mode=0o600)
        self.secret.write_text(self.primary.secret.read_text())

    def _make_data(self) -> None:
        self.choose_password()
        self.data.mkdir(mode=0o700, exist_ok=True)
        if self.account is not None:
            os.chown(self.data, self.account.uid, self.account.gid)
        secret = {"PGPASSWORD": self.primary.secret.read_text().strip()}
        with self._open_log() as log:
            child = spawn(
                [
                    self.program / "pg_basebackup", "--pgdata", self.data, "--checkpoint", "fast",
                    "--wal-method", "stream", "--write-recovery-conf", "--no-sync", "--dbname",
                    f"host=127.0.0.1 port={self.primary.port} user={ROLE}",
                ],
                env=self._env() | secret, cwd=self.home, stdout=log, stderr=log,
                account=self.account, death_signal=signal.SIGKILL,
            )  # fmt: skip
            try:
                failed = child.wait()
            finally:
                stop(child, signal.SIGKILL, 5)
        if failed:
            raise NotStarted(f"The primary could not be copied:\n{self.log_end()}")
        (self.home / "database-made").touch()


#: What a primary that is followed needs, of which tests' servers have nothing otherwise.
FOLLOWED = {"wal_level": "replica", "max_wal_senders": 4, "full_page_writes": "on"}


class Followed:
    """A site whose database has a standby, for as long as the tests of a module take.

    ``lag_ms`` is what the standby may lag behind (`GAUNTLET_REPLICA_LAG_MS`). Tests that hold it
    back and want it asked all the same give it long.
    """

    def __init__(self, folder: Path, **settings: str) -> None:
        python = Path(sys.executable)
        self.primary = Postgres(folder / "postgres", python, durable=False)
        self.primary.seed = KEPT / fingerprint()
        self.primary.settings = dict(FOLLOWED)
        self.standby = Standby(folder / "standby", python, self.primary)
        self.valkey = Valkey(folder / "valkey", python)
        self.folder = folder
        self.settings = settings

    def start(self) -> Site:
        """Start the servers, and the site on them."""
        self.valkey.start()
        self.primary.start()
        self.standby.start()
        self.site = Site(
            self.folder,
            {
                "DATABASE_URL": self.primary.url,
                "REDIS_URL": self.valkey.url,
                VARIABLE: f"{DATABASE}_template" if self.primary.from_seed else "",
            },
        )
        self.site.env["GAUNTLET_REPLICA_URL"] = self.standby.url_of(self.site.database)
        self.site.env |= self.settings
        self.site.start()
        self.asked()
        return self.site

    def stop(self) -> None:
        """End all of it, and remove the data."""
        self.mend()
        self.site.stop()
        for server in (self.standby, self.primary):
            server.stop()
            Postgres.remove_below(server.folder)
        self.valkey.stop()

    def mend(self) -> None:
        """Undo every fault, and return once the standby is asked."""
        if not self.standby.is_dead():
            assert self.standby.child is not None
            os.kill(self.standby.child.pid, signal.SIGCONT)
        start(self.standby)
        self.on_standby("SELECT pg_wal_replay_resume()")
        start(self.valkey)
        self.site.ensure_running()
        self.asked()

    # -- the standby -----------------------------------------------------------------------------

    def on_standby(self, statement: Any) -> list[tuple[Any, ...]]:
        """Run a statement there, in the site's database."""
        with psycopg.connect(self.standby.url_of(self.site.database), autocommit=True) as link:
            cursor = link.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def caught_up(self) -> None:
        """Return once it shows all that has been committed."""
        ((lsn,),) = self.site.sql("SELECT pg_current_wal_lsn()::text")

        def has_it() -> bool:
            asked = f"SELECT pg_last_wal_replay_lsn() >= '{lsn}'::pg_lsn"
            return bool(self.on_standby(asked)[0][0])

        wait_for(has_it, what="the standby to catch up")

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """It shows what there is now, and nothing newer, in the block; then it catches up."""
        self.caught_up()
        self.on_standby("SELECT pg_wal_replay_pause()")
        wait_for(
            lambda: self.on_standby("SELECT pg_get_wal_replay_pause_state()") == [("paused",)],
            what="the standby to stand still",
        )
        try:
            yield
        finally:
            self.on_standby("SELECT pg_wal_replay_resume()")
            self.caught_up()

    @contextmanager
    def hung(self) -> Iterator[None]:
        """It takes every connection and says nothing, in the block: the server and all of its
        processes stand still."""
        for pid in self._processes():
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in self._processes():
                os.kill(pid, signal.SIGCONT)

    def kill_standby(self) -> None:
        """Kill -9."""
        assert self.standby.child is not None
        os.kill(self.standby.child.pid, signal.SIGKILL)
        self.standby.stop(timeout=5)

    def _processes(self) -> list[int]:
        assert self.standby.child is not None
        parent = self.standby.child.pid
        found = [parent]
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                text = stat.read_text()
            except OSError:
                continue
            if int(text.rpartition(")")[2].split()[1]) == parent:
                found.append(int(stat.parent.name))
        return found

    # -- what the site tells of it ---------------------------------------------------------------

    def reads(self) -> dict[str, int]:
        """Answers that the standby could make, by what made them."""
        name = "gauntlet_replica_reads_total{"
        return {
            each.split('"')[1]: int(value)
            for each, value in figures(self.site.base_url).items()
            if each.startswith(name)
        }

    def is_asked(self) -> bool:
        """Whether the web process would ask it now."""
        return figures(self.site.base_url).get("gauntlet_replica_asked") == 1

    def asked(self) -> None:
        """Return once it would."""
        wait_for(self.is_asked, what="the standby to be asked")

    def not_asked(self) -> None:
        """Return once it would not."""
        wait_for(lambda: not self.is_asked(), what="the standby not to be asked")


@contextmanager
def pooled(address: str, folder: Path) -> Iterator[str]:
    """The address of a PgBouncer in front of a server, set up as in `deploy/`; the caller has
    looked whether there is one."""
    parts, port = urlsplit(address), free_port()
    folder.mkdir()
    users = folder / "users"
    users.write_text(f'"{parts.username}" "{parts.password}"\n')
    text = (ROOT / "deploy" / "pgbouncer.ini").read_text()
    for old, new in (
        ("gauntlet = host=postgres port=5432 dbname=gauntlet",
         f"{parts.path[1:]} = host={parts.hostname} port={parts.port}"),
        ("listen_addr = *", "listen_addr = 127.0.0.1"),
        ("6432", str(port)),
        ("/run/pgbouncer/users", str(users)),
        ("default_pool_size = 40", "default_pool_size = 5"),
    ):  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    (folder / "pgbouncer.ini").write_text(text + "\nunix_socket_dir =\n")
    account = unprivileged()
    if account is not None:
        for path in (folder, *folder.iterdir()):
            os.chown(path, account.uid, account.gid)
        for parent in folder.parents:
            if parent.is_relative_to("/tmp") and parent != Path("/tmp"):  # noqa: S108
                parent.chmod(parent.stat().st_mode | 0o011)
    with (folder.parent / "bouncer.log").open("wb") as log:
        child = spawn(
            [str(PGBOUNCER), folder / "pgbouncer.ini"], env={"PATH": os.environ["PATH"]},
            cwd=Path("/"), stdout=log, stderr=log, account=account, death_signal=signal.SIGKILL,
        )  # fmt: skip

    def listens() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        wait_for(listens, what="PgBouncer to listen")
        login = f"{parts.username}:{parts.password}"
        yield parts._replace(netloc=f"{login}@127.0.0.1:{port}").geturl()
    finally:
        stop(child, signal.SIGINT, 10)


def figures(base_url: str) -> dict[str, float]:
    """What a web process tells of itself, by the name with its labels."""
    lines = httpx.get(f"{base_url}/metrics", timeout=30).text.splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if line and not line.startswith("#"))
    return {name: float(value) for name, value in pairs}
