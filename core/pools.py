"""Pools of connections to Redis, by address: nothing else knows where a server is to be found.

Behind Sentinel, whoever connects asks a Sentinel first which server is the primary, and so does
who connects anew after a failover. In a cluster, keys are where `redis` finds them by itself; for
what is published, one node is enough, since each takes it to all others. All of a site take the
same, the one that has the slot of the site's name: so what one process says and another hears goes
by one server, in the order in which it was said, as it does without a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

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
    name = options.pop("of", "")
    if address.form is Form.SENTINEL:
        found = sentinel_in_thread.Sentinel(
            address.hosts, sentinel_kwargs={**address.sentinel_options, **_patience(options)}
        )
        made: Callable[..., redis.ConnectionPool] = _SentinelPool
        return made(address.service, found, **address.options, **options)
    if address.form is Form.CLUSTER:
        return redis.ConnectionPool(**node_options(address, name, threads=True), **options)
    return redis.ConnectionPool.from_url(str(address), **options)


def pool_on_loop(address: Address, **options: Any) -> aioredis.BlockingConnectionPool:
    """The same for an event loop. It lets wait for a connection: where hundreds come or go at the
    same moment, one for each costs more than what is asked of it, and the usual pool fails when it
    has no more."""
    name = options.pop("of", "")
    if address.form is Form.SENTINEL:
        found = sentinel_on_loop.Sentinel(
            address.hosts, sentinel_kwargs={**address.sentinel_options, **_patience(options)}
        )
        made: Callable[..., aioredis.BlockingConnectionPool] = _LoopSentinelPool
        return made(address.service, found, **address.options, **options)
    if address.form is Form.CLUSTER:
        return aioredis.BlockingConnectionPool(**node_options(address, name), **options)
    return aioredis.BlockingConnectionPool.from_url(str(address), **options)


def node_options(address: Address, name: str, *, threads: bool = False) -> dict[str, Any]:
    """What makes a pool connect to the node of a cluster that has the slot of a name."""
    kinds: tuple[type[Any], type[Any]] = (
        (NodeConnection, NodeSSLConnection) if threads else (LoopNodeConnection, LoopNodeSSL)
    )
    options = address.options
    kind = kinds[options.pop("ssl", False)]
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
