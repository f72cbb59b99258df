"""The card of the daily puzzle, which is the same for all who stand alike to it, as it is kept for
the front door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from django.core.cache import cache
from redis.exceptions import RedisError

from games.puzzles.reading import Standing, today

SECONDS: Final = 3600

#: The puzzle's number, and its card for each standing; None where there are no puzzles.
Cards: TypeAlias = tuple[int, dict[Standing, str]] | None


def daily_cards(make: Callable[[], Cards]) -> Cards:
    """The cards, made where none are kept, or where the cache is away."""
    key = _key()
    try:
        kept: tuple[Cards] | None = cache.get(key)
        if kept is None:
            kept = (make(),)
            cache.set(key, kept, SECONDS)
    except RedisError:
        return make()
    return kept[0]


def daily_forget() -> None:
    """Have them made anew: puzzles have come or gone. Called after commit; where the cache is away,
    what it has is used for an hour at most."""
    try:
        cache.delete(_key())
    except RedisError:
        return


def _key() -> str:
    return f"puzzle:daily-cards:{today().isoformat()}"
