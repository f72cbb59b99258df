"""The proxy's configuration, tried with a real nginx where there is one."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from script.lib.console import ROOT
from script.lib.ports import free_port
from script.lib.processes import spawn, stop
from tests.games.client import Reader
from tests.games.desk import Desk
from tests.support.site import AnotherWeb, Site, wait_for

pytestmark = [
    pytest.mark.site,
    pytest.mark.skipif(
        shutil.which("nginx") is None, reason="NO NGINX: install it to try the proxy"
    ),
]

CONFIGURATION = (ROOT / "deploy" / "nginx.conf").read_text()
TYPES = "/etc/nginx/mime.types"


def with_servers(text: str, *ports: int) -> str:
    """The configuration with web processes on this machine."""
    first, second = (f"server 127.0.0.1:{port} " for port in ports)
    return text.replace("server web-1:8000 ", first).replace("server web-2:8000 ", second)


def with_tls(folder: Path) -> str:
    """The configuration as it stands, with a certificate of the test's own."""
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
         "/CN=gauntlet.example", "-keyout", "privkey.pem", "-out", "fullchain.pem"],
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    text = with_servers(CONFIGURATION, 8001, 8002).replace("/etc/gauntlet/tls", str(folder))
    return text.replace("include mime.types", f"include {TYPES}")


def checked(path: Path, text: str) -> subprocess.CompletedProcess[str]:
    path.write_text(text)
    return subprocess.run(
        ["nginx", "-t", "-c", path, "-g", f"pid {path.with_suffix('.pid')};"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.skipif(shutil.which("openssl") is None, reason="NO OPENSSL: for a certificate")
def test_nginx_takes_it(tmp_path: Path) -> None:
    done = checked(tmp_path / "nginx.conf", with_tls(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "warn" not in done.stderr
    broken = with_tls(tmp_path).replace("consistent;", "constantly;")
    assert checked(tmp_path / "broken.conf", broken).returncode != 0


class Proxy:
    """A running nginx; what tests of sockets take for a web process."""

    def __init__(self, folder: Path, *ports: int) -> None:
        self.port = free_port()
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.ws_url = f"ws://127.0.0.1:{self.port}"
        text = with_servers(CONFIGURATION, *ports).replace("include mime.types", f"include {TYPES}")
        # Without TLS, at a port of its own; and it says to whom it has handed a request.
        text = re.sub(r"    server \{\n        listen 80 .*?\n    \}\n", "", text, flags=re.DOTALL)
        text = re.sub(r"^ +(listen|ssl_\w+) .*\n", "", text, flags=re.MULTILINE)
        text = text.replace(
            "        proxy_http_version 1.1;",
            f"        listen 127.0.0.1:{self.port};\n"
            "        add_header X-Upstream $upstream_addr always;\n"
            "        proxy_http_version 1.1;",
        )
        path = folder / "nginx.conf"
        path.write_text(text)
        pid = f"daemon off; pid {folder / 'nginx.pid'};"
        self.log = folder / "nginx.log"
        with self.log.open("wb") as log:
            self.child = spawn(
                ["nginx", "-c", path, "-g", pid],
                env={"PATH": "/usr/sbin:/usr/bin"}, cwd=folder, stdout=log, stderr=log,
                death_signal=signal.SIGKILL,
            )  # fmt: skip
        wait_for(self._listens, what="nginx to listen")

    def _listens(self) -> bool:
        assert self.child.poll() is None, self.log.read_text()
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self) -> None:
        """End it."""
        stop(self.child, signal.SIGTERM, 10)


def upstream(reader: Reader) -> str:
    """Which web process has a reader's socket."""
    response = reader.socket.response
    assert response is not None
    return response.headers["X-Upstream"]


@pytest.fixture
def other(site: Site) -> Iterator[AnotherWeb]:
    other = AnotherWeb(site)
    other.web.start()
    yield other
    other.stop()


@pytest.fixture
def proxy(site: Site, other: AnotherWeb, tmp_path: Path) -> Iterator[Proxy]:
    proxy = Proxy(tmp_path, site.port, other.port)
    yield proxy
    proxy.stop()


async def test_both_players_of_a_match_meet_in_one_process(
    site: Site, other: AnotherWeb, desk: Desk, proxy: Proxy
) -> None:
    """And when that is gone, at the other one."""
    people = (desk.person(), desk.person())
    matches = [desk.match(*people) for _ in range(8)]
    used = set()
    for match in matches:
        async with AsyncExitStack() as stack:
            readers = [
                await stack.enter_async_context(await Reader.open(proxy, match, person))  # type: ignore[arg-type]
                for person in (*people, None)
            ]
            for reader in readers:
                await reader.next("sync")
            assert len({upstream(reader) for reader in readers}) == 1
            used.add(upstream(readers[0]))
            for reader in readers[:2]:
                assert (await reader.submit("pick T"))["type"] == "ack"
            async with httpx.AsyncClient(timeout=60) as client:
                page = await client.get(f"{proxy.base_url}/api/v1/matches/{match}/")
            assert page.headers["X-Upstream"] == upstream(readers[0])
    assert used == {f"127.0.0.1:{site.port}", f"127.0.0.1:{other.port}"}
    other.web.kill()
    other.listener.close()  # by which a connection would only wait
    for match in matches:
        async with await Reader.open(proxy, match, people[0]) as reader:  # type: ignore[arg-type]
            await reader.next("sync")
            assert upstream(reader).endswith(f"127.0.0.1:{site.port}")


class Deaf:
    """A server that takes a request and hangs up."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.heard: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                taken, _ = self.listener.accept()
            except OSError:
                return
            with taken:
                self.heard.append(taken.recv(4096).partition(b" ")[0])


@pytest.mark.parametrize(("method", "times"), [("GET", 2), ("POST", 1), ("PATCH", 1)])
def test_what_writes_is_never_sent_twice(tmp_path: Path, method: str, times: int) -> None:
    deaf = [Deaf(), Deaf()]
    proxy = Proxy(tmp_path, *(each.port for each in deaf))
    try:
        answer = httpx.request(method, f"{proxy.base_url}/matches/7/", content=b"x=1")
        assert answer.status_code == 502
        assert [name for each in deaf for name in each.heard] == [method.encode()] * times
    finally:
        proxy.stop()
        for each in deaf:
            each.listener.close()


def test_a_body_that_is_too_large_goes_no_further(tmp_path: Path) -> None:
    deaf = Deaf()
    proxy = Proxy(tmp_path, deaf.port, deaf.port)
    try:
        length = {"Content-Length": str(100 * 1024 * 1024)}
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=30) as raw:
            head = "".join(f"{name}: {value}\r\n" for name, value in length.items())
            raw.sendall(f"POST /x HTTP/1.1\r\nHost: x\r\n{head}\r\n".encode())
            assert b" 413 " in raw.recv(200)
        assert deaf.heard == []
    finally:
        proxy.stop()
        deaf.listener.close()
