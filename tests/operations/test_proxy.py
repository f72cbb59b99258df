"""The proxy's configuration, tried with a real nginx where there is one."""

from __future__ import annotations

import random
import socket
import struct
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import httpx
import pytest

from script.lib.ports import free_port
from tests.games.client import Reader
from tests.games.desk import Desk
from tests.support.deploy import placed
from tests.support.fronts import (
    NGINX,
    OPENSSL,
    RESOLVES_SINCE,
    WEBS_OF_COMPOSE,
    Proxy,
    certificate,
    nginx_version,
    with_tls,
)
from tests.support.site import AnotherWeb, Site, wait_for

pytestmark = [
    pytest.mark.site,
    pytest.mark.skipif(NGINX is None, reason="NO NGINX: install it to try the proxy"),
]


def checked(path: Path, text: str) -> subprocess.CompletedProcess[str]:
    path.write_text(text)
    return subprocess.run(
        [NGINX or "", "-t", "-c", path, "-g", f"pid {path.with_suffix('.pid')};"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.skipif(OPENSSL is None, reason="NO OPENSSL: for a certificate")
def test_nginx_takes_it(tmp_path: Path) -> None:
    certificate(tmp_path)
    text = with_tls(tmp_path, "127.0.0.1:8001", "127.0.0.1:8002")
    done = checked(tmp_path / "nginx.conf", text)
    assert done.returncode == 0, done.stderr
    assert "warn" not in done.stderr
    broken = text.replace("consistent;", "constantly;")
    assert checked(tmp_path / "broken.conf", broken).returncode != 0


def proxying(folder: Path, *ports: int) -> Proxy:
    """A running nginx in front of two servers on this machine."""
    servers = [f"127.0.0.1:{port}" for port in ports]
    proxy = Proxy(folder, servers, address=("127.0.0.1", free_port()))
    proxy.start()
    return proxy


@pytest.fixture
def proxy(site: Site, another: AnotherWeb, tmp_path: Path) -> Iterator[Proxy]:
    proxy = proxying(tmp_path, site.port, another.port)
    yield proxy
    proxy.stop()


async def test_both_players_of_a_match_meet_in_one_process(
    site: Site, another: AnotherWeb, desk: Desk, proxy: Proxy
) -> None:
    """And when that is gone, at the other one."""
    people = (desk.person(), desk.person())
    matches = [desk.match(*people) for _ in range(8)]
    used = set()
    for match in matches:
        async with AsyncExitStack() as stack:
            readers = [
                await stack.enter_async_context(await Reader.open(proxy, match, person))
                for person in (*people, None)
            ]
            for reader in readers:
                await reader.next("sync")
            assert len({reader.upstream for reader in readers}) == 1
            used.add(readers[0].upstream)
            for reader in readers[:2]:
                assert (await reader.submit("pick T"))["type"] == "ack"
            async with httpx.AsyncClient(timeout=60) as client:
                page = await client.get(f"{proxy.base_url}/api/v1/matches/{match}/")
            assert page.headers["X-Upstream"] == readers[0].upstream
    assert used == {f"127.0.0.1:{site.port}", f"127.0.0.1:{another.port}"}
    another.web.kill()
    another.listener.close()  # by which a connection would only wait
    for match in matches:
        async with await Reader.open(proxy, match, people[0]) as reader:
            await reader.next("sync")
            assert reader.upstream == f"127.0.0.1:{site.port}"


def test_what_a_reader_calls_a_request_is_not_passed_on(proxy: Proxy) -> None:
    """The site takes the proxy's word for it, so the proxy must not take the reader's."""
    theirs = {"X-Request-ID": "theirs-not-ours"}
    answers = [httpx.get(f"{proxy.base_url}/healthz", headers=theirs) for _ in range(2)]
    named = {answer.headers["X-Request-ID"] for answer in answers}
    assert len(named) == 2
    assert "theirs-not-ours" not in named


SAYS_503: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\n"
    b"Connection: close\r\n\r\n"
)


class Deaf:
    """A server that takes a request and hangs up; with an ``answer``, one that gives that first."""

    def __init__(self, answer: bytes = b"") -> None:
        self.answer = answer
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
                taken.sendall(self.answer)


@pytest.mark.parametrize(("method", "times"), [("GET", 2), ("POST", 1), ("PATCH", 1)])
def test_what_writes_is_never_sent_twice(tmp_path: Path, method: str, times: int) -> None:
    deaf = [Deaf(), Deaf()]
    proxy = proxying(tmp_path, *(each.port for each in deaf))
    try:
        answer = httpx.request(method, f"{proxy.base_url}/matches/7/", content=b"x=1")
        assert answer.status_code == 502
        assert [name for each in deaf for name in each.heard] == [method.encode()] * times
    finally:
        proxy.stop()
        for each in deaf:
            each.listener.close()


@pytest.mark.parametrize("path", ["/", "/matches/7/", "/ws/v1/matches/7/", "/readyz"])
def test_what_the_site_says_when_it_is_not_well_is_passed_on(tmp_path: Path, path: str) -> None:
    """However often: where the database is away both web processes say so, and neither of them is
    taken for one that is away itself, by which nobody would be served anything (502)."""
    unwell = [Deaf(SAYS_503), Deaf(SAYS_503)]
    proxy = proxying(tmp_path, *(each.port for each in unwell))
    try:
        for _ in range(8):
            answer = httpx.get(f"{proxy.base_url}{path}")
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    finally:
        proxy.stop()
        for each in unwell:
            each.listener.close()


def test_its_workers_find_out_together_who_is_away(tmp_path: Path) -> None:
    """A web process that hangs up is tried as often as the configuration says, by all of them
    together: each for itself, they would have so many more readers wait for it."""
    deaf = Deaf()
    well = Deaf(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    servers = [f"127.0.0.1:{each.port}" for each in (deaf, well)]
    proxy = Proxy(tmp_path, servers, address=("127.0.0.1", free_port()))
    text = placed(proxy.path.read_text(), {
        "worker_processes auto": "worker_processes 4",
        # Each gets its part of those who come, and says who it is.
        f"listen 127.0.0.1:{proxy.port};": f"listen 127.0.0.1:{proxy.port} reuseport;"
        " add_header X-Worker $pid always;",
        # So that it is not tried anew meanwhile.
        "fail_timeout=2s": "fail_timeout=600s",
    })  # fmt: skip
    proxy.path.write_text(text)
    proxy.start()
    try:
        answers = [httpx.get(f"{proxy.base_url}/matches/{number}/") for number in range(64)]
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.headers["X-Worker"] for answer in answers}) > 1
        assert len(deaf.heard) == 2
    finally:
        proxy.stop()
        for each in (deaf, well):
            each.listener.close()


