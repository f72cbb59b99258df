"""How much one address may have of a server process at a time, so that nobody takes all of it.

Sockets count for as long as they are open, requests until their answer begins: that is as long as
they keep a thread. What is counted is what somebody does who is not signed in. Many people can
share an address (a school, a whole provider), and a player must not find the door shut because of
those around them: so a socket counts for its address only until it is known whose it is, and then
for the account; and what shows who it is has four times the room, for itself. The
limits are far above what people need, and each process counts for itself.

Which address it is the settings say (`GAUNTLET_BEHIND_PROXY`, `GAUNTLET_PROXIES`), as they do for
all limits by address. Where they say nothing of a proxy, a peer in a private network is one that
nobody has told of, or this very machine: it speaks for everybody, and is not counted.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Final

import structlog
from django.conf import settings

from config.bodies import answer_early
from config.shutdown import Message, Receive, Scope, Send
from core.addresses import address_in, client_of, network_of
from core.api.problems import title_of
from games.sockets.limits import BELONGS, crowded_frame

log = structlog.get_logger("gauntlet.crowding")

# How many times as much room those have who show who they are.
NAMED_TIMES: Final = 4
# Seconds after which a request that was refused may come again.
REQUEST_AGAIN_S: Final = 2
CROWDED_REQUEST: Final = (
    "Too many requests at once come from your address. Please try again in a moment."
)


def address_of(scope: Scope) -> str | None:
    """Whom something comes from: an address, or of IPv6 the network of one line; None for whoever
    is not to be counted."""
    client = scope.get("client")
    said = b",".join(v for name, v in scope["headers"] if name == b"x-forwarded-for")
    found = client_of((client[0] or "") if client else "", said.decode("latin-1"))
    if not settings.REST_FRAMEWORK["NUM_PROXIES"]:
        address = address_in(found)
        if address is None or not address.is_global:
            return None
    return network_of(found)


def shows_an_account(scope: Scope) -> bool:
    """Whether something comes with what could tell who it is: a session, or a token."""
    session = f"{settings.SESSION_COOKIE_NAME}=".encode()
    return any(
        name == b"authorization" or (name == b"cookie" and session in value)
        for name, value in scope["headers"]
    )


class Counted:
    """How many there are of each name."""

    def __init__(self) -> None:
        self.there: Counter[str] = Counter()

    def add(self, name: str, most: int) -> bool:
        """Count one more; False, and it is not, where there are as many as there may be. A limit of
        0 is none."""
        if most and self.there[name] >= most:
            return False
        self.there[name] += 1
        return True

    def remove(self, name: str) -> None:
        """Count one less."""
        self.there[name] -= 1
        if self.there[name] <= 0:
            del self.there[name]


class RequestsByAddress:
    """ASGI middleware for HTTP: answers 429 where an address has as many requests under way as it
    may (`GAUNTLET_REQUESTS_PER_ADDRESS`)."""

    def __init__(self, application: Any) -> None:
        self.application = application
        self.counted = Counted()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = address_of(scope)
        most: int = settings.GAUNTLET_REQUESTS_PER_ADDRESS
        if address is None or not most:
            await self.application(scope, receive, send)
            return
        name, times = (f"named {address}", NAMED_TIMES) if shows_an_account(scope) else (address, 1)
        if not self.counted.add(name, times * most):
            await _refuse_request(scope, send)
            return
        counts = True

        async def until_it_begins(message: Message) -> None:
            nonlocal counts
            if counts and message["type"] == "http.response.start":
                counts = False
                self.counted.remove(name)
            await send(message)

        try:
            await self.application(scope, receive, until_it_begins)
        finally:
            if counts:
                self.counted.remove(name)


async def _refuse_request(scope: Scope, send: Send) -> None:
    log.info("requests.crowded", path=scope["path"])
    said = {
        "title": title_of("request.crowded"),
        "status": 429,
        "code": "request.crowded",
        "sentence": CROWDED_REQUEST,
        "retry_after": REQUEST_AGAIN_S,
    }
    headers, content = answer_early(said, scope["path"], heading="Too many requests")
    headers.append((b"retry-after", b"%d" % REQUEST_AGAIN_S))
    await send({"type": "http.response.start", "status": 429, "headers": headers})
    await send({"type": "http.response.body", "body": content})


class SocketsByAddress:
    """ASGI middleware for sockets: closes with 4429 where an address, or an account, has as many
    open as it may (`GAUNTLET_SOCKETS_PER_ADDRESS`)."""

    def __init__(self, application: Any) -> None:
        self.application = application
        self.counted = Counted()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = address_of(scope)
        if address is None:
            await self.application(scope, receive, send)
            return
        named = shows_an_account(scope)
        name = f"named {address}" if named else address
        if not self._add(name, NAMED_TIMES if named else 1):
            await _refuse_socket(receive, send)
            return

        def belongs(account: int | None) -> bool:
            nonlocal name
            now = address if account is None else f"account {account}"
            if now != name:
                self.counted.remove(name)
                if not self._add(now):
                    name = ""
                    return False
                name = now
            return True

        scope = {**scope, BELONGS: belongs}
        try:
            await self.application(scope, receive, send)
        finally:
            if name:
                self.counted.remove(name)

    def _add(self, name: str, times: int = 1) -> bool:
        return self.counted.add(name, times * settings.GAUNTLET_SOCKETS_PER_ADDRESS)


async def _refuse_socket(receive: Receive, send: Send) -> None:
    log.info("sockets.crowded")
    await receive()
    await send({"type": "websocket.accept"})
    code, frame = crowded_frame()
    await send({"type": "websocket.send", "text": json.dumps(frame)})
    await send({"type": "websocket.close", "code": code})
    while (await receive())["type"] != "websocket.disconnect":
        pass  # what is sent all the same is not read
