"""The server's clock, in one place so that tests can set it."""

import time
from datetime import UTC, datetime


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def instant_of(at: int) -> datetime:
    """The instant that many milliseconds after 1970 began."""
    return datetime.fromtimestamp(at / 1000, UTC)
