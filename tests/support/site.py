"""The real site for end-to-end tests: Daphne, two Celery workers and beat as real processes.

They run against the suite's PostgreSQL and Valkey, in a database and under a key prefix of their
own, with the same commands that `script/server` uses.
"""

import os
import secrets
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import psycopg
from psycopg.sql import SQL, Composed, Identifier

from script.lib.console import ROOT
from script.lib.ports import bind_from, free_port
from script.lib.processes import Child, spawn, stop
from script.lib.server import (
    beat_command,
    bots_command,
    deadlines_command,
    web_command,
    worker_command,
)
from script.lib.testbed import VARIABLE
from tests.support.hand import Hand
from tests.support.template import copied_to
from tournaments.discord.fake.people import TESTS

# Nothing takes as long on a quiet machine, but tests share theirs with other tests.
PATIENCE = 30.0
ANSWER_TIMEOUT = 90.0


class SiteError(Exception):
    """The site did not do what every test needs of it."""


def wait_for(condition: Callable[[], Any], *, timeout: float = PATIENCE, what: str = "") -> Any:
    """Return the first true value of `condition()`; raise SiteError after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise SiteError(f"Waited {timeout} s in vain for {what or condition}")
        time.sleep(0.05)


class Address(Protocol):
    """Where clients go: a web process, or what stands before some. ``dialling`` is what else
    `websockets.connect` must be told."""

    @property
    def base_url(self) -> str: ...

    @property
    def ws_url(self) -> str: ...

    @property
    def dialling(self) -> Mapping[str, Any]: ...


class Operated(Protocol):
    """A site in which things can be made, by its hand."""

    @property
    def hand(self) -> Hand: ...


class Looked(Address, Operated, Protocol):
    """A site that people play on, and whose database is looked into."""

    def sql(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of one statement, which is committed."""


def is_well(base_url: str) -> bool:
    """Say whether the health address of a web process answers that all is well."""
    try:
        with urllib.request.urlopen(f"{base_url}/healthz", timeout=10) as answer:  # noqa: S310
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _as(role: str, url: str) -> str:
    """An address for another role, with a password of its own."""
    parts = urlsplit(url)
    here = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{role}:{secrets.token_hex(16)}@{here}").geturl()


class Process:
    """One of the site's processes. It can be killed, stopped and started again at will. With a
    hand for that, in the same environment, it is that one's child."""

    def __init__(
        self,
        name: str,
        argv: Sequence[str | Path],
        *,
        env: dict[str, str],
        log: Path,
        ready: Callable[["Process"], bool],
        pass_fds: Sequence[int] = (),
        nurse: Hand | None = None,
    ) -> None:
        self.name = name
        self.argv = argv
        self.env = env
        self.log_path = log
        self.ready = ready
        self.pass_fds = pass_fds
        self.nurse = nurse
        self.child: Child | None = None
        self.log_start = 0

    @property
    def pid(self) -> int:
        """The process id; raises SiteError when it does not run."""
        if self.child is None:
            raise SiteError(f"{self.name} is not running")
        return self.child.pid

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self.child is not None and self.child.poll() is None

    def start(self) -> None:
        """Start it and wait until it is ready for work."""
        if not self.alive:
            self.launch()
            self.wait_until_ready()

    def launch(self) -> None:
        """Start it, and do not wait. From the main thread, with which it ends."""
        with self.log_path.open("ab") as log:
            self.log_start = log.tell()
            if self.nurse is not None and self.nurse.env is self.env:
                _python, _m, module, *arguments = map(str, self.argv)
                self.child = self.nurse.start(module, arguments, self.log_path, self.pass_fds)
            else:
                self.child = spawn(
                    self.argv,
                    env=self.env,
                    cwd=ROOT,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    pass_fds=self.pass_fds,
                    death_signal=signal.SIGKILL,
                )

    def wait_until_ready(self) -> None:
        """Return once it is ready for work."""

        def is_ready() -> bool:
            if not self.alive:
                raise SiteError(f"{self.name} ended while starting:\n{self.log()}")
            return self.ready(self)

        wait_for(is_ready, timeout=ANSWER_TIMEOUT, what=f"{self.name} to be ready")

    def kill(self) -> None:
        """Kill -9: no chance to clean up."""
        if self.child is not None:
            stop(self.child, signal.SIGKILL, 10)
            self.child = None

    def terminate(self, timeout: float = 15) -> None:
        """Ask it to end, as a deploy does, and kill it after `timeout` seconds."""
        if self.child is not None:
            stop(self.child, signal.SIGTERM, timeout)
            self.child = None

    def pause(self) -> None:
        """Have it stand still (SIGSTOP): its connections stay open, and nothing answers."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Have it go on (SIGCONT), if it is there."""
        if self.alive:
            os.kill(self.pid, signal.SIGCONT)

    def restart(self) -> None:
        """Kill -9 and start again."""
        self.kill()
        self.start()

    def log(self, *, since_start: bool = True) -> str:
        """Return what it printed: since its last start, or ever."""
        if not self.log_path.exists():
            return ""
        content = self.log_path.read_bytes()
        return content[self.log_start if since_start else 0 :].decode(errors="replace")

    def wait_until_told(self, text: str) -> None:
        """Wait until it has printed a text since its last start."""
        wait_for(lambda: text in self.log(), what=f"{self.name} to tell of {text}")


