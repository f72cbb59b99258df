"""Pools of connections to Redis, by address: nothing else knows where a server is to be found.

Behind Sentinel, whoever connects asks a Sentinel first which server is the primary, and so does
who connects anew after a failover. In a cluster, keys are where `redis` finds them by itself; for
what is published, one node is enough, since each takes it to all others. All of a site take the
same, the one that has the slot of the site's name: so what one process says and another hears goes
by one server, in the order in which it was said, as it does without a cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import redis
import redis.asyncio as aioredis
import redis.asyncio.connection as on_loop
import redis.asyncio.sentinel as sentinel_on_loop
import redis.connection as in_thread
import redis.sentinel as sentinel_in_thread
from redis.crc import key_slot
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from core.redis_addresses import Address, Form

# How long one node is asked where a slot is, where whoever asks has not said otherwise.
ASK_NODE_S: Final = 3.0
_SLOTS: Final = "CLUSTER SLOTS"


def pool(address: Address, **options: Any) -> redis.ConnectionPool:
    """Connections for threads, to the one server that `address` leads to: the only one, the
    primary, or the node for what is published under the name ``of``."""
    made: redis.ConnectionPool = _pool(_IN_THREADS, address, options)
    return made


def pool_on_loop(address: Address, **options: Any) -> aioredis.BlockingConnectionPool:
    """The same for an event loop. It lets wait for a connection: where hundreds come or go at the
    same moment, one for each costs more than what is asked of it, and the usual pool fails when it
    has no more."""
    made: aioredis.BlockingConnectionPool = _pool(_ON_LOOP, address, options)
    return made


def node_options(address: Address, name: str) -> dict[str, Any]:
    """What makes a pool for an event loop connect to the node of a cluster that has the slot of a
    name."""
    return _node_options(_ON_LOOP, address, name)


def _pool(classes: _Classes, address: Address, options: dict[str, Any]) -> Any:
    name = options.pop("of", "")
    if address.form is Form.SENTINEL:
        found = classes.sentinel(
            address.hosts, sentinel_kwargs={**address.sentinel_options, **_patience(options)}
        )
        return classes.sentinel_pool(address.service, found, **address.options, **options)
    if address.form is Form.CLUSTER:
        return classes.pool(**_node_options(classes, address, name), **options)
    return classes.pool.from_url(str(address), **options)


def _node_options(classes: _Classes, address: Address, name: str) -> dict[str, Any]:
    options = address.options
    kind = classes.node_by_tls if options.pop("ssl", False) else classes.node
    return {"connection_class": kind, "cluster": address, "slot": slot_of(name), **options}


def slot_of(name: str) -> int:
    """The slot of a key in a cluster."""
    return int(key_slot(name.encode()))


def _patience(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name.endswith("_timeout") and value}


class _SentinelPool(sentinel_in_thread.SentinelConnectionPool):
    """With its own connections go those to the Sentinels."""

    def disconnect(self, inuse_connections: bool = True) -> None:
        super().disconnect(inuse_connections)
        if inuse_connections:
            self.sentinel_manager.close()


class _LoopSentinelPool(
    sentinel_on_loop.SentinelConnectionPool,
    aioredis.BlockingConnectionPool,
):
    """The same, which lets wait for a connection."""

    async def disconnect(self, inuse_connections: bool = True) -> None:
        await super().disconnect(inuse_connections)
        if inuse_connections:
            await self.sentinel_manager.aclose()


# -- one node of a cluster -----------------------------------------------------------------------


def _owner(slots: Any, slot: int, asked: tuple[str, int]) -> tuple[str, int] | None:
    """Which node has a slot, by what ``asked`` has said of all of them."""
    for first, last, (host, port, *_), *_ in slots:
        if first <= slot <= last:
            # A node that does not know its own name leaves it out.
            return (host.decode() if host else "") or asked[0], int(port)
    return None


class _Lookup:
    """Where a slot is, as the nodes of a cluster say; whoever has answered is asked first."""

    def __init__(self, cluster: Address, slot: int, options: dict[str, Any]) -> None:
        self.cluster = cluster
        self.slot = slot
        self.first: tuple[str, int] | None = None
        self.options: dict[str, Any] = {
            "socket_timeout": ASK_NODE_S,
            "socket_connect_timeout": ASK_NODE_S,
            **_patience(options),
        }

    @property
    def hosts(self) -> Iterator[tuple[str, int]]:
        """Whom to ask, one after the other."""
        first = self.first
        if first is not None:
            yield first
        for host in self.cluster.hosts:
            if host != first:
                yield host

    def client(self, host: tuple[str, int]) -> redis.Redis:
        return redis.Redis.from_url(self.cluster.of_one(*host), **self.options)

    def client_on_loop(self, host: tuple[str, int]) -> aioredis.Redis:
        return aioredis.Redis.from_url(self.cluster.of_one(*host), **self.options)

    def failed(self, errors: list[BaseException]) -> RedisConnectionError:
        said = "; ".join(type(error).__name__ for error in errors) or "it is nobody's"
        return RedisConnectionError(f"No node says where slot {self.slot} is: {said}")

    def find(self) -> tuple[str, int]:
        """The node that has the slot. Raises ConnectionError."""
        errors: list[BaseException] = []
        for host in self.hosts:
            try:
                with self.client(host) as client:
                    found = _owner(client.execute_command(_SLOTS), self.slot, host)
            except (RedisError, OSError) as error:
                errors.append(error)
                continue
            if found is not None:
                self.first = host
                return found
        raise self.failed(errors)

    async def find_on_loop(self) -> tuple[str, int]:
        """The same, on an event loop."""
        errors: list[BaseException] = []
        for host in self.hosts:
            try:
                async with self.client_on_loop(host) as client:
                    found = _owner(await client.execute_command(_SLOTS), self.slot, host)
            except (RedisError, OSError) as error:
                errors.append(error)
                continue
            if found is not None:
                self.first = host
                return found
        raise self.failed(errors)


class NodeConnection(in_thread.Connection):
    """A connection, for threads, to the node of a cluster that has a slot: looked up each time that
    it is made."""

    def __init__(self, *, cluster: Address, slot: int, **options: Any) -> None:
        self.lookup = _Lookup(cluster, slot, options)
        super().__init__(**options)  # type: ignore[no-untyped-call]

    def _connect(self) -> Any:
        self.host, self.port = self.lookup.find()
        return super()._connect()  # type: ignore[no-untyped-call]


class NodeSSLConnection(NodeConnection, in_thread.SSLConnection):
    """The same by TLS."""


class LoopNodeConnection(on_loop.Connection):
    """The same for an event loop."""

    def __init__(self, *, cluster: Address, slot: int, **options: Any) -> None:
        self.lookup = _Lookup(cluster, slot, options)
        super().__init__(**options)

    async def _connect(self) -> None:
        self.host, self.port = await self.lookup.find_on_loop()
        await super()._connect()  # type: ignore[no-untyped-call]


class LoopNodeSSL(LoopNodeConnection, on_loop.SSLConnection):
    """The same by TLS."""


# -- for threads, and for event loops ------------------------------------------------------------


class _Classes(NamedTuple):
    """What a pool is made of: the library has everything twice."""

    pool: Any
    sentinel: Any
    sentinel_pool: Any
    node: Any
    node_by_tls: Any


_IN_THREADS: Final = _Classes(
    redis.ConnectionPool, sentinel_in_thread.Sentinel, _SentinelPool,
    NodeConnection, NodeSSLConnection,
)  # fmt: skip
_ON_LOOP: Final = _Classes(
    aioredis.BlockingConnectionPool, sentinel_on_loop.Sentinel, _LoopSentinelPool,
    LoopNodeConnection, LoopNodeSSL,
)  # fmt: skip
