"""The cache of one site, on a server that other sites may share."""

from __future__ import annotations

import re

from django.core.cache.backends.redis import RedisCache

_AT_ONCE = 1000  # keys


class SharedRedisCache(RedisCache):
    """Django's cache in Redis, whose `clear` takes away this site's keys and nobody else's.

    Django's own empties the whole database: other sites there would forget how often they have
    been asked, and test processes side by side would empty each other's cache in the midst.
    """

    def clear(self) -> None:
        """Delete every key with this cache's prefix, of all versions."""
        prefix = re.sub(r"([*?\[\]\\])", r"\\\1", self.key_prefix)
        client = self._cache.get_client(write=True)
        keys = list(client.scan_iter(match=f"{prefix}:*", count=_AT_ONCE))
        for first in range(0, len(keys), _AT_ONCE):
            client.delete(*keys[first : first + _AT_ONCE])
