"""Sockets of programs: `Authorization: Bearer <token>` at the handshake."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.http.request import validate_host

from accounts.tokens import bearer_of

Scope = MutableMapping[str, Any]
Application = Callable[[Scope, Any, Any], Awaitable[None]]


class TokenSockets:
    """ASGI middleware: a socket that shows a token is its owner's, within the token's scopes
    (`scope["credential"]`, and `scope["token"]` to ask again); every other one is left to
    ``sessions``.

    A token is not something that a browser sends along by itself, so that another site's page
    cannot use one that it does not have: such a socket needs no `Origin` of ours. The host must be
    ours all the same. A token that is no good gets 403 in place of the handshake.
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
        bearer = await database_sync_to_async(bearer_of)(shown)
        if bearer is None or not _is_ours(headers.get(b"host", b"").decode("latin-1")):
            await send({"type": "websocket.close", "code": 4401})
            return
        known = {**scope, "user": bearer.user, "credential": bearer.credential, "token": shown}
        await self.sockets(known, receive, send)


def _is_ours(host: str) -> bool:
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    return validate_host(name.lower(), settings.ALLOWED_HOSTS)
