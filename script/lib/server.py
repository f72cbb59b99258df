"""`script/server`: from a fresh checkout to a running site."""

import argparse
import contextlib
import fcntl
import ipaddress
import json
import os
import selectors
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from script.lib import compiling
from script.lib.console import DATA, ROOT, Failure, say, shout, step
from script.lib.ports import bind_from
from script.lib.processes import Register, spawn, stop
from script.lib.services import Services
from script.lib.statics import Statics
from script.lib.supervisor import Program, Stopped, Supervisor, Watched, raise_on_stop_signals
from script.lib.venv import RUNTIME, Environment

ANSWER_TIMEOUT = 60.0
# Bytes of one WebSocket message, in either direction: Daphne's limit holds for what is sent, too,
# and a room's whole history can be several hundred thousand. What may come in is a matter of the
# sockets themselves, who can say so; this keeps endless messages out of memory.
MAX_FRAME = 1024 * 1024


def web_command(python: Path, fd: int, server: str = "daphne") -> list[str | Path]:
    """Return the command for the web server on an open listening socket: for Daphne, or for
    ``uvicorn``."""
    if server == "uvicorn":
        return [python, "-m", "config.serve", "--fd", str(fd), "config.asgi:application"]
    return [
        python, "-m", "daphne", "--verbosity", "0", "--no-server-name", "--fd", str(fd),
        "--websocket-max-message-size", str(MAX_FRAME),
        "--websocket-max-frame-size", str(MAX_FRAME),
        # Of a handshake: five by default, which is little where hundreds come at the same moment.
        "--websocket_connect_timeout", "20",
        "config.asgi:application",
    ]  # fmt: skip


def worker_command(python: Path, level: str = "WARNING") -> list[str | Path]:
    """Return the command for the Celery worker; pool and size come from the settings."""
    return _worker(python, level, "worker@%h")


def deadlines_command(python: Path, level: str = "WARNING") -> list[str | Path]:
    """Return the command for the Celery worker that enforces deadlines and does nothing else."""
    return [*_worker(python, level, "deadlines@%h"), "--queues", "deadlines"]


def bots_command(python: Path, level: str = "WARNING") -> list[str | Path]:
    """Return the command for the Celery worker in which bots think."""
    return [*_worker(python, level, "bots@%h"), "--queues", "bots"]


def _worker(python: Path, level: str, name: str) -> list[str | Path]:
    return [
        python, "-m", "celery", "-A", "config.celery", "--quiet", "worker", "--loglevel", level,
        "--hostname", name, "--without-gossip", "--without-mingle", "--without-heartbeat",
    ]  # fmt: skip


def beat_command(python: Path, level: str = "WARNING") -> list[str | Path]:
    """Return the command for Celery's beat, without a pid file that a killed one would leave."""
    return [
        python, "-m", "celery", "-A", "config.celery", "--quiet", "beat", "--loglevel", level,
        "--pidfile", "",
    ]  # fmt: skip


def reaches_only_here(host: str) -> bool:
    """Whether nobody but this machine reaches a server that listens on ``host``."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code."""
    options = _parse(arguments)
    raise_on_stop_signals()
    try:
        with _only_one():
            Server(options).run()
    except Stopped:
        say("Stopped.")
        return 0
    except Failure as failure:
        shout(str(failure))
        return 1
    except PermissionError as error:
        shout(
            f"No permission for {error.filename}. Was this checkout used by another user before, "
            "root perhaps? Remove .data and .venv as that user, or give them to yourself."
        )
        return 1
    return 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/server",
        description="Install what is missing and run the whole site until Ctrl-C.",
        epilog="DATABASE_URL and REDIS_URL, when set, replace the embedded servers.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument(
        "--port", type=int, default=8000, help="port, or the first free one after it (%(default)s)"
    )
    parser.add_argument("--no-demo", action="store_true", help="make no demo players and matches")
    parser.add_argument(
        "--discord",
        action="store_true",
        help="play Discord beside the site, for trying it without Discord (docs/discord.md)",
    )
    parser.add_argument(
        compiling.PLAIN_ARGUMENT,
        action="store_true",
        help="compile no rules, run them as they stand",
    )
    options = parser.parse_args(arguments)
    if not 0 < options.port < 65_536:
        parser.error("--port must lie between 1 and 65535")
    return options


@contextlib.contextmanager
def _only_one() -> Iterator[None]:
    """Hold the checkout: two launchers would fight over the same data."""
    DATA.mkdir(parents=True, exist_ok=True)
    with (DATA / "server.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise Failure(
                f"script/server already runs for this checkout ({lock.read().strip()})."
            ) from None
        lock.truncate(0)
        lock.write(f"process {os.getpid()}")
        lock.flush()
        yield


