"""Signing in at Discord: its page that asks, its token endpoint and `/users/@me`, by HTTP on this
machine. It holds whoever asks to what Discord documents, and writes down what was asked."""

from __future__ import annotations

import html
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from tournaments.discord.fake.signin import PATH, Account, SignIn

CLIENT_ID = "1100000000000000001"
CLIENT_SECRET = "the-secret-of-the-application"


class FakeDiscord(SignIn):
    """The host. ``person`` is who is signed in there in everybody's browser; ``fault`` what is
    wrong with it: an HTTP status, or the answer that it gives to everything its API is asked."""

    def __init__(self, redirects: set[str]) -> None:
        super().__init__(CLIENT_ID, CLIENT_SECRET, redirects)
        self.person = Account(
            "80351110224678912", "nelly_b", "nelly@example.org", global_name="Nelly"
        )
        self.fault: int | bytes | None = None
        self.dripping = threading.Event()
        #: What people were asked for, each as a query; and the paths of the API that were asked.
        self.asked: list[dict[str, str]] = []
        self.calls: list[str] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.server.daemon_threads = True
        cast("Any", self.server).discord = self

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def environment(self) -> dict[str, str]:
        """Settings of a site that has an application there."""
        return {
            "GAUNTLET_DISCORD_API": f"{self.origin}/api/v10",
            "GAUNTLET_DISCORD_CLIENT_ID": CLIENT_ID,
            "GAUNTLET_DISCORD_CLIENT_SECRET": CLIENT_SECRET,
        }

    # -- the page ------------------------------------------------------------------------------

    def needs_to_ask(self, query: dict[str, str]) -> bool:
        """Whether the person must say yes, or has before."""
        scopes = set(query["scope"].split(" "))
        return query.get("prompt") != "none" or not scopes <= self.person.allowed


class _Handler(BaseHTTPRequestHandler):
    @property
    def discord(self) -> FakeDiscord:
        return cast("FakeDiscord", cast("Any", self.server).discord)

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/oauth2/authorize":
            self._ask({name: given[0] for name, given in parse_qs(parts.query).items()})
        elif parts.path == "/api/v10/users/@me":
            self._api(lambda: self.discord.me(self.headers.get("Authorization", "")))
        else:
            self._send(404, b"{}")

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        given = parse_qs(self.rfile.read(length).decode())
        form = {name: values[0] for name, values in given.items()}
        if self.path == "/oauth2/authorize":
            query = json.loads(form["query"])
            there = self.discord
            yes = form["answer"] == "yes"
            self._lead(there.let_in(query, there.person) if yes else there.keep_out(query))
        elif self.path == "/api/v10/oauth2/token":
            self._api(lambda: self.discord.trade(form))
        else:
            self._send(404, b"{}")

    def _ask(self, query: dict[str, str]) -> None:
        self.discord.asked.append(query)
        refusal = self.discord.refusal(query)
        if refusal:
            self.discord.faults.append(refusal)
            self._send(400, refusal.encode(), "text/plain")
        elif not self.discord.needs_to_ask(query):
            self._lead(self.discord.let_in(query, self.discord.person))
        else:
            kept = html.escape(json.dumps(query))
            page = (
                '<!doctype html><html lang="en"><title>Discord</title><form method="post" '
                f'action="/oauth2/authorize"><p>{html.escape(self.discord.person.username)}: '
                f'{html.escape(query["scope"])}</p><input type="hidden" name="query" '
                f'value="{kept}"><button name="answer" value="yes">Authorise</button>'
                '<button name="answer" value="no">Cancel</button></form>'
            )
            self._send(200, page.encode(), "text/html; charset=utf-8")

    def _api(self, answer: Any) -> None:
        self.discord.calls.append(urlsplit(self.path).path)
        fault = self.discord.fault
        if self.discord.dripping.is_set():
            self._drip()
        elif isinstance(fault, int):
            self._send(fault, b'{"message": "upstream"}')
        elif isinstance(fault, bytes):
            self._send(200, fault)
        else:
            status, document = answer()
            self._send(status, json.dumps(document).encode())

    def _drip(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while self.discord.dripping.is_set():
            try:
                self.wfile.write(b".")
            except OSError:
                return
            time.sleep(0.02)

    def _lead(self, address: str) -> None:
        self.send_response(302)
        self.send_header("Location", address)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: Any) -> None:
        """Say nothing."""


@contextmanager
def fake_discord(*sites: str) -> Iterator[FakeDiscord]:
    """Discord, where the application of these sites (as scheme and host) is registered."""
    discord = FakeDiscord({f"{site}{PATH}" for site in sites})
    thread = threading.Thread(target=discord.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield discord
    finally:
        discord.dripping.clear()
        discord.server.shutdown()
        discord.server.server_close()
        thread.join(10)
