"""The cache in Redis, as configured: what one site clears is its own."""

from collections.abc import Iterator
from contextvars import Context
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache, caches

from config.caches import SharedRedisCache
from core.redis_addresses import address_of


def beside(prefix: str) -> SharedRedisCache:
    """Another site's cache in the same database of the same server."""
    own: dict[str, Any] = settings.CACHES["default"]
    return SharedRedisCache(own["LOCATION"], {**own, "KEY_PREFIX": prefix})


@pytest.fixture
def other() -> Iterator[SharedRedisCache]:
    # Begins as this site's own does, and would match it were a prefix taken for a pattern.
    other = beside(f"{settings.REDIS_PREFIX}-other")
    yield other
    other.clear()


def test_the_site_uses_it() -> None:
    cache.set("kept", 1)
    assert beside(settings.REDIS_PREFIX).get("kept") == 1


def test_clearing_leaves_other_sites_alone(other: SharedRedisCache) -> None:
    other.set("kept", 1)
    cache.set("gone", 1)
    cache.set("gone", 2, version=7)
    cache.clear()
    assert cache.get("gone") is None
    assert cache.get("gone", version=7) is None
    assert other.get("kept") == 1
    cache.clear()  # what is empty
    assert other.get("kept") == 1


def test_a_prefix_is_no_pattern(other: SharedRedisCache) -> None:
    other.set("kept", 1)
    patterns = [beside(f"{settings.REDIS_PREFIX}{sign}") for sign in ("*", "-othe?", "-othe[r]")]
    for number, one in enumerate(patterns):
        one.set("own", number)
        one.clear()
        assert one.get("own") is None
    assert other.get("kept") == 1


def test_more_than_one_batch_is_cleared(other: SharedRedisCache) -> None:
    other.set_many({f"key-{number}": number for number in range(2500)})
    other.clear()
    assert other.get_many([f"key-{number}" for number in range(2500)]) == {}


def test_one_client_serves_all_keys() -> None:
    """Making one for every key takes longer than asking for it."""
    own: dict[str, Any] = settings.CACHES["default"]
    here = SharedRedisCache(own["LOCATION"], own)
    kept = here._cache.get_client("a")
    assert here._cache.get_client("b", write=True) is kept
    elsewhere = [str(address_of(url).on(7)) for url in own["LOCATION"]]
    for location, options in (
        (elsewhere, own["OPTIONS"]),
        (own["LOCATION"], {**own["OPTIONS"], "socket_timeout": 7}),
    ):
        another = SharedRedisCache(location, {**own, "OPTIONS": options})
        assert another._cache.get_client("a") is not kept


def test_every_context_asks_by_the_same_connection() -> None:
    """Each socket has a context of its own, for which Django makes a cache anew."""

    def which() -> tuple[Any, int]:
        ours: Any = caches["default"]
        return ours, ours._cache.get_client().client_id()

    made, connections = zip(*[Context().run(which) for _ in range(5)], strict=True)
    assert len(set(map(id, made))) == 5
    assert len(set(connections)) == 1
