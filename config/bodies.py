"""How much of a request's body is taken, from whom, and what is answered to more than that.

Whoever shows no sign of an account sends little, and views that take files say how much; of whoever
wants to send that much it is asked first whether they are signed in (`core.sizes`). A server that
hands a body on piece by piece is held to that by `LimitedBodies`; Daphne keeps it all before it
hands anything on, so its requests are held to it in `config.door`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from html import escape
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import DatabaseError, connection
from django.http.cookie import parse_cookie
from redis.exceptions import RedisError

from config.shutdown import Application, Message, Receive, Scope, Send
from core.sizes import KIB, OF_ANYBODY, OF_NOBODY, most_at

log = structlog.get_logger("gauntlet.bodies")

# Seconds in which what is still under way is thrown away. A connection that is closed at once would
# take the answer with it.
LINGER: Final = 2.0


def is_signed_in(cookies: str) -> bool:
    """Whether the session that a browser shows is somebody's. Asks the database."""
    # This is imported before the app registry is there.
    from accounts.connections.validity import user_of_session  # noqa: PLC0415

    key = parse_cookie(cookies).get(settings.SESSION_COOKIE_NAME, "")
    if not key or "\0" in key:
        return False
    try:
        return user_of_session(key) is not None
    except (DatabaseError, RedisError):
        return False
    finally:
        connection.close()


def most_of_anybody(authorization: str, cookies: str) -> int:
    """How many bytes are taken without a question, by what comes along: as many as of anybody who
    shows something."""
    shows = bool(authorization) or f"{settings.SESSION_COOKIE_NAME}=" in cookies
    return OF_ANYBODY if shows else OF_NOBODY


def answer_to_more_than(most: int, path: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """The headers and the content of the 413 for a body of over ``most`` bytes."""
    sentence = f"This request is too large: at most {most // KIB} KiB are taken here."
    said = {"title": sentence, "status": 413, "code": "request.too-large", "sentence": sentence}
    headers, content = answer_early(said, path, heading="Too large")
    return [*headers, (b"connection", b"close")], content


def answer_early(
    said: Mapping[str, Any], path: str, *, heading: str
) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """The headers and the content of an answer that is given before Django hears of the request:
    a problem document where it is one to the API, and a page with a heading everywhere else."""
    if path.startswith("/api/"):
        kind = b"application/problem+json"
        content = json.dumps(said).encode()
    else:
        kind = b"text/html; charset=utf-8"
        content = (
            '<!doctype html><html lang="en-GB"><meta charset="utf-8">'
            f"<title>{escape(heading)}</title><h1>{escape(heading)}</h1>"
            f"<p>{escape(said['sentence'])} <code>{escape(said['code'])}</code></p></html>"
        ).encode()
    headers = [
        (b"content-type", kind),
        (b"content-length", b"%d" % len(content)),
        (b"cache-control", b"no-store"),
        (b"access-control-allow-origin", b"*"),
        (b"x-content-type-options", b"nosniff"),
    ]
    return headers, content


class LimitedBodies:
    """ASGI middleware for HTTP: stops reading a body that is too large, announced or not, and
    answers 413. The application is told that its client has gone."""

    def __init__(self, application: Application, ask: Callable[[str], bool] = is_signed_in) -> None:
        self.application = application
        self.ask = ask

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            headers[name] = headers[name] + b"; " + value if name in headers else value
        if b"content-length" not in headers and b"transfer-encoding" not in headers:
            await self.application(scope, receive, send)  # nothing follows
            return
        body = _Body(scope["path"], headers, receive, self.ask)
        begun = False

        async def send_unless_refused(message: Message) -> None:
            nonlocal begun
            if not body.refused:
                begun = True
                await send(message)

        if await body.may_have(int(headers.get(b"content-length", b"0"))):
            await self.application(scope, body.receive, send_unless_refused)
        if body.refused and not begun:
            await _refuse(body, receive, send)


class _Body:
    """The body of one request, as far as it may be read."""

    def __init__(
        self,
        path: str,
        headers: dict[bytes, bytes],
        receive: Receive,
        ask: Callable[[str], bool],
    ) -> None:
        self.path = path
        self.cookies = headers.get(b"cookie", b"").decode("latin-1")
        authorization = headers.get(b"authorization", b"").decode("latin-1")
        self.most = most_of_anybody(authorization, self.cookies)
        self.asked = self.refused = False
        self._receive = receive
        self._ask = ask
        self._took = 0

    async def receive(self) -> Message:
        """The next piece, or that the client has gone where that is one too many."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._took += len(message.get("body", b""))
            if not await self.may_have(self._took):
                return {"type": "http.disconnect"}
        return message

    async def may_have(self, size: int) -> bool:
        """Whether so many bytes are taken. May wait for the database; nothing is read meanwhile."""
        if self.refused or size <= self.most:
            return not self.refused
        if self.most > OF_NOBODY:
            most = most_at(self.path)
            if size > most:
                self.most = most
            elif not self.asked:
                self.asked = True
                if await asyncio.to_thread(self._ask, self.cookies):
                    self.most = most
                    return True
        self.refused = True
        return False


async def _refuse(body: _Body, receive: Receive, send: Send) -> None:
    log.info("body.too-large", path=body.path, most=body.most)
    headers, content = answer_to_more_than(body.most, body.path)
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": content, "more_body": True})
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            while (await receive()).get("more_body", False):
                pass
    await send({"type": "http.response.body", "body": b""})
