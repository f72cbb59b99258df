"""Pages that are the same for every reader without an account: made once, then handed out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.core.cache import cache as stored
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from redis.exceptions import RedisError

from accounts.context_processors import Shell
from core.conditional import answer_to, strong_tag

KEPT_SECONDS: Final = 300


def is_for_one(request: HttpRequest) -> bool:
    """Whether a page may tell this reader something of their own: anybody with a session."""
    session = settings.SESSION_COOKIE_NAME in request.COOKIES
    return session or request.user.is_authenticated or len(messages.get_messages(request)) > 0


def for_everybody(
    request: HttpRequest, version: str, make: Callable[[], HttpResponse]
) -> HttpResponse:
    """The page at this address for a reader to whom `is_for_one` does not apply: 304 where they
    have it, else what was made for the last of them. ``version`` is another text once ``make``
    would make another page. A cache that is away costs time and nothing else."""
    shell = Shell(request)
    parts = (
        version, shell.url, request.get_full_path(),
        shell.theme, shell.sound, shell.time_zone, *(each.pk for each in shell.announcements),
    )  # fmt: skip
    etag = strong_tag(*parts)
    response = answer_to(request, etag, lambda: _from_cache(request, etag, make))
    patch_vary_headers(response, ["Cookie"])
    return response


def _from_cache(request: HttpRequest, etag: str, make: Callable[[], HttpResponse]) -> HttpResponse:
    # Addresses with a query are many, and asked for once each.
    return make() if request.GET else kept_under(etag, make)


def kept_under(etag: str, make: Callable[[], HttpResponse]) -> HttpResponse:
    """What was made for the last reader who asked for what has this tag, or what ``make`` makes."""
    key = f"page:{etag}"
    kept: Any = _ask_cache(lambda: stored.get(key))
    if kept is not None:
        return HttpResponse(kept)
    response = make()
    if response.status_code == 200:
        _ask_cache(lambda: stored.set(key, response.content, KEPT_SECONDS))
    return response


def _ask_cache(of_cache: Callable[[], Any]) -> Any:
    try:
        return of_cache()
    except RedisError:
        return None
