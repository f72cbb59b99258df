"""When requests came in, and which of them are submissions that others must wait for.

A request counts by the instant at which all of it was there. Whoever is asked for that later, in a
thread that may have had to wait, finds it in the request's scope (`core.instants`): it is the
server's own, whatever a client says. That the headers had come is not enough, for a body can be
sent as late as one likes.
"""

from __future__ import annotations

import re
from typing import Any, Final

from config.shutdown import Message, Receive, Scope, Send
from core.instants import RECEIVED, reading
from games.intake import INTAKE, Ticket

SUBMISSIONS: Final = re.compile(r"/api/v1/matches/([0-9]{1,18})/submissions/?")
_CREDENTIALS: Final = frozenset({b"authorization", b"cookie"})


class Instants:
    """ASGI middleware for HTTP: notes when each request was there, and that of a submission until
    it is answered (`games.intake`)."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match_id = submitted_to(scope)
        scope = {**scope}
        ticket: Ticket | None = None

        async def noting() -> Message:
            nonlocal ticket
            message = await receive()
            if message["type"] == "http.request" and not message.get("more_body", False):
                if match_id is not None and ticket is None:
                    ticket = INTAKE.take(match_id)
                scope.setdefault(RECEIVED, reading() if ticket is None else ticket.reading)
            return message

        try:
            await self.application(scope, noting, send)
        finally:
            if ticket is not None:
                ticket.done()


def submitted_to(scope: Scope) -> int | None:
    """To which match a request may be a submission, by somebody who shows who they are; None where
    it is none."""
    if scope["method"] != "POST":
        return None
    found = SUBMISSIONS.fullmatch(scope["path"])
    if found is None or not any(name in _CREDENTIALS for name, _ in scope["headers"]):
        return None
    return int(found[1])
