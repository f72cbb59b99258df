"""Redis, for those who cannot wait for it: clients that stop asking a server that does not answer.

One that is dead says so at once. One that hangs takes every connection and says nothing: each who
asks it waits, and soon all threads do. So what has not been answered in time is given up, and from
then on nobody here asks (`AwayError`), but for a thread of its own that looks whether the server is
back. What is lost meanwhile is what `docs/architecture.md` says: nothing of a match.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, TypeVar

import redis
import redis.asyncio as aioredis
import redis.client
import structlog
from django.conf import settings
from redis.asyncio.client import Pipeline as AsyncPipeline
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import MaxConnectionsError
from redis.exceptions import TimeoutError as RedisTimeoutError

log = structlog.get_logger("gauntlet.redis")

R = TypeVar("R")

# How often it is looked whether a server that does not answer is back, and how long one look waits.
LOOK_EVERY_S: Final = 0.25
LOOK_S: Final = 0.5
# An event loop counts its patience in parts, and only those in which it was itself in time.
PARTS: Final = 4


class AwayError(RedisConnectionError):
    """Redis was not asked, since it has not answered lately."""


class Breaker:
    """Whether this process asks Redis. ``looks`` asks it once, and says whether it has answered."""

    def __init__(self, looks: Callable[[], bool]) -> None:
        self.looks = looks
        self.is_open = False
        # How much has been answered: whoever waits sees whether anybody is.
        self.answered = 0
        self._lock = threading.Lock()

    def must_answer(self) -> None:
        """Raises AwayError where Redis has not answered lately."""
        if self.is_open:
            raise AwayError("Redis has not answered lately.")

    def trip(self) -> None:
        """Have nobody ask any more, until Redis has answered the thread that looks."""
        with self._lock:
            if self.is_open:
                return
            self.is_open = True
        log.warning("redis.away")
        threading.Thread(target=self._look_on, name="gauntlet-redis-look", daemon=True).start()

    def trip_for(self, error: BaseException) -> None:
        """The same, where ``error`` says that Redis has not answered: not where it has answered
        with an error, and where it was not even asked."""
        silent = isinstance(error, RedisConnectionError | RedisTimeoutError | OSError)
        if silent and not isinstance(error, AwayError | MaxConnectionsError):
            self.trip()

    def ask(self, call: Callable[[], R]) -> R:
        """What a call to Redis returns. Raises AwayError, and whatever it raises."""
        self.must_answer()
        try:
            answer = call()
        except redis.RedisError as error:
            self.trip_for(error)
            raise
        self.answered += 1
        return answer

    async def ask_on_loop(self, call: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """The same of a coroutine. It is given up where nobody here has been answered for as long
        as the settings say: while others are, it waits in a row, and while this loop is late, it
        may be the loop that has not looked."""
        self.must_answer()
        task = asyncio.ensure_future(call())
        part = settings.GAUNTLET_REDIS_PATIENCE_MS / 1000 / PARTS
        silent = 0
        try:
            while not task.done():
                answered, began = self.answered, time.monotonic()
                await asyncio.wait((task,), timeout=part)
                if task.done():
                    break
                self.must_answer()
                if self.answered != answered:
                    silent = 0
                elif time.monotonic() - began < 2 * part:
                    silent += 1
                if silent >= PARTS:
                    self.trip()
                    self.must_answer()
            answer = task.result()
        except redis.RedisError as error:
            self.trip_for(error)
            raise
        finally:
            task.cancel()
        self.answered += 1
        return answer

    def close(self) -> None:
        """Have everybody ask again: Redis has answered somebody."""
        if self.is_open:
            self.is_open = False
            log.info("redis.back")

    def _look_on(self) -> None:
        while self.is_open and not self.looks():
            time.sleep(LOOK_EVERY_S)
        self.close()

    def _after_fork(self) -> None:
        # The thread that looks has stayed behind.
        self._lock = threading.Lock()
        self.is_open = False


def _looks() -> bool:
    try:
        with redis.Redis.from_url(
            settings.GAUNTLET_REDIS_ADDRESS, socket_timeout=LOOK_S, socket_connect_timeout=LOOK_S
        ) as client:
            return bool(client.ping())
    except (redis.RedisError, OSError):
        return False


BREAKER: Final = Breaker(_looks)
os.register_at_fork(after_in_child=BREAKER._after_fork)  # noqa: SLF001  (its own module)


class _Pipeline(redis.client.Pipeline):
    def execute(self, raise_on_error: bool = True) -> list[Any]:
        return BREAKER.ask(partial(super().execute, raise_on_error))


class Redis(redis.Redis):
    """A client for threads. Its pool says how long an answer is waited for (``socket_timeout``)."""

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Carry out one command. Raises AwayError, and the errors of Redis."""
        return BREAKER.ask(partial(super().execute_command, *args, **options))

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> _Pipeline:
        """Commands that go together; `execute` raises as `execute_command` does."""
        return _Pipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)


class _AsyncPipeline(AsyncPipeline):
    async def execute(self, raise_on_error: bool = True) -> list[Any]:
        return await BREAKER.ask_on_loop(partial(super().execute, raise_on_error))


class AsyncRedis(aioredis.Redis):
    """A client for event loops. Subscriptions are as those of any other client."""

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        """Carry out one command. Raises AwayError, and the errors of Redis."""
        return await BREAKER.ask_on_loop(partial(super().execute_command, *args, **options))

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> _AsyncPipeline:
        """Commands that go together; `execute` raises as `execute_command` does."""
        return _AsyncPipeline(
            self.connection_pool, self.response_callbacks, transaction, shard_hint
        )


def client(*, socket_timeout: float | None = None, **options: Any) -> Redis:
    """A client of the server that the channel layer is on, for threads: one whose answers are
    waited for as long as the settings say, or so many seconds."""
    patience = socket_timeout or settings.GAUNTLET_REDIS_PATIENCE_MS / 1000
    options = {"socket_timeout": patience, "socket_connect_timeout": patience, **options}
    pool = redis.ConnectionPool.from_url(settings.GAUNTLET_REDIS_ADDRESS, **options)
    return Redis(connection_pool=pool)
