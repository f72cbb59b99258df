"""A small ASGI application for tests of shutting down: echoing sockets, slow pages."""

import asyncio
import sys
from typing import Any

from config.lifespan import Lifespan
from config.shutdown import GracefulShutdown


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Echo text frames; print a line for each HTTP request, and answer it after a second."""
    if scope["type"] == "http":
        await receive()
        sys.stdout.write("asked\n")
        sys.stdout.flush()
        await asyncio.sleep(1)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"done"})
        return
    while True:
        message = await receive()
        if message["type"] == "websocket.connect":
            await send({"type": "websocket.accept"})
        elif message["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})
        else:
            return


graceful = GracefulShutdown(echo)
graceful.install()
application = Lifespan(graceful, lambda answers: answers())
