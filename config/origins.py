"""Which pages may open sockets with their reader's session: those of this site alone.

An origin is a scheme, a host and a port, and another port is another site (RFC 6454): a page of
something else on the same machine has the reader's cookies, but not their leave. The rule is the
one that Django has for forms, with the same settings behind a proxy.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from io import BytesIO
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.utils.http import is_same_domain

from core.metrics import HANDSHAKES_REFUSED

Scope = MutableMapping[str, Any]
Application = Callable[[Scope, Any, Any], Awaitable[None]]
_PORTS = {"http": 80, "https": 443}
# What servers call the scheme of a socket, where they call it anything. A page has another.
_OF_PAGES = {"ws": "http", "wss": "https"}


class Origin(NamedTuple):
    """Where a page comes from."""

    scheme: str
    host: str
    port: int


def origin_in(text: str) -> Origin | None:
    """The origin that ``text`` names, with the scheme's own port where none is said; None where it
    names none, as `null` does not."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    usual = _PORTS.get(parts.scheme)
    if not host or usual is None or parts.path or parts.query or parts.fragment or "@" in text:
        return None
    return Origin(parts.scheme, host, usual if port is None else port)


class SameOrigin:
    """ASGI middleware for sockets: refuses the handshake, with 403, of every other site's page."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if is_ours(scope):
            await self.application(scope, receive, send)
        else:
            HANDSHAKES_REFUSED.inc("origin")
            await send({"type": "websocket.close"})


def is_ours(scope: Scope) -> bool:
    """Whether a handshake comes from a page of this site, or of one that the settings trust."""
    said = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
    origin = origin_in(said[0]) if len(said) == 1 else None
    return origin is not None and (origin == _own(scope) or any(_trust_checks(origin)))


def _own(scope: Scope) -> Origin | None:
    """Where the site is found by this request. What a proxy says counts as far as settings let it,
    so the request itself is asked."""
    said = scope.get("scheme", "ws")
    page = {**scope, "type": "http", "method": "GET", "scheme": _OF_PAGES.get(said, said)}
    request = ASGIRequest(page, BytesIO())
    try:
        return origin_in(f"{request.scheme}://{request.get_host()}")
    except DisallowedHost:
        return None


def _trust_checks(origin: Origin) -> Any:
    yield origin == origin_in(settings.GAUNTLET_ORIGIN)
    for text in settings.CSRF_TRUSTED_ORIGINS:
        known = origin_in(text.replace("*", "", 1))
        # "https://*.example.org": every host below.
        yield known is not None and (
            origin.scheme == known.scheme
            and origin.port == known.port
            and is_same_domain(origin.host, known.host)
        )
