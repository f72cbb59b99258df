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
from tournaments.discord.arriving import BODY_MOST, PATH, mover_of

SUBMISSIONS: Final = re.compile(r"/api/v1/matches/([0-9]{1,18})/submissions/?")
_CREDENTIALS: Final = frozenset({b"authorization", b"cookie"})


class Instants:
    """ASGI middleware for HTTP: notes when each request was there, and that of a submission until
    it is answered (`games.intake`)."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match_id = submitted_to(scope)
        told = bytearray() if is_discords(scope) else None
        scope = {**scope}
        ticket: Ticket | None = None

        async def noting() -> Message:
            nonlocal ticket
            message = await receive()
            if message["type"] != "http.request":
                return message
            if told is not None and len(told) <= BODY_MOST:
                told.extend(message.get("body", b""))
            if not message.get("more_body", False) and RECEIVED not in scope:
                if match_id is not None:
                    ticket = INTAKE.take(match_id)
                elif told is not None:
                    ticket = _ticket_of_mover(scope, bytes(told))
                scope[RECEIVED] = reading() if ticket is None else ticket.reading
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


def is_discords(scope: Scope) -> bool:
    """Whether a request may be what somebody does in Discord."""
    return bool(scope["method"] == "POST" and scope["path"] == PATH)


def _ticket_of_mover(scope: Scope, body: bytes) -> Ticket | None:
    """A ticket for whoever moves by a command. Which match it is only the database knows; that
    Discord has signed it shows at once, and nobody else holds anything up."""
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    person = mover_of(body, headers)
    return INTAKE.take_of(person) if person else None
