"""Which request it was: an id that is in every line which is logged on its account, in this process
and in the workers that it hands something to, and in a header of the answer.

A proxy that the settings trust may have given it one already (`X-Request-ID`), for its own lines;
from anybody else it is not taken, since they could pass theirs for another's.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from typing import Final

from django.conf import settings
from structlog.contextvars import bound_contextvars

from config.shutdown import Application, Message, Receive, Scope, Send

HEADER: Final = b"x-request-id"
WELL_FORMED: Final = re.compile(rb"[A-Za-z0-9._-]{8,64}")


def new_id() -> str:
    """One that nobody has had."""
    return secrets.token_hex(8)


def id_of(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The id that a trusted proxy has given a request, or a new one."""
    if settings.REST_FRAMEWORK["NUM_PROXIES"]:
        given = [value for name, value in headers if name == HEADER]
        if len(given) == 1 and WELL_FORMED.fullmatch(given[0]):
            return given[0].decode()
    return new_id()


class Identified:
    """ASGI middleware: every line that is logged on account of a request, or of a socket, has its
    id, and so has the answer."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = id_of(scope["headers"])
        shown = (HEADER, name.encode())

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), shown]}
            await send(message)

        with bound_contextvars(request=name):
            await self.application(
                scope, receive, send_with_id if scope["type"] == "http" else send
            )
