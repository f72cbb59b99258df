"""Answers for those who do not have them yet: entity tags, `If-None-Match`, 304 (RFC 9110, 13)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, parse_etags

from core.clock import now_ms

Answer = TypeVar("Answer", bound=HttpResponseBase)


def digest_of(*parts: Any) -> str:
    """32 letters that stand for ``parts``: texts, bytes, or what has a text."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part if isinstance(part, bytes) else str(part).encode())
        digest.update(b"\x1f")
    return digest.hexdigest()[:32]


def strong_tag(*parts: Any) -> str:
    """The entity tag of an answer that this release makes the same byte by byte as long as
    ``parts`` are: another release may make another."""
    return f'"{digest_of(settings.RELEASE, *parts)}"'


def weak_tag(*parts: Any) -> str:
    """The entity tag of an answer that in this release says the same as long as ``parts`` do."""
    return f"W/{strong_tag(*parts)}"


def body_tag(body: bytes) -> str:
    """The entity tag of an answer that says what ``body`` does, whichever release made it."""
    return f'W/"{digest_of(body)}"'


def answer_to(
    request: HttpRequest,
    etag: str,
    make: Callable[[], Answer],
    *,
    changed_at: datetime | None = None,
) -> Answer | HttpResponse:
    """What ``make`` makes, asked only when needed: a reader who has what goes by this tag is told
    304, and nothing else. ``changed_at``: when it last changed, for those who know no tags; while
    that second lasts it may change again, and nothing is said of it yet (RFC 9110, 8.8.2.2)."""
    second = None if changed_at is None else int(changed_at.timestamp())
    if second is not None and second >= now_ms() // 1000:
        second = None
    known: HttpResponse | None = get_conditional_response(request, etag=etag, last_modified=second)
    if known is None:
        response: Answer | HttpResponse = make()
        # What was made may be newer, and have a tag of its own.
        response.setdefault("ETag", etag)
    else:
        known["ETag"] = _as_known(request, etag)
        response = known
    if second is not None:
        response["Last-Modified"] = http_date(second)
    return response


def tagged(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """An answer that has been made, with the tag of its body; 304 for a reader who has that. What
    it says about caching, and its cookies, stay."""
    etag = body_tag(response.content)
    response["ETag"] = etag
    known: HttpResponse | None = get_conditional_response(request, etag=etag, response=response)
    return response if known is None else known


def _as_known(request: HttpRequest, etag: str) -> str:
    """The tag as the reader has it: it was made weak where the answer was compressed for them."""
    has = parse_etags(request.headers.get("If-None-Match", ""))
    return f"W/{etag}" if etag not in has and f"W/{etag}" in has else etag
