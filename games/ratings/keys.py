"""What is cached of leaderboards, and when it is no longer used.

Everything cached belongs to a token of its ladder, so nothing needs to be thrown away: each change
draws a new token once it is committed, and what was cached under the old one is asked for no more.
What is made under a token is read after the token was drawn, hence after every change before it,
in whatever order several changes come here.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import TypeVar

import structlog
from django.core.cache import cache
from redis.exceptions import RedisError

from core.clock import now_utc
from core.replica.reading import is_snapshot
from games.ratings.models import RatingLadder

log = structlog.get_logger("gauntlet.ratings")

T = TypeVar("T")

TOKEN_SECONDS = 86_400
# Names change without the ladder, days pass, and a change cannot draw a token while the cache is
# away: so everything is made anew this often.
KEPT_SECONDS = 300


def ladder_changed(ladder: str) -> None:
    """Have nobody use what was cached of a ladder. Call it after commit."""
    try:
        cache.set(_token_key(ladder), _new_token(), TOKEN_SECONDS)
    except RedisError as error:
        log.warning("ratings.cache-away", error=type(error).__name__)


def version_of(ladder: str) -> str:
    """What a leaderboard's answer depends on beside the question: the ladder's token, and which
    five minutes it is made in.

    A replica may lack a change whose token has been drawn, and what it shows would be kept as new.
    There the row says which change it is.
    """
    change = _change_of(ladder) if is_snapshot() else _token_of(ladder)
    return f"{change}-{int(now_utc().timestamp()) // KEPT_SECONDS}"


def _change_of(ladder: str) -> str:
    row = RatingLadder.objects.filter(pk=ladder).values_list("changed_at", flat=True).first()
    return "none" if row is None else f"at{row.timestamp()}"


def _token_of(ladder: str) -> str:
    key = _token_key(ladder)
    try:
        known = cache.get(key)
        if known is None:
            # Two who come here at once must end up with one: `add` does nothing for the second.
            cache.add(key, _new_token(), TOKEN_SECONDS)
            known = cache.get(key)
    except RedisError as error:
        log.warning("ratings.cache-away", error=type(error).__name__)
        known = None
    return str(known or _new_token())


def _token_key(ladder: str) -> str:
    return f"ratings:token:{ladder}"


def _new_token() -> str:
    return secrets.token_urlsafe(9)


def kept(ladder: str, version: str, what: str, make: Callable[[], T]) -> T:
    """What ``make`` returns, from the cache where it is there for this version of the ladder."""
    digest = sha256(what.encode()).hexdigest()[:24]
    key = f"ratings:{ladder}:{version}:{digest}"
    try:
        found: T | None = cache.get(key)
        if found is None:
            found = make()
            cache.set(key, found, KEPT_SECONDS)
    except RedisError as error:
        log.warning("ratings.cache-away", error=type(error).__name__)
        return make()
    return found
