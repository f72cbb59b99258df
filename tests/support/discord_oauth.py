"""Signing in at Discord: its page that asks, its token endpoint and `/users/@me`, by HTTP on this
machine. It holds whoever asks to what Discord documents, and writes down what was asked."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT_ID = "1100000000000000001"
CLIENT_SECRET = "the-secret-of-the-application"
PATH = "/accounts/discord/login/callback/"
KNOWN_SCOPES = {"identify", "email", "guilds", "guilds.join", "connections", "messages.read"}


@dataclass
class Person:
    """Somebody with an account at Discord."""

    id: str = "80351110224678912"
    username: str = "nelly_b"
    email: str | None = "nelly@example.org"
    verified: bool = True
    global_name: str | None = "Nelly"
    #: The scopes that they have let the application have.
    allowed: set[str] = field(default_factory=set)

    def shown(self, scopes: set[str]) -> dict[str, Any]:
        """What `/users/@me` answers for these scopes."""
        told: dict[str, Any] = {
            "id": self.id, "username": self.username, "discriminator": "0",
            "global_name": self.global_name, "avatar": "a" * 32, "banner": None,
            "accent_color": None, "locale": "de", "mfa_enabled": True, "flags": 64,
            "premium_type": 1, "public_flags": 64,
        }  # fmt: skip
        if "email" in scopes:
            told |= {"email": self.email, "verified": self.verified}
        return told


@dataclass
class Grant:
    """A code that is on its way, or the token that was traded in for it."""

    person: Person
    scopes: set[str]
    redirect_uri: str
    challenge: str


class FakeDiscord:
    """The host. ``person`` is who is signed in there in everybody's browser; ``fault`` what is
    wrong with it: an HTTP status, or the answer that it gives to everything its API is asked."""

    def __init__(self, redirects: set[str]) -> None:
        self.redirects = redirects
        self.person = Person()
        self.fault: int | bytes | None = None
        self.dripping = threading.Event()
        self.codes: dict[str, Grant] = {}
        self.tokens: dict[str, Grant] = {}
        #: What people were asked for, each as a query; and the paths of the API that were asked.
        self.asked: list[dict[str, str]] = []
        self.calls: list[str] = []
        #: What it has found wrong.
        self.faults: list[str] = []
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

    def refusal(self, query: dict[str, str]) -> str:
        """What is wrong with being sent here; empty where nothing is."""
        scopes = set(query.get("scope", "").split(" "))
        if query.get("client_id") != CLIENT_ID:
            return "Unknown Application"
        if query.get("redirect_uri") not in self.redirects:
            return "Invalid OAuth2 redirect_uri"
        if query.get("response_type") != "code":
            return "Invalid response_type"
        if not scopes or not scopes <= KNOWN_SCOPES:
            return "Invalid scope"
        if query.get("code_challenge_method") != "S256" or len(query["code_challenge"]) != 43:
            return "Invalid code_challenge"
        if query.get("prompt", "consent") not in ("consent", "none"):
            return "Invalid prompt"
        return ""

    def needs_to_ask(self, query: dict[str, str]) -> bool:
        """Whether the person must say yes, or has before."""
        scopes = set(query["scope"].split(" "))
        return query.get("prompt") != "none" or not scopes <= self.person.allowed

    def let_in(self, query: dict[str, str]) -> str:
        """Where the person is sent back to, having said yes."""
        scopes = set(query["scope"].split(" "))
        self.person.allowed |= scopes
        code = secrets.token_urlsafe(20)
        self.codes[code] = Grant(
            self.person, scopes, query["redirect_uri"], query["code_challenge"]
        )
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def keep_out(self, query: dict[str, str]) -> str:
        """Where the person is sent back to, having said no."""
        told = {
            "error": "access_denied",
            "error_description": "The resource owner or authorization server denied the request",
            "state": query["state"],
        }
        return f"{query['redirect_uri']}?{urlencode(told)}"

    # -- the API -------------------------------------------------------------------------------

    def trade(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """The answer to a code."""
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
            return self._wrong(401, "invalid_client")
        if form.get("grant_type") != "authorization_code":
            return self._wrong(400, "unsupported_grant_type")
        grant = self.codes.pop(form.get("code", ""), None)
        if grant is None or grant.redirect_uri != form.get("redirect_uri"):
            return self._wrong(400, "invalid_grant")
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != grant.challenge:
            return self._wrong(400, "invalid_grant")
        token = secrets.token_urlsafe(24)
        self.tokens[token] = grant
        return 200, {
            "access_token": token, "token_type": "Bearer", "expires_in": 604800,
            "refresh_token": secrets.token_urlsafe(24), "scope": " ".join(sorted(grant.scopes)),
        }  # fmt: skip

    def me(self, authorization: str) -> tuple[int, dict[str, Any]]:
        """The answer to who it is."""
        grant = self.tokens.get(authorization.removeprefix("Bearer "))
        if grant is None or "identify" not in grant.scopes:
            return 401, {"message": "401: Unauthorized", "code": 0}
        return 200, grant.person.shown(grant.scopes)

    def _wrong(self, status: int, error: str) -> tuple[int, dict[str, Any]]:
        self.faults.append(error)
        return status, {"error": error}


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
            yes = form["answer"] == "yes"
            self._lead(self.discord.let_in(query) if yes else self.discord.keep_out(query))
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
            self._lead(self.discord.let_in(query))
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
