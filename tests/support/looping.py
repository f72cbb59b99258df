"""An event loop in a thread of its own, with connections to the database of its own."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from django.db import connection

from core.on_loop import Connections
from core.prepared import Row
from tests.support.site import PATIENCE

T = TypeVar("T")


def close_connection() -> None:
    """Close the calling thread's connection to the database."""
    connection.close()


class LoopSide:
    """The loop, its `database`, how often that was `lost`, and a thread for what the loop does not
    do."""

    def __init__(self, at_most: int = 1) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.threads = ThreadPoolExecutor(1)
        self.lost = 0
        self.database = self.run(self._connections(at_most))

    async def _connections(self, at_most: int) -> Connections:
        return Connections(at_most, self.threads.submit, self._count)

    def _count(self) -> None:
        self.lost += 1

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Have the loop do it, and wait."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)

    def call(self, call: Callable[[], T]) -> T:
        """Have the loop make a call, and wait."""

        async def calling() -> T:
            return call()

        return self.run(calling())

    async def execute(self, sql: str, *parameters: str | None) -> list[Row] | None:
        """The rows of a statement, sent as soon as a connection is free."""
        answer: asyncio.Future[list[Row] | None] = self.loop.create_future()
        while not self.database.execute(  # noqa: ASYNC110  (nobody tells)
            sql, parameters, answer.set_result
        ):
            await asyncio.sleep(0.01)
        return await answer

    def ask(self, sql: str, *parameters: str | None) -> list[Row] | None:
        """The same, from outside of the loop."""
        return self.run(self.execute(sql, *parameters))

    def settle(self) -> None:
        """Wait until threads have done what the loop has left to them."""
        self.call(lambda: None)
        self.threads.submit(lambda: None).result(PATIENCE)

    def until(self, condition: Callable[[], Any]) -> None:
        """Wait for something that the loop does by itself."""
        end = time.monotonic() + PATIENCE
        while not self.call(condition):
            assert time.monotonic() < end
            time.sleep(0.01)

    def close(self) -> None:
        """Leave nothing behind."""
        self.call(self.database.close)
        self.settle()
        self.threads.submit(close_connection).result(PATIENCE)
        self.threads.shutdown()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE)
        self.loop.close()
