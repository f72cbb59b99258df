"""A frame that meets the other side's close."""

from functools import partial
from types import SimpleNamespace
from typing import Any

from autobahn.exception import Disconnected

from config.sockets import DaphneSockets


async def test_a_consumer_lives_to_hear_of_the_disconnect() -> None:
    sent: list[str] = []
    heard: list[str] = []

    async def handle_reply(protocol: SimpleNamespace, message: Any) -> None:
        if protocol.closing:
            raise Disconnected("Attempt to send on a closed protocol")
        sent.append(message["type"])

    async def receive() -> dict[str, str]:
        return {"type": "websocket.disconnect"}

    async def consumer(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})
        protocol.closing = True
        await send({"type": "websocket.send"})
        heard.append((await receive())["type"])

    protocol = SimpleNamespace(closing=False, transport=None)
    application = DaphneSockets(consumer)
    await application({"type": "websocket"}, receive, partial(handle_reply, protocol))
    assert sent == ["websocket.accept"]
    assert heard == ["websocket.disconnect"]