class Server:
    """One run of the site."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.began = time.monotonic()
        self.python = Path()
        self.env: dict[str, str] = {}

    def run(self) -> None:
        """Start everything, tell where it is, and keep it running."""
        environment = Environment()
        self.python = environment.ensure(RUNTIME)
        compiling.ensure(environment, plain=self.options.plain)
        register = Register(DATA / "run")
        register.end_orphans(say=say)
        listener = self._listen()
        services = Services(DATA, self.python, register=register, say=step)
        supervisor: Supervisor | None = None
        try:
            services.start()
            statics = Statics()
            self.env = self._environment(services, statics, listener)
            statics.collect(self.python, self.env)
            self._write_addresses(services)
            accounts = self._prepare()
            discord = self._tell_of_discord(listener) if self.options.discord else 0
            # Whoever owns the tables is not among those who serve them.
            self.env.pop("DATABASE_OWNER_URL", None)
            supervisor = Supervisor(self.env, ROOT, register)
            self._watch_services(supervisor, services)
            fd = listener.fileno()
            # The open socket stays with the launcher, so that connections made while Daphne is
            # restarted wait instead of being refused.
            supervisor.start(Program("web", web_command(self.python, fd), pass_fds=[fd]))
            self._wait_for_answer(supervisor, listener)
            # Only now, so that they do not slow the first answer down.
            supervisor.start(Program("deadlines", deadlines_command(self.python)))
            supervisor.start(Program("worker", worker_command(self.python)))
            supervisor.start(Program("bots", bots_command(self.python)))
            supervisor.start(Program("beat", beat_command(self.python)))
            if discord:
                self._play_discord(supervisor, discord)
            self._announce(listener, accounts, discord)
            supervisor.run()
        except Stopped:
            say("")
            step("Stopping")
            raise
        finally:
            _ignore_further_signals()
            listener.close()
            if supervisor is not None:
                supervisor.end()
            services.stop()
            (DATA / "services.json").unlink(missing_ok=True)

    def _listen(self) -> socket.socket:
        wanted: int = self.options.port
        try:
            listener, taken = bind_from(self.options.host, wanted)
        except OSError as error:
            raise Failure(
                f"Cannot listen on {self.options.host}, port {wanted}: {error.strerror}"
            ) from None
        if taken:
            ports = f"Port {taken[0]} is" if len(taken) == 1 else f"Ports {taken} are"
            say(f"{ports} taken; using {listener.getsockname()[1]} instead.")
        if not reaches_only_here(self.options.host):
            shout(
                f"Listening on {self.options.host}: anybody who can reach this machine reaches a "
                "development site. Its demo accounts get passwords of their own, shown once, below."
            )
        return listener

    def _environment(
        self, services: Services, statics: Statics, listener: socket.socket
    ) -> dict[str, str]:
        env = {
            **os.environ,
            **services.addresses_apart(),
            **statics.environment(),
            "DJANGO_SETTINGS_MODULE": "config.settings.dev",
            "PYTHONUNBUFFERED": "1",
        }
        if not reaches_only_here(self.options.host):
            names = {"localhost", "127.0.0.1", "[::1]", self.options.host, socket.gethostname()}
            with contextlib.suppress(OSError):
                names.update(socket.gethostbyname_ex(socket.gethostname())[2])
            env.setdefault("ALLOWED_HOSTS", ",".join(sorted(names)))
        if self.options.plain:
            env = compiling.as_they_stand(env)
        # For links in mail and webhooks, which no request tells the address.
        env.setdefault("GAUNTLET_ORIGIN", self._address(listener))
        return env

    def _write_addresses(self, services: Services) -> None:
        """Leave the addresses where a `manage.py` in another terminal finds them."""
        path = DATA / "services.json"
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_text(json.dumps(services.addresses_apart()))

    def _prepare(self) -> str:
        """Migrate and make the demo data; return the table of demo accounts."""
        step("Bringing the database up to date")
        child = spawn(
            [
                self.python, "-m", "script.lib.prepare",
                *(["--no-demo"] if self.options.no_demo else []),
                *([] if reaches_only_here(self.options.host) else ["--exposed"]),
            ],
            # Without a pool the database's own words are the error, and at once.
            env={**self.env, "GAUNTLET_DB_POOL_MAX": "0"},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            death_signal=signal.SIGKILL,
        )  # fmt: skip
        assert child.stdout is not None  # noqa: S101  (narrows the type; PIPE was asked for)
        try:
            printed = child.stdout.read().decode(errors="replace")
            code = child.wait()
        finally:
            stop(child, signal.SIGTERM, 5)
            child.stdout.close()
        if code:
            raise Failure(f"The database could not be brought up to date.\n{printed}".rstrip())
        return printed

    def _watch_services(self, supervisor: Supervisor, services: Services) -> None:
        for service in services.running:
            supervisor.watched.append(Watched(service.name, service.is_dead, service.start))

    def _wait_for_answer(self, supervisor: Supervisor, listener: socket.socket) -> None:
        probe = Probe(listener, supervisor.selector)
        deadline = time.monotonic() + ANSWER_TIMEOUT
        supervisor.run(until=lambda: probe.answered() or time.monotonic() > deadline, timer=0.05)
        if not probe.answered():
            raise Failure(probe.complaint())

    def _tell_of_discord(self, listener: socket.socket) -> int:
        """Have all processes ask a Discord at a port of this machine; return the port, which is
        played at once all else runs."""
        probe, _taken = bind_from("127.0.0.1", listener.getsockname()[1] + 1)
        with probe:
            port: int = probe.getsockname()[1]
        command = self._discord_command(port)
        done = subprocess.run(
            [*command, "--print-settings"], env=self.env, cwd=ROOT, stdout=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise Failure("Discord cannot be played.")
        self.env |= dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
        return port

    def _discord_command(self, port: int) -> list[str | Path]:
        return [self.python, "manage.py", "discord_rehearsal", "--port", str(port)]

    def _play_discord(self, supervisor: Supervisor, port: int) -> None:
        supervisor.start(Program("discord", self._discord_command(port)))
        deadline = time.monotonic() + ANSWER_TIMEOUT
        supervisor.run(until=lambda: _listens(port) or time.monotonic() > deadline, timer=0.2)

    def _address(self, listener: socket.socket) -> str:
        """Where the site is: one name for what is printed here and for the links in what it sends,
        since whoever is signed in at one name is not at another."""
        host = self.options.host
        shown = "127.0.0.1" if host in {"0.0.0.0", "::"} else host  # noqa: S104
        shown = f"[{shown}]" if ":" in shown else shown
        return f"http://{shown}:{listener.getsockname()[1]}"

    def _announce(self, listener: socket.socket, accounts: str, discord: int) -> None:
        bar = "-" * 78
        say(bar)
        say(f"Gauntlet is at {self._address(listener)}/")
        if discord:
            say(f"Discord is played at http://127.0.0.1:{discord}/")
        if accounts.strip():
            say("")
            say(accounts.strip())
        took = time.monotonic() - self.began
        say("")
        say(f"Up after {took:.1f} s. Ctrl-C stops everything.")
        say(bar)


def _listens(port: int) -> bool:
    """Whether somebody takes connections at a port of this machine."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


