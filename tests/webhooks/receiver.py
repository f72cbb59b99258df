"""A receiver of webhooks on this machine, with all the manners that receivers have."""

from __future__ import annotations

import email
import email.policy
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.site import wait_for

Manner = Callable[["Handler"], None]


@dataclass
class Taken:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def parts(self) -> dict[str, tuple[str | None, bytes]]:
        """The parts of a form: name to file name and content."""
        head = f"Content-Type: {self.headers['content-type']}\r\n\r\n".encode()
        form = email.message_from_bytes(head + self.body, policy=email.policy.HTTP)
        found: dict[str, tuple[str | None, bytes]] = {}
        for part in form.iter_parts():
            name = str(part.get_param("name", header="content-disposition"))
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            found[name] = (part.get_filename(), content)
        return found

    @property
    def message(self) -> Any:
        """The message that is sent to Discord."""
        return json.loads(self.parts["payload_json"][1])


@dataclass
class Receiver:
    """Answers each request as the next of `manners` says; when they are used up, with 204."""

    port: int = 0
    manners: list[Manner] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)
    ending: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?a=b"

    @property
    def discord_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/webhooks/42/token-of-it"

    def wait(self, count: int, timeout: float = 15) -> list[Taken]:
        wait_for(lambda: len(self.taken) >= count, timeout=timeout, what=f"{count} requests")
        return self.taken


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        receiver = self.server.receiver
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        receiver.taken.append(Taken(self.path, headers, body))
        manner = receiver.manners.pop(0) if receiver.manners else status(204)
        self.close_connection = True
        manner(self)

    do_GET = do_POST  # noqa: N815  (the base class's name)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, receiver: Receiver) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.receiver = receiver
        receiver.port = self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Callers that hang up are what some tests are about."""


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()
    server = Server(receiver)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.ending.set()
        server.shutdown()
        server.server_close()


# -- manners -------------------------------------------------------------------------------------


def status(code: int, body: bytes = b"", /, **headers: str) -> Manner:
    """An ordinary answer; underscores of header names stand for hyphens."""

    def manner(handler: Handler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return manner


def hanging(handler: Handler) -> None:
    """Never answers."""
    handler.server.receiver.ending.wait(30)


def dripping(head: bool) -> Manner:
    """A byte at a time, for ever: of the head, or of the body behind a good one."""

    def manner(handler: Handler) -> None:
        start = b"HTTP/1.1 500 No\r\nX-Drip: " if head else b"HTTP/1.1 200 OK\r\n\r\n"
        handler.wfile.write(start)
        while not handler.server.receiver.ending.wait(0.05):
            handler.wfile.write(b"x")
            handler.wfile.flush()

    return manner


def flooding(code: int) -> Manner:
    """A body without end."""

    def manner(handler: Handler) -> None:
        handler.wfile.write(f"HTTP/1.1 {code} So\r\n\r\n".encode())
        until = time.monotonic() + 20
        while time.monotonic() < until:
            handler.wfile.write(b"flood" * 20_000)

    return manner


def resetting(handler: Handler) -> None:
    """Hangs up without a word, the rude way."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.shutdown(socket.SHUT_RD)
    handler.connection.close()


def gibberish(handler: Handler) -> None:
    """Answers something that is not HTTP."""
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")
