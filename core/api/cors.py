"""What other sites' pages are told: which headers they may send and read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

EXPOSED: Final = (
    "ETag, Link, Location, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, "
    "Idempotency-Replayed, WWW-Authenticate"
)
TAKEN: Final = "Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Modified-Since"
METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


def before(methods: Iterable[str]) -> dict[str, str]:
    """The headers of an answer to a browser that asks what it may do at an address."""
    allowed = ", ".join(methods)
    return {
        "Allow": allowed,
        "Access-Control-Allow-Methods": allowed,
        "Access-Control-Allow-Headers": TAKEN,
        "Access-Control-Max-Age": "86400",
    }