class Probe:
    """Asks the site's health address again and again, without blocking the supervisor's loop."""

    def __init__(self, listener: socket.socket, selector: selectors.BaseSelector) -> None:
        host, port = listener.getsockname()[:2]
        self.target = ({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port)  # noqa: S104
        self.family = listener.family
        self.selector = selector
        self.connection: socket.socket | None = None
        self.received = b""
        self.last = b""
        self.done = False
        self.retry_at = 0.0

    def answered(self) -> bool:
        """Say whether the site has answered that all is well."""
        if not self.done and self.connection is None and time.monotonic() >= self.retry_at:
            self._ask()
        return self.done

    def complaint(self) -> str:
        """Return a sentence on what is wrong."""
        _head, _blank, body = self.last.partition(b"\r\n\r\n")
        if body:
            return f"The site answers, but not all of it is well: {body.decode(errors='replace')}"
        return "The site did not answer; the lines of `web` above should say why."

    def _ask(self) -> None:
        self.received = b""
        connection = socket.socket(self.family, socket.SOCK_STREAM)
        connection.settimeout(1)
        try:
            connection.connect(self.target)
            connection.sendall(
                b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
        except OSError:
            connection.close()
            self.retry_at = time.monotonic() + 0.2
            return
        connection.setblocking(False)
        self.connection = connection
        self.selector.register(connection, selectors.EVENT_READ, self._read)

    def _read(self) -> None:
        if self.connection is None:
            return
        try:
            chunk = self.connection.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        self.received += chunk
        self.done = self.received.startswith(b"HTTP/1.1 200")
        if self.done or not chunk:
            self.last = self.received
            self.selector.unregister(self.connection)
            self.connection.close()
            self.connection = None
            self.retry_at = time.monotonic() + (1 if self.last else 0.3)


def _ignore_further_signals() -> None:
    """Let nothing interrupt the clean-up, which is bounded by its own timeouts."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
