"""A small ASGI application for tests of shutting down: echoing sockets, slow pages."""

import asyncio
import sys
import threading
from typing import Any

from config.lifespan import Answers, Lifespan
from config.shutdown import GracefulShutdown


def tell(what: str) -> None:
    """Print a line for whoever started this."""
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Echo text frames; print a line for each HTTP request, and answer it after a second."""
    if scope["type"] == "http":
        await receive()
        tell("asked")
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


def open_up() -> None:
    """Say that the loop runs, which is asked by what is called on it."""
    asyncio.get_running_loop()
    tell("opened")


async def end() -> None:
    """Say that this is the end, a moment later."""
    await asyncio.sleep(0.1)
    tell("ended")


def begin(answers: Answers) -> None:
    """Ask the loop, as the heartbeat does: in a thread, for Daphne's is yet to run."""
    threading.Thread(target=answers).start()


graceful.at_end.append(end)
application = Lifespan(graceful, begin, open_up)
application.install()
