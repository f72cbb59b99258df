"""The site as `deploy/compose.yaml` draws it, from processes: nginx, PgBouncer, Valkey, and each of
the site's own processes by its own command, with the settings that it is given there.

Nothing is said of it a second time here: what the file has comes up, and what cannot be had without
containers is replaced by name, each of which must be there. Every service has an address of its own
on this machine, as it has in the network of containers, and listens at its own port. PostgreSQL is
the tests', with a database of its own, and what the file says of its sessions.
"""

from __future__ import annotations

import os
import random
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

import httpx
import psycopg
from psycopg.sql import SQL, Composed, Identifier, Literal

from script.lib.console import ROOT
from script.lib.processes import Child, spawn
from script.lib.services import Valkey
from script.lib.statics import Statics
from script.lib.testbed import VARIABLE
from tests.support.deploy import DEPLOY, Part, parts, placed
from tests.support.fronts import (
    NAME,
    NGINX,
    OPENSSL,
    PGBOUNCER,
    WEBS_OF_COMPOSE,
    Front,
    Pooler,
    Proxy,
    certificate,
)
from tests.support.hand import Hand
from tests.support.site import Process, SiteError
from tests.support.template import copied_to

PROGRAMS: Final = Path(sys.executable).parent
# Above 1024, so that nobody need be root; without TLS it is one less.
TLS_PORT: Final = 8443


def lacking() -> str:
    """What this machine lacks for it; empty: nothing."""
    wanted = {"NGINX": NGINX, "PGBOUNCER": PGBOUNCER, "OPENSSL": OPENSSL}
    missing = [name for name, found in wanted.items() if found is None]
    if sys.platform != "linux":
        missing.append("NETWORK OF LOOPBACK ADDRESSES")
    return f"NO {', '.join(missing)}: install it to try the whole site" if missing else ""


class Broker(Front):
    """Valkey, by the command of its service."""

    name = "Valkey"

    def __init__(self, folder: Path, part: Part, host: str) -> None:
        super().__init__(host, 6379, folder / "valkey.log")
        folder.mkdir(exist_ok=True)
        program = Valkey(folder / "program", Path(sys.executable)).program
        assert part.command[0] == "valkey-server"
        self.argv: list[str | Path] = [program, *part.command[1:], "--bind", host]

    def launch(self) -> Child:
        """In the foreground."""
        with self.log_path.open("ab") as log:
            return spawn(
                self.argv, env={}, cwd=self.log_path.parent, stdout=log, stderr=log,
                death_signal=signal.SIGKILL,
            )  # fmt: skip


