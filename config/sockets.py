"""What ASGI does not say about a socket, and Daphne would not do by itself.

Neither of them holds a sender back: what a client does not read piles up in this process. A
client's own word for what it has read is worth something only while it is honest, so sockets may
ask the transport itself. And a message that breaks the protocol, or Daphne's limit on its size,
ends the connection with a close code rather than without a word.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import quote, unquote

from autobahn.exception import Disconnected

from config.logs import masked

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class DaphneSockets:
    """ASGI middleware, outermost: puts four functions into the scope of each socket. `unsent`
    returns how many bytes wait in this process for the client to take them, and `gone` whether the
    client has left, which a socket that waits for something would else learn only afterwards.
    `write` sends a text, as UTF-8, at once and without waiting, which saves each frame its way
    through all that stands between; it sends nothing to a socket that is closing. `heed` has a
    function see each text the moment it has come, however much still waits before it. And has the
    server's access log, where there is one, tell of addresses what our own lines tell. Does nothing
    under other servers than Daphne."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if isinstance(send, partial):
            # Before the first line can be written: that is when an answer is complete.
            _mask_access_log(getattr(send.func, "__self__", None))
        if scope["type"] == "websocket" and isinstance(send, partial):
            # Daphne's `send` is its server's method with the connection's protocol filled in.
            (protocol,) = send.args
            protocol.failByDrop = False
            scope = {
                **scope,
                "unsent": partial(_unsent_bytes, protocol),
                "gone": partial(_is_gone, protocol),
            }
            if hasattr(protocol, "send_text"):  # config.wire's
                scope["write"] = protocol.send_text
                scope["heed"] = protocol.heed
                receive = partial(_receive, receive, protocol.took)
            send = partial(_send_if_open, send)
        await self.application(scope, receive, send)


class MaskedAccessLog:
    """Daphne's access log, with neither query strings nor keys in it."""

    def __init__(self, write: Callable[[str, str, dict[str, Any]], None]) -> None:
        self.write = write

    def __call__(self, protocol: str, action: str, details: dict[str, Any]) -> None:
        path = str(details["path"]).partition("?")[0]
        readable = unquote(path)
        if masked(readable) != readable:
            path = quote(masked(readable), safe="/:[]")
        self.write(protocol, action, {**details, "path": path})


def _mask_access_log(server: Any) -> None:
    log = getattr(server, "action_logger", None)
    if log is not None and not isinstance(log, MaskedAccessLog):
        server.action_logger = MaskedAccessLog(log)


async def _receive(receive: Receive, took: Callable[[], None]) -> Message:
    """Receive, and say so: while much waits to be received, nothing more is read."""
    message = await receive()
    took()
    return message


async def _send_if_open(send: Send, message: Message) -> None:
    """Send, unless the connection is closing already.

    A frame can meet the other side's close, and Daphne then raises inside the consumer, which would
    end it before it hears of the disconnect and can leave its groups.
    """
    with suppress(Disconnected):
        await send(message)


def _is_gone(protocol: Any) -> bool:
    return protocol.state not in {protocol.STATE_CONNECTING, protocol.STATE_OPEN}


def _unsent_bytes(protocol: Any) -> int:
    transport = protocol.transport
    if transport is None:  # closed meanwhile
        return 0
    # Twisted has no public word for it; a test with a client that never reads holds on to these.
    fresh: int = transport._tempDataLen  # noqa: SLF001
    waiting: int = len(transport.dataBuffer) - transport.offset + fresh
    return waiting
