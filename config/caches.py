"""The cache of one site, on a server that other sites may share."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from django.utils.functional import cached_property
from redis.exceptions import RedisError

from core.broker import Cluster, client, forget


class _KeptClient(RedisCacheClient):
    """Speaks through a client of ours, and keeps it. Django's own makes a new one for every key
    that is asked for, which takes longer than the asking (over half a millisecond)."""

    def __init__(self, servers: list[str], **options: Any) -> None:
        (self._url,) = servers
        self._given = {name: options.pop(name) for name in tuple(options) if "timeout" in name}
        super().__init__(servers, **options)
        self._kept: Any = None
        self._making = threading.Lock()

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        """The client of the server, or of the cluster; several threads may use it."""
        if self._kept is None:
            with self._making:
                if self._kept is None:
                    self._kept = client(self._url, **self._given)
        return self._kept

    def set_many(self, data: Mapping[Any, Any], timeout: Any) -> None:
        """Keep some things. In a cluster they are in several places, and go there one by one."""
        kept = self.get_client(write=True)
        if not isinstance(kept, Cluster):
            super().set_many(data, timeout)
            return
        pipe = kept.pipeline()
        for key, value in data.items():
            pipe.set(key, self._serializer.dumps(value))  # type: ignore[attr-defined]  # not in stubs
            if timeout is not None:
                pipe.expire(key, timeout)
        pipe.execute()


# By address and options. Django makes a cache anew for each context (each socket has one, and each
# call that it has a thread make), and each would connect anew.
_clients: dict[str, _KeptClient] = {}


class SharedRedisCache(RedisCache):
    """Django's cache in Redis, by connections that all of a process share, and whose `clear` takes
    away this site's keys and nobody else's.

    Django's own empties the whole database: other sites there would forget how often they have
    been asked, and test processes side by side would empty each other's cache in the midst.
    """

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._servers: list[str] = server
        self._options: dict[str, Any] = params.get("OPTIONS", {})

    @cached_property
    def _cache(self) -> _KeptClient:
        key = repr((self._servers, self._options))
        # Of two that are made at the same moment one is kept.
        return _clients.get(key) or _clients.setdefault(
            key, _KeptClient(self._servers, **self._options)
        )

    def clear(self) -> None:
        """Delete every key with this cache's prefix, of all versions."""
        forget(self._cache.get_client(write=True), f"{self.key_prefix}:")


class SessionCache(SharedRedisCache):
    """Where sessions are kept besides the database: what cannot be asked is looked up there.

    Not so for what is deleted: a session that has ended in the database alone would be found here
    once the server is back. Whoever signs out meanwhile is told to try again.
    """

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """What is kept; ``default`` where nothing is, or nobody answers."""
        try:
            return super().get(key, default, version)
        except RedisError:
            return default

    def has_key(self, key: Any, version: int | None = None) -> bool:
        """Whether something is kept; not where nobody answers."""
        try:
            return bool(super().has_key(key, version))
        except RedisError:
            return False

    def set(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> None:
        """Keep something, if anybody answers."""
        with suppress(RedisError):
            super().set(key, value, timeout, version)