class Topology:
    """All of it. `processes` are the site's own, by the names of their services; people come by the
    proxy alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.parts = parts()
        self.hosts = dict(zip(self.parts, _addresses(), strict=False))
        own = os.environ["DATABASE_URL"]
        self.admin_url = own
        self.database = f"gauntlet_topology_{secrets.token_hex(4)}"
        self.owner = urlsplit(own)._replace(path=f"/{self.database}")
        # Of a role that the file's own service makes as it migrates.
        self.role = f"{self.database}_site"
        where = f"{self.owner.hostname}:{self.owner.port}"
        self.direct = self.owner._replace(netloc=f"{self.role}:{secrets.token_hex(12)}@{where}")
        self.secret = secrets.token_hex(32)
        self.data = folder / "data"
        self.statics = Statics()
        self.pooler = Pooler(
            folder / "bouncer",
            self.direct.geturl(),
            address=(self.hosts["pgbouncer"], 6432),
            settings=self.parts["pgbouncer"].mounted("/etc/pgbouncer/pgbouncer.ini"),
            known_as="gauntlet",
        )
        self.broker = Broker(folder / "valkey", self.parts["valkey"], self.hosts["valkey"])
        webs = [f"{self.hosts[part.name]}:8000" for part in self.of_kind("web")]
        proxy = self.parts["proxy"]
        assert proxy.mounted("/etc/nginx/nginx.conf") == DEPLOY / "nginx.conf"
        assert proxy.mounted("/etc/nginx/gauntlet-webs.conf") == WEBS_OF_COMPOSE
        self.trusted = certificate(folder)
        self.proxy = Proxy(folder, webs, address=(self.hosts["proxy"], TLS_PORT), tls=True)
        self.base_url = f"https://{NAME}"
        self.ws_url = f"wss://{NAME}"
        self.dialling: Mapping[str, Any] = {
            "ssl": self.trusted, "host": self.proxy.host, "port": self.proxy.port,
        }  # fmt: skip
        self.hand = Hand(self.environment(self.parts["migrate"]))
        self.processes = {
            part.name: self.process(part.name, part)
            for part in self.parts.values()
            if part.is_ours and not part.runs_once
        }
        self.others: list[Process] = []

    # -- what the file says, on this machine -----------------------------------------------------

    def of_kind(self, kind: str) -> list[Part]:
        """The services that are alike."""
        return [part for part in self.parts.values() if part.kind == kind]

    def places(self) -> dict[str, dict[str, str]]:
        """By setting, what stands otherwise here, and how: addresses, folders and secrets."""
        asked = self.direct
        return {
            "PATH": {"/venv/bin": str(PROGRAMS), "$PATH": os.environ["PATH"]},
            "GAUNTLET_DATA": {"/data": str(self.data)},
            "GAUNTLET_STATIC_ROOT": {"/app/collected": str(self.statics.folder)},
            "DATABASE_URL": {},
            "GAUNTLET_METRICS_LISTEN": {},
            "REDIS_URL": {"valkey:6379": f"{self.broker.host}:{self.broker.port}"},
            "DATABASE_OWNER_URL": {"gauntlet:CHANGE-ME@postgres:5432/gauntlet": self._owner()},
            "POSTGRES_SITE_PASSWORD": {"CHANGE-ME": asked.password or ""},
        }

    def environment(self, part: Part) -> dict[str, str]:
        """What a process of the site's has in its environment: nothing of this one's."""
        places = self.places()
        places["DATABASE_URL"] = self._database_places(urlsplit(part.environment["DATABASE_URL"]))
        # In its container it has all addresses for itself.
        places["GAUNTLET_METRICS_LISTEN"] = {"0.0.0.0": self.hosts[part.name]}  # noqa: S104
        env = {
            name: placed(value, places.get(name, {})) for name, value in part.environment.items()
        }
        assert env["SECRET_KEY"] == "", "a secret stands in the example"
        return {**env, "SECRET_KEY": self.secret}

    def _owner(self) -> str:
        return f"{self.owner.netloc}{self.owner.path}"

    def _database_places(self, drawn: SplitResult) -> dict[str, str]:
        user, _, where = drawn.netloc.rpartition("@")
        pooled = where == "pgbouncer:6432"
        assert pooled or where == "postgres:5432", where
        goal = urlsplit(self.pooler.url) if pooled else self.direct
        return {f"{user}@{where}/gauntlet": f"{goal.netloc}{goal.path}"}

    def command(self, part: Part, name: str = "") -> list[str]:
        """The command of a service, as its container ``name`` would run it."""
        words = [word.replace("%h", name or part.name) for word in part.command]
        if words[0] == "daphne":
            assert words[1:5] == ["--bind", "0.0.0.0", "--port", "8000"]  # noqa: S104
            words[2] = self.hosts[part.name]
        return [str(PROGRAMS / words[0]), *words[1:]]

    def process(self, name: str, part: Part) -> Process:
        """A process of a service, by this name."""
        ready: dict[str, Callable[[Process], bool]] = {
            "web": lambda _web: self.is_well(part),
            "beat": lambda beat: "beat ready" in beat.log(),
        }
        return Process(
            name,
            self.command(part, name),
            env=self.environment(part),
            log=self.folder / f"{name}.log",
            ready=ready.get(part.kind, lambda worker: "worker ready" in worker.log()),
        )

    def is_well(self, part: Part) -> bool:
        """Whether a web process answers its own machine that all is well, as the health check of
        its container asks."""
        url = f"http://{self.hosts[part.name]}:8000/healthz"
        try:
            asked = httpx.get(url, headers={"Host": NAME, "X-Forwarded-Proto": "https"}, timeout=10)
        except httpx.TransportError:
            return False
        return asked.status_code == 200

    # -- coming up and going down ----------------------------------------------------------------

    def start(self) -> None:
        """Start all of it, each when what it needs is there."""
        self._admin(
            copied_to(self.database, os.environ.get(VARIABLE))
            or SQL("CREATE DATABASE {}").format(Identifier(self.database))
        )
        for name, value in self._sessions():
            self._admin(
                SQL("ALTER DATABASE {} SET {} = {}").format(
                    Identifier(self.database), Identifier(name), Literal(value)
                )
            )
        once = self.parts["migrate"]
        self.statics.collect(Path(sys.executable), self.environment(once))
        self.broker.start()
        self.pooler.start()
        self.run(self.command(once), self.environment(once))
        self._start_processes()
        self.proxy.start()

    def _start_processes(self) -> None:
        """Start those that are not there, side by side."""
        missing = [process for process in self.processes.values() if not process.alive]
        for process in missing:
            process.launch()
        for process in missing:
            process.wait_until_ready()

    def _sessions(self) -> list[tuple[str, str]]:
        """What the file says of PostgreSQL's sessions."""
        program, *options = self.parts["postgres"].command
        assert (program, set(options[::2])) == ("postgres", {"-c"})
        return [(name, value) for name, _, value in (each.partition("=") for each in options[1::2])]

    def run(self, command: list[str], env: Mapping[str, str]) -> str:
        """Run one command to its end, and return what it printed."""
        done = subprocess.run(
            command, env=env, cwd=ROOT, capture_output=True, text=True, timeout=400, check=False
        )
        if done.returncode:
            raise SiteError(f"{command}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def mend(self) -> None:
        """Start what is dead, and end what is there beside the rest."""
        for other in self.others:
            other.kill()
        self.others.clear()
        for front in (self.broker, self.pooler, self.proxy):
            if front.child is None:
                front.start()
        self._start_processes()

    def stop(self) -> None:
        """End all of it, and drop the database."""
        self.proxy.stop()
        for process in (*self.others, *self.processes.values()):
            process.kill()
        self.hand.end()
        self.pooler.stop()
        self.broker.stop()
        self._admin(
            SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(self.database))
        )
        self._admin(SQL("DROP ROLE IF EXISTS {}").format(Identifier(self.role)))

    def another(self, name: str, kind: str) -> Process:
        """One more of a kind, which somebody has started by accident."""
        other = self.process(name, self.of_kind(kind)[0])
        self.others.append(other)
        other.start()
        return other

    # -- for whoever looks -----------------------------------------------------------------------

    def client(self) -> httpx.Client:
        """A client of the site, by the proxy."""

        def names_the_site(request: httpx.Request) -> None:
            request.extensions["sni_hostname"] = NAME

        return httpx.Client(
            event_hooks={"request": [names_the_site]},
            base_url=f"https://{self.proxy.host}:{self.proxy.port}",
            headers={"Host": NAME},
            verify=self.trusted,
            timeout=60,
        )

    def sql(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of one statement on the database itself, which is committed."""
        with psycopg.connect(self.direct.geturl()) as connection:
            cursor = connection.execute(query, parameters)
            return cursor.fetchall() if cursor.description else []

    def logs(self) -> str:
        """Everything that the site's processes have printed."""
        return "\n".join(
            f"===== {process.name} =====\n{process.log(since_start=False)}"
            for process in (*self.processes.values(), *self.others)
        )

    def _admin(self, statement: Composed) -> None:
        with psycopg.connect(self.admin_url, autocommit=True) as connection:
            connection.execute(statement)


def _addresses() -> list[str]:
    """Addresses of this machine that nobody else is likely to have."""
    source = random.SystemRandom()
    network = f"127.{source.randrange(16, 250)}.{source.randrange(1, 250)}"
    return [f"{network}.{number}" for number in range(10, 60)]
