"""Who opens a socket: a person by the session of their browser, a program by its token.

Nothing is looked up here. A socket is handed the means to find out, so that it can do so when its
turn has come (see `games.sockets.admission`), in a thread that is not shared by all.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from importlib import import_module
from typing import Any, NamedTuple

from django.conf import settings
from django.http import parse_cookie
from django.http.request import validate_host

from accounts.connections.validity import user_of_session
from accounts.guests import is_guest
from accounts.models import User
from accounts.tokens.bearers import bearer_of
from core.api.scopes import Credential
from core.metrics import HANDSHAKES_REFUSED

Scope = MutableMapping[str, Any]
Application = Callable[[Scope, Any, Any], Awaitable[None]]


class Visitor(NamedTuple):
    """Whoever opens a socket: what they show, a session's key or a token or nothing."""

    session_key: str = ""
    token: str = ""

    @property
    def is_named(self) -> bool:
        """Whether they show anything that could tell who they are."""
        return bool(self.session_key or self.token)

    def found(self, *, guests: bool = False) -> Found | None:
        """Who it is; None where the token is no good. Those who play without an account are nobody
        unless ``guests`` are known. Reads the database."""
        if self.token:
            bearer = bearer_of(self.token)
            return None if bearer is None else Found(bearer.user, bearer.credential)
        user = user_of_session(self.session_key) if self.session_key else None
        return Found(user if guests or not is_guest(user) else None)


class Found(NamedTuple):
    """Who somebody is (None: nobody who is signed in), and what a token allows them."""

    user: User | None
    credential: Credential | None = None


class SessionSockets:
    """ASGI middleware: a socket is that of the session whose cookie comes along, if any does."""

    def __init__(self, sockets: Application) -> None:
        self.sockets = sockets

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        cookies = parse_cookie(dict(scope["headers"]).get(b"cookie", b"").decode("latin-1"))
        key = cookies.get(settings.SESSION_COOKIE_NAME, "")
        session = import_module(settings.SESSION_ENGINE).SessionStore(key)  # reads nothing yet
        known = {**scope, "visitor": Visitor(session_key=key), "session": session}
        await self.sockets(known, receive, send)


class TokenSockets:
    """ASGI middleware: a socket that shows a token (`Authorization: Bearer <token>`) is its
    owner's, within the token's scopes (`scope["token"]`, to ask again); every other one is left to
    ``sessions``.

    A token is not something that a browser sends along by itself, so that another site's page
    cannot use one that it does not have: such a socket needs no `Origin` of ours. The host must be
    ours all the same.
    """

    def __init__(self, sockets: Application, *, sessions: Application) -> None:
        self.sockets = sockets
        self.sessions = sessions

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        scheme, _space, token = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer":
            await self.sessions(scope, receive, send)
            return
        shown = token.strip().decode("latin-1")
        if not shown or not _is_ours(headers.get(b"host", b"").decode("latin-1")):
            HANDSHAKES_REFUSED.inc("token")
            await send({"type": "websocket.close", "code": 4401})
            return
        known = {**scope, "visitor": Visitor(token=shown), "token": shown}
        await self.sockets(known, receive, send)


def _is_ours(host: str) -> bool:
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    return validate_host(name.lower(), settings.ALLOWED_HOSTS)
