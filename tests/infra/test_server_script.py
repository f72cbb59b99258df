"""`script/server` for real: it answers, survives deaths, its own too, and tidies up."""

import contextlib
import io
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, LiteralString

import httpx
import psycopg
import pytest

from script.lib import prepare, server
from script.lib.console import ROOT
from script.lib.ports import bind_from, free_port
from script.lib.server import reaches_only_here
from script.lib.services import Postgres
from tests.support.site import wait_for

pytestmark = pytest.mark.slow


class Launcher:
    """A started `script/server`."""

    def __init__(self, data: Path, port: int, *options: str) -> None:
        self.output = data.parent / f"output-{time.monotonic_ns()}"
        env = {
            name: value
            for name, value in os.environ.items()
            if name not in {"DATABASE_URL", "REDIS_URL", "GAUNTLET_REDIS_PREFIX"}
        }
        with self.output.open("wb") as output:
            self.child = subprocess.Popen(
                [sys.executable, ROOT / "script" / "server", "--port", str(port), *options],
                env={**env, "GAUNTLET_DATA": str(data)},
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    @property
    def printed(self) -> str:
        return self.output.read_text(errors="replace")

    def address(self) -> str:
        """Return the address that it prints once the site answers."""

        def printed_address() -> str | None:
            if self.child.poll() is not None:
                raise AssertionError(f"script/server ended:\n{self.printed}")
            found = re.search(r"Gauntlet is at (http://\S+?)/\n", self.printed)
            return found[1] if found and "Up after" in self.printed else None

        return str(wait_for(printed_address, timeout=300, what="the address"))


def processes_of(data: Path) -> set[int]:
    """Return every process that has this run's data folder in its environment or arguments."""
    wanted = str(data).encode()
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                text = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if wanted in text:
                found.add(int(entry.name))
    return found


def children_named(launcher: Launcher, name: str) -> list[int]:
    """Return the launcher's children whose command line holds a name."""
    pid = launcher.child.pid
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if name in Path(f"/proc/{child}/cmdline").read_text().replace("\0", " "):
                found.append(int(child))
    return found


def wait_until_replaced(launcher: Launcher, name: str, old: int) -> None:
    """Wait for another child of that name."""
    wait_for(
        lambda: set(children_named(launcher, name)) - {old},
        timeout=120,
        what=f"{name} to be back",
    )


def quiet_port() -> int:
    """A free port that no system gives away by itself, to other tests for instance: these come
    from 32768 upwards."""
    listener, _ = bind_from("127.0.0.1", 20_000 + secrets.randbelow(12_000))
    with listener:
        return int(listener.getsockname()[1])


def run_sql(
    data: Path, query: LiteralString, address: str = "DATABASE_OWNER_URL"
) -> list[tuple[Any, ...]]:
    """Run a statement on the running site's database, as a `manage.py` would find it: as whoever
    owns the tables, or by the site's own address."""
    address = json.loads((data / "services.json").read_text())[address]
    with psycopg.connect(address) as connection:
        cursor = connection.execute(query)
        return cursor.fetchall() if cursor.description else []


def serving_as(role: str, data: Path) -> list[int]:
    """The site's connections by a role, without whoever asks."""
    rows = run_sql(
        data,
        "SELECT usename, pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
        " AND pid <> pg_backend_pid()",
    )
    return [pid for name, pid in rows if name == role]


@pytest.fixture
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("server") / "data"
    yield folder
    Postgres.remove_below(folder / "postgres")


@pytest.fixture
def launch(data: Path) -> Iterator[Callable[..., Launcher]]:
    started: list[Launcher] = []

    def start(port: int, *options: str) -> Launcher:
        started.append(Launcher(data, port, *options))
        return started[-1]

    yield start
    for launcher in started:
        if launcher.child.poll() is None:
            launcher.child.send_signal(signal.SIGTERM)
            launcher.child.wait(120)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_life_of_a_site(launch: Callable[..., Launcher], data: Path) -> None:
    port = quiet_port()

    # It starts, shows the demo accounts and answers.
    first = launch(port)
    address = first.address()
    assert address == f"http://127.0.0.1:{port}"
    assert httpx.get(f"{address}/healthz", timeout=60).json() == {"database": True, "redis": True}
    assert httpx.get(f"{address}/accounts/login/", timeout=60).status_code == 200
    assert httpx.get(f"{address}/discord/interactions/", timeout=60).status_code == 404
    assert "Discord" not in first.printed
    secret_files = [data / "services.json", data / "secret_key"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in secret_files)

    # A second launcher of the same checkout refuses and touches nothing.
    second = launch(port)
    assert second.child.wait(120) == 1
    assert "already runs" in second.printed
    assert httpx.get(f"{address}/healthz", timeout=60).status_code == 200

    # Each process that dies is started again.
    for name in (
        "-m daphne", "worker@%h", "deadlines@%h", "bots@%h", "quiet beat", "valkey-server",
        "postgres -D",
    ):  # fmt: skip
        (pid,) = children_named(first, name)
        os.kill(pid, signal.SIGKILL)
        wait_until_replaced(first, name, pid)
    wait_for(
        lambda: httpx.get(f"{address}/healthz", timeout=60).status_code == 200,
        timeout=120,
        what="the site to be well again",
    )
    run_sql(data, "CREATE TABLE kept AS SELECT 7 AS number")
    # Those who serve own nothing.
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        run_sql(data, "CREATE TABLE mine (number int)", "DATABASE_URL")
    assert not serving_as("gauntlet", data)
    assert serving_as("gauntlet_site", data)

    # Killed without a chance to clean up, it leaves no process behind and no broken data.
    first.child.kill()
    first.child.wait()
    wait_for(lambda: not processes_of(data), timeout=60, what="the children to end")

    # The next start finds the port taken, says so, and is quick.
    with socket.socket() as squatter:
        squatter.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        squatter.bind(("127.0.0.1", port))
        squatter.listen()
        third = launch(port, "--discord")
        address = third.address()
        # With Discord played beside it, on a page of its own.
        played = re.search(r"Discord is played at (http://127\.0\.0\.1:\d+/)\n", third.printed)
        assert played, third.printed
        assert "Discord, rehearsed" in httpx.get(played[1], timeout=60).text
        assert httpx.get(f"{address}/discord/interactions/", timeout=60).status_code == 405
        assert f"Port {port} is taken" in third.printed
        assert address != f"http://127.0.0.1:{port}"
        assert httpx.get(f"{address}/healthz", timeout=60).status_code == 200
    assert run_sql(data, "SELECT number FROM kept") == [(7,)]

    # Ctrl-C ends everything.
    third.child.send_signal(signal.SIGINT)
    assert third.child.wait(120) == 0
    assert processes_of(data) == set()
    assert "Stopped." in third.printed
    assert "had to be killed" not in third.printed
    assert not (data / "services.json").exists()


def test_a_host_that_is_not_ours_is_refused_with_a_sentence(
    launch: Callable[..., Launcher],
) -> None:
    launcher = launch(free_port(), "--host", "192.0.2.1")
    # Rules are compiled first, where they are not: a minute on a machine that is busy with others.
    assert launcher.child.wait(400) == 1
    assert "Cannot listen on 192.0.2.1" in launcher.printed
    assert "Traceback" not in launcher.printed


def test_who_can_reach_a_server() -> None:
    """The demo's passwords are everybody's only where nobody else can come."""
    for host in ("127.0.0.1", "localhost", "::1", "127.0.0.2"):
        assert reaches_only_here(host)
    for host in ("0.0.0.0", "::", "192.168.0.7", "example.org", "", "localhost.evil"):  # noqa: S104
        assert not reaches_only_here(host)


@pytest.mark.parametrize("demo", [True, False])
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])  # noqa: S104
def test_what_the_preparation_is_told(
    demo: bool, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[list[str]] = []

    class Child:
        stdout = io.BytesIO(b"")

        def wait(self) -> int:
            return 0

    def spawn(arguments: list[Any], **_more: Any) -> Child:
        told.append([str(each) for each in arguments])
        return Child()

    monkeypatch.setattr(server, "spawn", spawn)
    monkeypatch.setattr(server, "stop", lambda *_: None)
    asked = ["--host", host, *([] if demo else ["--no-demo"])]
    server.Server(server._parse(asked))._prepare()
    assert ("--exposed" in told[0]) == (host != "127.0.0.1")
    assert ("--no-demo" in told[0]) == (not demo)
    ran: list[list[str]] = []
    monkeypatch.setattr(prepare, "execute_from_command_line", ran.append)
    prepare.main(told[0][3:])
    made = [each[2:] for each in ran if "demo_data" in each]
    if host == "127.0.0.1":
        assert made == ([[]] if demo else [])
    else:
        assert made == [["--exposed"] if demo else ["--exposed", "--passwords-only"]]
