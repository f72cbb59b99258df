"""The cache of one site, on a server that other sites may share."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from django.utils.functional import cached_property
from redis.exceptions import RedisError

from core.broker import Redis

_AT_ONCE = 1000  # keys


class _KeptClient(RedisCacheClient):
    """Keeps what it speaks through. Django's own makes a new one for every key that is asked for,
    which takes longer than the asking (over half a millisecond)."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._kept: dict[int, Any] = {}
        self._client = Redis

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        """The client of the server in question; it may be used by several threads."""
        pool: Any = self._get_connection_pool(write)  # type: ignore[attr-defined]  # not in the stubs
        if id(pool) not in self._kept:  # pools stay as long as this does
            self._kept[id(pool)] = super().get_client(key, write=write)
        return self._kept[id(pool)]


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
        self._class = _KeptClient

    @cached_property
    def _cache(self) -> _KeptClient:
        key = repr((self._servers, self._options))
        # Of two that are made at the same moment one is kept.
        return _clients.get(key) or _clients.setdefault(
            key, self._class(self._servers, **self._options)
        )

    def clear(self) -> None:
        """Delete every key with this cache's prefix, of all versions."""
        prefix = re.sub(r"([*?\[\]\\])", r"\\\1", self.key_prefix)
        client = self._cache.get_client(write=True)
        keys = list(client.scan_iter(match=f"{prefix}:*", count=_AT_ONCE))
        for first in range(0, len(keys), _AT_ONCE):
            client.delete(*keys[first : first + _AT_ONCE])


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
