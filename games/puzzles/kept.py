"""The card of the daily puzzle, which is the same for all, as it is kept for the front door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.core.cache import cache
from redis.exceptions import RedisError

from games.puzzles.reading import today

SECONDS: Final = 3600


def daily_html(make: Callable[[], str]) -> str:
    """The card, made where none is kept, or where the cache is away."""
    key = _key()
    try:
        found: str | None = cache.get(key)
        if found is None:
            found = make()
            cache.set(key, found, SECONDS)
    except RedisError:
        return make()
    return found


def daily_forget() -> None:
    """Have it made anew: puzzles have come or gone. Called after commit; where the cache is away,
    what it has is used for an hour at most."""
    try:
        cache.delete(_key())
    except RedisError:
        return


def _key() -> str:
    return f"puzzle:daily:{today().isoformat()}"