class Site:
    """A running site. Its processes are `web`, `deadlines` (the worker that enforces them),
    `worker` (for everything else), `bots` (in which bots think) and `beat`."""

    def __init__(
        self, folder: Path, servers: Mapping[str, str] | None = None, *, apart: bool = False
    ) -> None:
        """``servers`` names others than the suite's (`DATABASE_URL`, `REDIS_URL`), which may lack
        the migrated database that is copied. ``apart``: as in production, its processes are in the
        database as a role that owns nothing there; `sql` and what migrates are the owner."""
        name = f"site_{secrets.token_hex(4)}"
        self.folder = folder
        own = {**os.environ, **(servers or {})}
        self.admin_url = own["DATABASE_URL"]
        self.template = own.get(VARIABLE)
        self.database = f"gauntlet_{name}"
        self.database_url = urlsplit(self.admin_url)._replace(path=f"/{self.database}").geturl()
        self.role = f"{self.database}_site" if apart else ""
        self.env = {
            **own,
            "DATABASE_URL": _as(self.role, self.database_url) if apart else self.database_url,
            # Its nightly dump belongs neither to the checkout's own site nor to other tests.
            "GAUNTLET_DATA": str(folder / "data"),
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
            "GAUNTLET_REDIS_PREFIX": name,
            "GAUNTLET_DB_POOL_MAX": "24",
            "GAUNTLET_LOG_LEVEL": "INFO",
            "GAUNTLET_MAIL_FOLDER": str(folder / "mail"),
            # Something else always wants the processor here: bots that stand back as far as they do
            # by themselves would never have it.
            "GAUNTLET_BOT_NICE": "2",
            # Who wants one plays Discord at that port (`tournaments.discord.fake`).
            **TESTS.settings(free_port()),
            "PYTHONUNBUFFERED": "1",
        }
        self.env.pop("PYTEST_XDIST_WORKER", None)
        python = Path(sys.executable)
        # The open socket stays here, so that the port is ours across kills and restarts.
        self.listener, _taken = bind_from("127.0.0.1", free_port())
        self.port: int = self.listener.getsockname()[1]
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.ws_url = f"ws://127.0.0.1:{self.port}"
        self.dialling: Mapping[str, Any] = {}

        self.hand = Hand(self.env)
        # Another one, which is asked for nothing else: whom it starts would have its connections.
        self.nurse = Hand(self.env, [self.listener.fileno()])

        def process(
            label: str, argv: Sequence[str | Path], ready: Callable[[Process], bool], fd: int = -1
        ) -> Process:
            return Process(
                label,
                argv,
                env=self.env,
                log=folder / f"{label}.log",
                ready=ready,
                pass_fds=[fd] if fd >= 0 else [],
                nurse=self.nurse,
            )

        fd = self.listener.fileno()
        self.web = process("web", web_command(python, fd), lambda _web: self.answers(), fd)

        def takes_tasks(worker: Process) -> bool:
            return "worker ready" in worker.log()

        self.deadlines = process("deadlines", deadlines_command(python), takes_tasks)
        self.worker = process("worker", worker_command(python), takes_tasks)
        self.bots = process("bots", bots_command(python), takes_tasks)
        self.beat = process("beat", beat_command(python), lambda beat: "beat ready" in beat.log())
        self.processes = [self.web, self.deadlines, self.worker, self.bots, self.beat]
        # Those that tests have beside these. They are started by whoever needs them.
        self.others: list[Process] = []

    def start(self) -> None:
        """Make the database, and start all processes."""
        copied = copied_to(self.database, self.template)
        self._admin(copied or SQL("CREATE DATABASE {}").format(Identifier(self.database)))
        if copied is None:
            self.manage("migrate", "--no-input", "--verbosity", "0")  # grants as well
        elif self.role:
            self.manage("database", "roles")
        for process in self.processes:
            process.start()

    def stop(self) -> None:
        """Stop all processes and drop the database."""
        for process in reversed(self.processes):
            process.terminate()
        self.nurse.end()
        self.hand.end()
        self.listener.close()
        self._admin(
            SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(self.database))
        )
        if self.role:
            self._admin(SQL("DROP ROLE IF EXISTS {}").format(Identifier(self.role)))

    def rest(self) -> None:
        """Kill all processes: the next tests need none, and idle ones take processor time."""
        self.end_others()
        for process in self.processes:
            process.kill()

    def end_others(self) -> None:
        """Kill the processes that tests have beside the site's own."""
        for process in self.others:
            process.kill()

    def ensure_running(self) -> None:
        """Start whatever the previous test left dead."""
        for process in self.processes:
            process.start()

    def answers(self) -> bool:
        """Say whether the health address answers that all is well."""
        return is_well(self.base_url)

    def manage(self, *arguments: str, input: str | None = None) -> str:  # noqa: A002
        """Run a management command on the site's database and return what it printed.

        Raises SiteError, with the output, when it fails.
        """
        owner = {"DATABASE_OWNER_URL": self.database_url} if self.role else {}
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            env=self.env | owner,
            cwd=ROOT,
            input=input,
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        if done.returncode:
            raise SiteError(f"manage.py {' '.join(arguments)}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def named(self, *names: str) -> list[Process]:
        """Its processes of these names."""
        return [process for process in self.processes if process.name in names]

    @contextmanager
    def second_beat(self) -> Iterator[Process]:
        """One more beat than there should be, in the block."""
        beat = self.beat
        second = Process(
            "second-beat",
            beat.argv,
            env=beat.env,
            log=self.folder / "second-beat.log",
            ready=beat.ready,
        )
        try:
            second.start()
            yield second
        finally:
            second.kill()

    def python(self, code: str) -> str:
        """Run Python code inside the site's Django and return what it printed."""
        return self.hand.run(code)

    def sql(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Run one statement on the site's database, as whoever owns it, commit, and return its
        rows, if any."""
        with psycopg.connect(self.database_url) as connection:
            cursor = connection.execute(query, parameters)
            return cursor.fetchall() if cursor.description else []

    def logs(self) -> str:
        """Return everything that all processes printed."""
        return "\n".join(
            f"===== {process.name} =====\n{process.log(since_start=False)}"
            for process in [*self.processes, *self.others]
        )

    def _admin(self, statement: Composed) -> None:
        with psycopg.connect(self.admin_url, autocommit=True) as connection:
            connection.execute(statement)


class AnotherWeb:
    """One more web process of a site, at an address of its own: ``server`` is `daphne` or
    `uvicorn`, and ``options`` are for either's command line; ``environment`` has what it finds
    otherwise than the site's own."""

    def __init__(
        self,
        site: Site,
        server: str = "daphne",
        *options: str,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.listener, _taken = bind_from("127.0.0.1", free_port())
        self.port: int = self.listener.getsockname()[1]
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.ws_url = f"ws://127.0.0.1:{self.port}"
        self.dialling: Mapping[str, Any] = {}
        self.site = site
        self.env = {**site.env, **(environment or {})}
        fd = self.listener.fileno()
        command = web_command(Path(sys.executable), fd, server)
        self.web = Process(
            "another-web",
            # The application comes last.
            [*command[:-1], *options, command[-1]],
            env=self.env,
            log=site.folder / f"web-{self.port}.log",
            ready=lambda _web: self.answers(),
            pass_fds=[fd],
        )
        site.others.append(self.web)

    def answers(self) -> bool:
        """Say whether the health address answers that all is well."""
        return is_well(self.base_url)

    def stop(self) -> None:
        """End the process, for good."""
        self.web.terminate()
        self.listener.close()
        self.site.others.remove(self.web)


# Both have `base_url`, `ws_url`, `port`, `env`, `answers` and the process, `web`.
Web = Site | AnotherWeb
