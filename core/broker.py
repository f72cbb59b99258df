"""Redis, for those who cannot wait for it: clients that stop asking a server that does not answer.

One that is dead says so at once. One that hangs takes every connection and says nothing: each who
asks it waits, and soon all threads do. So what has not been answered in time is given up, and from
then on nobody here asks (`AwayError`), but for a thread of its own that looks whether the server is
back. What is lost meanwhile is what `docs/architecture.md` says: nothing of a match.

Servers that stand at different addresses fail by themselves: each place has a breaker of its own,
whichever of its databases is asked. Behind Sentinel it is the primary, whichever server that is at
the moment; a cluster counts as one place, whose every part must answer.
"""

from __future__ import annotations

import asyncio
import os
import re
import threading
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, TypeVar, cast

import redis
import redis.asyncio as aioredis
import redis.asyncio.cluster as clusters_on_loop
import redis.client
import redis.cluster as clusters
import structlog
from django.conf import settings
from redis.asyncio.client import Pipeline as AsyncPipeline
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.exceptions import ClusterDownError, MaxConnectionsError, RedisClusterException
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from core.pools import pool, pool_on_loop
from core.redis_addresses import Address, Form, address_of

log = structlog.get_logger("gauntlet.redis")

R = TypeVar("R")

# How often it is looked whether a server that does not answer is back, and how long one look waits.
LOOK_EVERY_S: Final = 0.25
LOOK_S: Final = 0.5
# How many keys are looked through, or deleted, at a time.
KEYS_AT_ONCE: Final = 1000
# An event loop counts its patience in parts, and only those in which it was itself in time.
PARTS: Final = 4


class AwayError(RedisConnectionError):
    """Redis was not asked, since it has not answered lately."""


class Breaker:
    """Whether this process asks the servers at a place. ``looks`` asks them once, and says whether
    they have answered."""

    def __init__(self, looks: Callable[[], bool], place: str = "") -> None:
        self.looks = looks
        self.place = place
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
        log.warning("redis.away", at=self.place)
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
            while True:
                answered, began = self.answered, time.monotonic()
                await asyncio.wait((task,), timeout=part)
                if task.done():
                    break
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
            log.info("redis.back", at=self.place)

    def _look_on(self) -> None:
        while self.is_open and not self.looks():
            time.sleep(LOOK_EVERY_S)
        self.close()

    def _after_fork(self) -> None:
        # The thread that looks has stayed behind.
        self._lock = threading.Lock()
        self.is_open = False


def _looks(address: Address) -> bool:
    patience = {"socket_timeout": LOOK_S, "socket_connect_timeout": LOOK_S}
    try:
        if address.form is Form.CLUSTER:
            return _cluster_looks(address, patience)
        with redis.Redis.from_pool(pool(address, **patience)) as client:
            return bool(client.ping())
    except (redis.RedisError, RedisClusterException, OSError):
        return False


def _cluster_looks(address: Address, patience: dict[str, Any]) -> bool:
    """Whether every part of a cluster answers."""
    with clusters.RedisCluster(**_cluster_options(address, Retry, clusters), **patience) as client:
        return bool(client.ping(target_nodes=clusters.RedisCluster.PRIMARIES))


_BREAKERS: Final[dict[str, Breaker]] = {}


def breaker_of(url: str) -> Breaker:
    """The breaker of the servers at an address, one for all who ask them."""
    address = address_of(url)
    breaker = _BREAKERS.get(address.place)
    if breaker is None:
        # Whoever is first makes it for all.
        made = Breaker(partial(_looks, address), address.place)
        breaker = _BREAKERS.setdefault(address.place, made)
    return breaker


def ask_all_again() -> None:
    """Have everybody ask everywhere: for tests, and whoever has begun anew."""
    for breaker in tuple(_BREAKERS.values()):
        breaker.close()


def _after_fork() -> None:
    for breaker in _BREAKERS.values():
        breaker._after_fork()  # noqa: SLF001  (its own module)


os.register_at_fork(after_in_child=_after_fork)


# -- one server, or the primary behind Sentinel --------------------------------------------------


