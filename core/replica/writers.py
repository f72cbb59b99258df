"""Who has written something lately, and so reads from the primary: the replica may lack it.

A browser has it in a cookie for as long as the replica may lag behind, which holds whoever it is
signed in as, and while Redis is away. An account has it in the cache, whatever it comes by: a
token, another browser, a socket. Where the cache cannot be asked, accounts read from the primary.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import structlog
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponseBase
from redis.exceptions import RedisError

from core.aside import soon
from core.replica import is_there

log = structlog.get_logger("gauntlet.replica")

COOKIE: Final = "wrote"
_MARK: Final = "has_written"
_SAFE: Final = ("GET", "HEAD", "OPTIONS", "TRACE")
# What a socket brings is noted as it comes: until it is committed may take so long.
_COMMITTED_S: Final = 10.0
_KNOWN_AT_MOST: Final = 10_000


class _Noted:
    """What this process knows: when it last noted whom, and until when it could not (monotonic)."""

    at: Final[dict[int, float]] = {}
    failed_until = float("-inf")


def wrote_lately(request: Any) -> bool:
    """Whether whoever asks has written something that the replica may lack."""
    if COOKIE in request.COOKIES:
        return True
    if not request.user.is_authenticated:
        return False
    if time.monotonic() < _Noted.failed_until:
        return True
    try:
        return cache.get(_key(request.user.pk)) is not None
    except RedisError:
        return True


def note(user_id: int, *, seconds: float = 0.0) -> None:
    """Note that an account has just written, or will have within so many seconds."""
    kept = _lag_s() + seconds
    try:
        cache.set(_key(user_id), 1, math.ceil(kept))
    except RedisError as error:
        log.warning("replica.not-noted", error=type(error).__name__)
        _Noted.failed_until = time.monotonic() + kept


def note_soon(user_id: int) -> None:
    """Note that an account is about to write, by a thread beside this one: for those who wait for
    nothing."""
    if not is_there():
        return
    now = time.monotonic()
    if now - _Noted.at.get(user_id, float("-inf")) < _COMMITTED_S / 2:
        return
    if len(_Noted.at) >= _KNOWN_AT_MOST:
        _Noted.at.clear()
    _Noted.at[user_id] = now
    soon(partial(note, user_id, seconds=1.5 * _COMMITTED_S))


def note_written(request: Any) -> None:
    """Note that a request writes, whatever its method."""
    of_django = getattr(request, "_request", request)
    setattr(of_django, _MARK, True)


class WroteMiddleware:
    """Notes who has written. Only there where there is a replica; right inside of what finds out
    who asks."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        before = request.user
        response = self.get_response(request)
        if request.method in _SAFE and not getattr(request, _MARK, False):
            return response
        # Who has signed in or out with it is two.
        for user in {each.pk for each in (before, request.user) if each.is_authenticated}:
            note(user)
        if getattr(request, "auth", None) is None:
            response.set_cookie(
                COOKIE, "1", max_age=math.ceil(_lag_s()) + 1,
                secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax",
            )  # fmt: skip
        return response


def _lag_s() -> float:
    return float(settings.GAUNTLET_REPLICA_LAG_MS) / 1000


def _key(user_id: int) -> str:
    return f"wrote:{user_id}"
