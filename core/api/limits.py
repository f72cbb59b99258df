"""How often the API may be asked: one table (`GAUNTLET_API_LIMITS`) of requests a minute.

Callers without an account share the limit `anonymous` by address. Everybody else has a limit for
each kind of thing they do, by the scope that it needs; bots' accounts have one for everything. What
costs far more than all else has a limit of its own for everybody (`take_own`), also outside of the
API.
"""

from __future__ import annotations

from typing import NamedTuple

import structlog
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponseBase
from redis.exceptions import RedisError
from rest_framework.request import Request

from core.addresses import client_of_request, network_of
from core.api.errors import ApiProblem
from core.clock import now_ms

log = structlog.get_logger("gauntlet.api")

WINDOW_S = 60


class LimitStatus(NamedTuple):
    """What is left of a limit: requests, and seconds until it is whole again."""

    limit: int
    remaining: int
    reset: int

    def set_headers(self, response: HttpResponseBase) -> None:
        """Put it into the headers of an answer."""
        response["RateLimit-Limit"] = str(self.limit)
        response["RateLimit-Remaining"] = str(self.remaining)
        response["RateLimit-Reset"] = str(self.reset)


class TooMany(ApiProblem):
    """The limit is used up."""

    status_code = 429
    code = "request.throttled"

    def __init__(self, standing: LimitStatus) -> None:
        self.wait = standing.reset  # becomes the header `Retry-After`
        super().__init__(
            f"Too many requests: at most {standing.limit} a minute. Please wait {self.wait} s.",
            retry_after=self.wait,
        )


def take(request: Request, limit: str, *, known: bool = True) -> LimitStatus:
    """Count one request of a caller against ``limit``. ``known`` False: by address only.

    Returns what is left; ``remaining`` is -1 where it was one too many. While the cache is away
    nothing is counted, and nobody refused.
    """
    user = request.user if known else None
    if user is not None and user.is_authenticated:
        return _take("bot" if getattr(user, "is_bot", False) else limit, f"{user.pk}")
    return _take("anonymous", address_of(request))


def take_own(request: HttpRequest, limit: str) -> LimitStatus:
    """The same against a limit that is one for everybody: by account, else by address."""
    if request.user.is_authenticated:
        return _take(limit, f"{request.user.pk}")
    return take_of_address(request, limit)


def take_of_address(request: HttpRequest, limit: str) -> LimitStatus:
    """The same by address only, whoever is signed in there."""
    return _take(limit, address_of(request))


def take_form(request: HttpRequest) -> LimitStatus:
    """Count a form of a page: by account and network together, so that whoever holds a session that
    is not theirs cannot keep its owner from signing out everywhere; else by address."""
    address = address_of(request)
    if request.user.is_authenticated:
        return _take("forms", f"{request.user.pk}:{address}")
    return _take("forms", address)


def address_of(request: HttpRequest | Request) -> str:
    """Which address a caller without an account counts by; of IPv6 it is the network of one line,
    all of which is theirs."""
    return network_of(client_of_request(request))


def _take(name: str, who: str) -> LimitStatus:
    return take_of(name, who, allowed=settings.GAUNTLET_API_LIMITS[name])


def take_of(name: str, who: str, *, allowed: int) -> LimitStatus:
    """Count something against a limit that is none of the API's: ``allowed`` a minute for each who
    is told from others by ``who``. Returns what `take` does."""
    window, passed = divmod(now_ms() // 1000, WINDOW_S)
    try:
        count = _count(f"api-limit:{name}:{who}:{window}")
    except RedisError as error:
        # Nobody loses a move because nobody counts.
        log.warning("api-limits.cache-away", error=type(error).__name__)
        count = 1
    return LimitStatus(allowed, max(allowed - count, -1), WINDOW_S - passed)


def _count(key: str) -> int:
    try:
        return cache.incr(key)
    except ValueError:  # the first of this window
        cache.add(key, 0, timeout=2 * WINDOW_S)
    try:
        return cache.incr(key)
    except ValueError:  # it was evicted in between
        return 1
