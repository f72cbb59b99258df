"""What a server process does from its first moment to its last: its sign of life, and what all its
connections share.

The sign is written as long as the loop of the server does what it is asked: one whose loop stands
still serves nobody, however alive its threads are. Daphne says nothing when it begins, so its
reactor is asked; other servers have ASGI's lifespan protocol for that.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from config.shutdown import Application, Receive, Scope, Send, when_daphne_runs

# Returns once the server's loop has done what it was asked.
Answers = Callable[[], None]


class Lifespan:
    """ASGI middleware, outermost: when the server begins, before the first request, calls ``begin``
    with what it can ask whether the server's loop still answers; and ``open_up`` on that loop, as
    soon as it runs."""

    def __init__(
        self,
        application: Application,
        begin: Callable[[Answers], None],
        open_up: Callable[[], None],
    ) -> None:
        self.application = application
        self.begin = begin
        self.open_up = open_up

    def install(self) -> None:
        """Begin with Daphne, if it is Daphne that runs here."""
        when_daphne_runs(self._begin_with)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self.application(scope, receive, send)
            return
        await receive()
        ask = asyncio.get_running_loop().call_soon_threadsafe
        await asyncio.to_thread(self.begin, partial(_wait_for, ask))
        self.open_up()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})

    def _begin_with(self, reactor: Any) -> None:
        self.begin(partial(_wait_for, reactor.callFromThread))
        # The loop itself is only about to begin.
        reactor.callFromThread(self.open_up)


def _wait_for(ask: Callable[[Callable[[], None]], Any]) -> None:
    answered = threading.Event()
    try:
        ask(answered.set)
    except RuntimeError:
        raise SystemExit from None  # the loop is closed: only this thread is left to end
    answered.wait()
