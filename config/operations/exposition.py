"""Where metrics are read: at `/metrics` of a web process, and at a port of its own of any other
that a setting names. Who may read them is decided here, for both.

Figures tell nothing of anybody, but how busy a site is, and how well, is for those who run it. To
everybody else there is nothing at that address.
"""

from __future__ import annotations

import asyncio
import platform
import threading
from collections.abc import Iterable, Mapping
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final, NamedTuple

import structlog
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from prometheus_client.exposition import choose_encoder

from config.shutdown import Application, Receive, Scope, Send
from core import metrics
from core.addresses import address_in, client_of
from core.database.base import REPLICA
from core.replica.watching import WATCH

log = structlog.get_logger("gauntlet.metrics")

PATH: Final = "/metrics"
# Seconds that a reader may take to say what it wants.
PATIENCE_S: Final = 5.0
# What whoever passes a request on says in one way or another.
_PASSED_ON: Final = ("forwarded", "via", "x-real-ip", "x-forwarded-for", "x-forwarded-proto",
                     "x-forwarded-host")  # fmt: skip


class _Process:
    """What this process is for."""

    role = "command"


this = _Process()


# -- who may read --------------------------------------------------------------------------------


class Asker(NamedTuple):
    """Who asks: the address that the connection comes from (empty: none, as of a Unix socket), and
    what the request's headers say, by names in lower case."""

    address: str
    headers: Mapping[str, str]

    @property
    def client(self) -> str:
        """The address of whoever asks, as far as it is known: behind proxies that the settings
        trust, the one that they serve. Empty where somebody may have passed it on that nobody
        trusts."""
        if not any(name in self.headers for name in _PASSED_ON):
            return self.address
        passed = self.headers.get("x-forwarded-for", "")
        trusts = settings.REST_FRAMEWORK["NUM_PROXIES"] and passed.strip()
        return client_of(self.address, passed) if trusts else ""


def may_read(asker: Asker) -> bool:
    """Whether somebody may read the metrics: who shows the token of the settings; where there is
    none, whoever asks from this machine."""
    token: str = settings.GAUNTLET_METRICS_TOKEN
    if not token:
        return _is_loopback(asker.client)
    scheme, _space, shown = asker.headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and compare_digest(shown.strip().encode(), token.encode())


def _is_loopback(address: str) -> bool:
    found = address_in(address)
    return found is not None and found.is_loopback


def _joined(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        found[key] = f"{found[key]},{value}" if key in found else value
    return found


# -- what they read ------------------------------------------------------------------------------


def exposition(accept: str = "") -> tuple[str, bytes]:
    """The type and the text of all metrics of this process."""
    encode, kind = choose_encoder(accept)
    return kind, encode(metrics.registry)


def _build() -> metrics.Figures:
    release = settings.RELEASE if settings.RELEASE_IS_NAMED else "unnamed"
    return {(release, this.role, platform.python_version()): 1}


# By the pool's own names.
_POOL: Final = {
    "pool_size": "open",
    "pool_available": "idle",
    "pool_max": "most",
    "requests_waiting": "waiting",
}
_POOL_COUNTED: Final = {
    "requests_num": "asked for",
    "requests_errors": "not got in time",
    "connections_lost": "lost",
    "connections_errors": "not made",
}


def _pool(names: Mapping[str, str], alias: str = DEFAULT_DB_ALIAS) -> metrics.Figures:
    there = alias in connections.settings
    pool = getattr(connections[alias], "pool", None) if there else None
    stats: dict[str, int] = {} if pool is None else pool.get_stats()
    return {(word,): stats.get(name, 0) for name, word in names.items()} if stats else {}


def install() -> None:
    """Have this process tell what it is, and of its connections."""
    labels = ("release", "role", "python")
    metrics.looked_up("build_info", "What runs here; always 1.", labels, _build)
    words = "Connections of the process to the database, and those who wait for one."
    metrics.looked_up("pool_connections", words, ("state",), lambda: _pool(_POOL))
    words = "What has come of wanting connections to the database."
    metrics.looked_up(
        "pool_requests", words, ("outcome",), lambda: _pool(_POOL_COUNTED), kind="counter"
    )
    words = "Whether this process reads from the replica; nothing where there is none."
    metrics.looked_up("replica_asked", words, (), WATCH.figures)
    words = "How old what the replica shows may be, at most."
    metrics.looked_up("replica_lag_seconds", words, (), WATCH.lag_figures)
    words = "Connections of the process to the replica, and those who wait for one."
    metrics.looked_up("replica_pool_connections", words, ("state",), lambda: _pool(_POOL, REPLICA))


# -- where they read it --------------------------------------------------------------------------


class Metrics:
    """ASGI middleware for HTTP: answers whoever may read. Before Django, which would ask whether
    the host is one of the site's, and would log, compress and tag what is read every few
    seconds."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != PATH or scope["method"] not in ("GET", "HEAD"):
            await self.application(scope, receive, send)
            return
        headers = _joined((n.decode("latin-1"), v.decode("latin-1")) for n, v in scope["headers"])
        client = scope.get("client")
        if not may_read(Asker(client[0] if client else "", headers)):
            await self.application(scope, receive, send)
            return
        kind, text = await asyncio.to_thread(exposition, headers.get("accept", ""))
        answer = [
            (b"content-type", kind.encode()),
            (b"content-length", b"%d" % len(text)),
            (b"cache-control", b"no-store"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": answer})
        body = text if scope["method"] == "GET" else b""
        await send({"type": "http.response.body", "body": body})


class _Reading(BaseHTTPRequestHandler):
    """One reader at the port of a process that is no web server."""

    timeout = PATIENCE_S
    server_version, sys_version = "gauntlet", ""

    def do_GET(self) -> None:
        """Answer, if there is anything here for them."""
        asker = Asker(self.client_address[0], _joined(self.headers.items()))
        if self.path.partition("?")[0] != PATH or not may_read(asker):
            self.send_error(404)
            return
        kind, text = exposition(self.headers.get("Accept", ""))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the library's name)
        """Nothing: it would be a line every few seconds."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True


def listen(role: str) -> None:
    """Have this process, which serves no pages, read at the address that the settings name, if
    they name one. A port that is taken is logged: for want of figures no worker stays away."""
    this.role = role
    address: str = settings.GAUNTLET_METRICS_LISTEN
    if not address:
        return
    host, _colon, port = address.rpartition(":")
    try:
        server = _Server((host.strip("[]"), int(port)), _Reading)
    except (OSError, OverflowError) as error:
        log.warning("metrics.not-served", address=address, error=type(error).__name__)
        return
    threading.Thread(target=server.serve_forever, name="gauntlet-metrics", daemon=True).start()
    log.info("metrics.served", host=host, port=server.server_port)