class _Pipeline(redis.client.Pipeline):
    breaker: Breaker

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        return self.breaker.ask(partial(super().execute, raise_on_error))


class Redis(redis.Redis):
    """A client for threads. Its pool says how long an answer is waited for (``socket_timeout``)."""

    breaker: Breaker

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Carry out one command. Raises AwayError, and the errors of Redis."""
        return self.breaker.ask(partial(super().execute_command, *args, **options))

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> _Pipeline:
        """Commands that go together; `execute` raises as `execute_command` does."""
        pipe = _Pipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)
        pipe.breaker = self.breaker
        return pipe


class _AsyncPipeline(AsyncPipeline):
    breaker: Breaker

    async def execute(self, raise_on_error: bool = True) -> list[Any]:
        return await self.breaker.ask_on_loop(partial(super().execute, raise_on_error))


class AsyncRedis(aioredis.Redis):
    """A client for event loops. Subscriptions are as those of any other client."""

    breaker: Breaker

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        """Carry out one command. Raises AwayError, and the errors of Redis."""
        return await self.breaker.ask_on_loop(partial(super().execute_command, *args, **options))

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> _AsyncPipeline:
        """Commands that go together; `execute` raises as `execute_command` does."""
        pipe = _AsyncPipeline(
            self.connection_pool, self.response_callbacks, transaction, shard_hint
        )
        pipe.breaker = self.breaker
        return pipe


# -- a cluster -----------------------------------------------------------------------------------


def _cluster_options(address: Address, retry: Any, module: Any) -> dict[str, Any]:
    # Once and no more: what has not answered is given up, and looked for by the breaker's thread.
    return {
        "startup_nodes": [module.ClusterNode(*host) for host in address.hosts],
        "retry": retry(NoBackoff(), 0),
        **address.options,
    }


def _as_away(error: Exception) -> RedisConnectionError:
    """That a cluster has no node to ask, or none that may answer, in the words of one server."""
    return RedisConnectionError(str(error))


class Cluster(clusters.RedisCluster):
    """The keys of a cluster, for threads: each command goes to where its key is. After a node has
    not answered the others are asked where everything is now."""

    def __init__(self, address: Address, breaker: Breaker, **options: Any) -> None:
        self.breaker = breaker
        super().__init__(**_cluster_options(address, Retry, clusters), **options)

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Carry out one command. Raises AwayError, and the errors of Redis."""
        return self._ask(partial(super().execute_command, *args, **options))

    def pipeline(self, transaction: Any = None, shard_hint: Any = None) -> Any:
        """Commands that are sent together, as far as one node has their keys, and are no
        transaction; `execute` raises as `execute_command` does."""
        pipe: Any = super().pipeline()  # type: ignore[no-untyped-call]
        # What has been moved, or not been answered, is asked once more, each by itself.
        pipe.parent_execute_command = self.execute_command
        pipe.execute = partial(self._ask, pipe.execute)
        return pipe

    def mget(self, keys: Any, *more: Any) -> Any:
        """What is kept under each of some keys, wherever they are."""
        return self.mget_nonatomic(keys, *more)

    def _ask(self, call: Callable[[], R]) -> R:
        return self.breaker.ask(partial(self._call, call))

    def _call(self, call: Callable[[], R]) -> R:
        try:
            return call()
        except (RedisClusterException, ClusterDownError) as error:
            raise _as_away(error) from error


class _AsyncClusterPipeline(clusters_on_loop.ClusterPipeline):
    async def execute(self, *args: Any, **options: Any) -> list[Any]:
        client: Any = self.cluster_client
        async with client.room:
            found: list[Any] = await client.ask(partial(super().execute, *args, **options))
            return found