def test_a_body_that_is_too_large_goes_no_further(tmp_path: Path) -> None:
    deaf = Deaf()
    proxy = proxying(tmp_path, deaf.port, deaf.port)
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


# -- containers that are made anew ---------------------------------------------------------------


class Names:
    """A server of names, which gives each the address that it has at the moment, if any, for ten
    minutes: as Docker's does."""

    def __init__(self, host: str, addresses: dict[str, str]) -> None:
        self.addresses = addresses
        self.asked = Counter[str]()
        self.listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.listener.bind((host, 0))
        self.address = f"{host}:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                asked, client = self.listener.recvfrom(512)
            except OSError:
                return
            labels, place = list[str](), 12
            while asked[place]:
                labels.append(asked[place + 1 : place + 1 + asked[place]].decode())
                place += 1 + asked[place]
            name = ".".join(labels)
            self.asked[name] += 1
            address = self.addresses.get(name)
            question = asked[12 : place + 5]
            head = struct.pack(
                ">HHHHH", 0x8180 if address else 0x8183, 1, 1 if address else 0, 0, 0
            )
            answer = b""
            if address:
                answer = struct.pack(">HHHIH", 0xC00C, 1, 1, 600, 4) + socket.inet_aton(address)
            self.listener.sendto(asked[:2] + head + question + answer, client)


def saying(host: str, port: int, word: str) -> ThreadingHTTPServer:
    """A server that says a word to whoever asks."""

    class Says(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(word)))
            self.end_headers()
            self.wfile.write(word.encode())

        def log_message(self, *_args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer((host, port), Says)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.mark.skipif(
    nginx_version() < RESOLVES_SINCE,
    reason=f"NO NGINX FROM {'.'.join(map(str, RESOLVES_SINCE))} ON: install one to try containers",
)
def test_a_container_that_comes_back_elsewhere_is_found(tmp_path: Path) -> None:
    """One after the other is made anew, at addresses that neither had, as in a deploy."""
    network = f"127.{random.randrange(16, 250)}.{random.randrange(1, 250)}"
    names = Names(f"{network}.2", {"web-1": f"{network}.11", "web-2": f"{network}.12"})
    port = free_port()
    webs = placed(WEBS_OF_COMPOSE.read_text(), {
        "127.0.0.11 ": f"{names.address} ", "web-1:8000": f"web-1:{port}",
        "web-2:8000": f"web-2:{port}",
    })  # fmt: skip
    servers = {name: saying(names.addresses[name], port, name) for name in ("web-1", "web-2")}
    proxy = Proxy(tmp_path, [], address=(f"{network}.3", free_port()), webs=webs)
    proxy.start()

    def heard() -> set[str]:
        """Who answers for matches, of which each is at one."""
        asked = [httpx.get(f"{proxy.base_url}/matches/{n}/", timeout=60) for n in range(20)]
        return {answer.text if answer.status_code == 200 else "" for answer in asked}

    def hears(*wanted: str) -> bool:
        return heard() == {*wanted}

    try:
        wait_for(partial(hears, *servers), timeout=60, what="both to be found")
        for number, name in enumerate(("web-1", "web-2"), start=21):
            del names.addresses[name]
            servers[name].shutdown()
            servers[name].server_close()
            (other,) = {"web-1", "web-2"} - {name}
            wait_for(partial(hears, other), timeout=60, what="the other to do it all")
            names.addresses[name] = f"{network}.{number}"
            servers[name] = saying(names.addresses[name], port, name)
            wait_for(partial(hears, *servers), timeout=60, what="both to be back")
        assert min(names.asked.values()) > 2
    finally:
        proxy.stop()
        names.listener.close()
        for server in servers.values():
            server.shutdown()
            server.server_close()
