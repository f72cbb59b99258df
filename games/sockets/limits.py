"""How much a client may send."""

from __future__ import annotations

import time
from typing import Any, Final

import structlog
from django.core.cache import cache
from redis.exceptions import RedisError

from core.clock import now_ms

log = structlog.get_logger("gauntlet.sockets")

#: In a socket's scope, where there is a limit: a function that is told whose socket it is (an
#: account's number, or None for nobody) as soon as that is known. False where they have as many as
#: they may, and this one has to go.
BELONGS: Final = "belongs"
CROWDED: Final = 4429
# Seconds after which who was refused may come again: not before others have gone.
COME_BACK_S: Final = 30


def crowded_frame() -> tuple[int, dict[str, Any]]:
    """The close code, and what is said before that, where one address or account has opened too
    many sockets."""
    return CROWDED, {
        "type": "closing",
        "code": "rate.sockets",
        "sentence": "Too many connections are open from your address. Please close some.",
        "retry_after": COME_BACK_S,
    }


class Bucket:
    """A token bucket: bursts up to ``size``, then ``per_second`` in the long run."""

    def __init__(self, *, size: float, per_second: float) -> None:
        self.size = size
        self.per_second = per_second
        self._tokens = size
        self._at = time.monotonic()

    def take(self, tokens: int = 1) -> float:
        """Take some tokens, or none. Returns 0, or how many seconds to wait until there are
        enough."""
        now = time.monotonic()
        self._tokens = min(self.size, self._tokens + (now - self._at) * self.per_second)
        self._at = now
        if self._tokens >= tokens:
            self._tokens -= tokens
            return 0.0
        return (tokens - self._tokens) / self.per_second


def chat_wait(user_id: int) -> int:
    """Count a chat message of a user, over all their sockets. Returns 0, or the seconds to wait
    when there were too many in the current ten seconds. While the cache is away nothing is
    counted."""
    window, remaining = divmod(now_ms() // 1000, 10)
    key = f"chat-rate:{user_id}:{window}"
    try:
        cache.add(key, 0, timeout=20)
        count = cache.incr(key)
    except ValueError:  # it was evicted in between
        return 0
    except RedisError as error:
        log.warning("chat-limit.cache-away", error=type(error).__name__)
        return 0
    return 0 if count <= 8 else 10 - remaining