class AsyncCluster(clusters_on_loop.RedisCluster):
    """The same for event loops. So many pipelines (``at_once``) are under way at a time, and others
    wait for their turn."""

    def __init__(self, address: Address, breaker: Breaker, *, at_once: int, **options: Any) -> None:
        self.breaker = breaker
        self.room = asyncio.Semaphore(at_once)
        super().__init__(**_cluster_options(address, AsyncRetry, clusters_on_loop), **options)

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        """Carry out one command. Raises AwayError, and the errors of Redis."""
        return await self.ask(partial(super().execute_command, *args, **options))

    def pipeline(self, transaction: Any = None, shard_hint: Any = None) -> _AsyncClusterPipeline:
        """Commands that are sent together, as far as one node has their keys, and are no
        transaction; `execute` raises as `execute_command` does."""
        return _AsyncClusterPipeline(self)  # type: ignore[abstract]  # says a stub, and is not so

    async def ask(self, call: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """What a call returns. Raises as `execute_command` does."""
        try:
            return await self.breaker.ask_on_loop(partial(self._call, call))
        except (RedisConnectionError, RedisTimeoutError):
            # Where everything is is asked anew by whoever comes next.
            await self.aclose()
            raise

    async def _call(self, call: Callable[[], Coroutine[Any, Any, R]]) -> R:
        try:
            return await call()
        except (RedisClusterException, ClusterDownError) as error:
            raise _as_away(error) from error


def forget(client: redis.Redis, prefix: str) -> None:
    """Delete every key that begins like this. Raises the errors of Redis."""
    pattern = re.sub(r"([*?\[\]\\])", r"\\\1", prefix) + "*"
    keys = list(client.scan_iter(match=pattern, count=KEYS_AT_ONCE))
    for first in range(0, len(keys), KEYS_AT_ONCE):
        client.delete(*keys[first : first + KEYS_AT_ONCE])


# -- making them ---------------------------------------------------------------------------------


def client(url: str = "", *, socket_timeout: float | None = None, **options: Any) -> Redis:
    """A client for threads of what is kept under keys, at an address or where the site keeps who is
    there: one whose answers are waited for as long as the settings say, or so many seconds. A
    cluster's has the same commands. Raises the errors of Redis where a cluster cannot be asked."""
    url = url or settings.GAUNTLET_REDIS_ADDRESS
    address, breaker = address_of(url), breaker_of(url)
    options = {**_waiting(socket_timeout), **options}
    if address.form is not Form.CLUSTER:
        return _with(breaker, Redis(connection_pool=pool(address, **options)))

    def made() -> Cluster:
        try:
            return Cluster(address, breaker, **options)
        except RedisClusterException as error:
            raise _as_away(error) from error

    return cast("Redis", breaker.ask(made))


def client_on_loop(*, at_once: int, socket_timeout: float, timeout: float = 20) -> AsyncRedis:
    """The same for an event loop, which asks so many things ``at_once`` and lets others wait, for
    ``timeout`` seconds at most."""
    url = settings.GAUNTLET_REDIS_ADDRESS
    address, breaker = address_of(url), breaker_of(url)
    if address.form is Form.CLUSTER:
        found = AsyncCluster(address, breaker, at_once=at_once, **_waiting(socket_timeout))
        return cast("AsyncRedis", found)
    own = pool_on_loop(
        address, max_connections=at_once, timeout=timeout, **_waiting(socket_timeout)
    )
    return _with(breaker, AsyncRedis(connection_pool=own))


def publisher(url: str, *, socket_timeout: float | None = None, **options: Any) -> Redis:
    """A client for threads by which something is published: in a cluster by one of its nodes."""
    own = pool(address_of(url), of=settings.REDIS_PREFIX, **_waiting(socket_timeout), **options)
    return _with(breaker_of(url), Redis(connection_pool=own))


def publisher_on_loop(url: str, *, socket_timeout: float, **options: Any) -> AsyncRedis:
    """The same for an event loop; by it one can subscribe as well."""
    own = pool_on_loop(
        address_of(url), of=settings.REDIS_PREFIX, **_waiting(socket_timeout), **options
    )
    return _with(breaker_of(url), AsyncRedis(connection_pool=own))


C = TypeVar("C", Redis, AsyncRedis)


def _with(breaker: Breaker, found: C) -> C:
    found.breaker = breaker
    return found


def _waiting(seconds: float | None) -> dict[str, Any]:
    patience = seconds or settings.GAUNTLET_REDIS_PATIENCE_MS / 1000
    return {"socket_timeout": patience, "socket_connect_timeout": patience}
