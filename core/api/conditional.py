"""What caches and returning callers are told: `ETag`, `Last-Modified`, 304, `Cache-Control`."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import HttpResponse, HttpResponseBase, HttpResponseNotModified
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, parse_http_date_safe
from rest_framework.request import Request

from core.clock import now_ms
from core.conditional import body_tag


class NotModified(Exception):
    """The caller has the current version already. Carries the answer that says so."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__("not modified")
        self.response = response


def check_fresh(request: Request, etag: str, changed_at: datetime | None) -> None:
    """Raise NotModified where the caller's copy has this tag or is not older than this moment."""
    response = HttpResponse()
    set_version(response, etag, changed_at)
    answer = conditional(request, response)
    if isinstance(answer, HttpResponseNotModified):
        raise NotModified(answer)


def set_version(response: HttpResponseBase, etag: str, changed_at: datetime | None) -> None:
    """Put the version of what an answer shows into its headers.

    `Last-Modified` counts whole seconds: while the second of the change lasts there may be another
    change in it, so nothing is said of it yet (RFC 9110, 8.8.2.2).
    """
    response["ETag"] = etag
    if changed_at is not None and int(changed_at.timestamp()) < now_ms() // 1000:
        response["Last-Modified"] = http_date(changed_at.astimezone(UTC).timestamp())


def conditional(request: Request, response: HttpResponse) -> HttpResponse:
    """The answer, or 304 where the caller has it already. An answer without a tag gets one of its
    body."""
    if not response.has_header("ETag"):
        response["ETag"] = body_tag(response.content)
    modified = response.get("Last-Modified")
    since = parse_http_date_safe(modified) if modified else None
    answer = get_conditional_response(
        request._request,  # noqa: SLF001  (how the framework itself gets at Django's request)
        etag=response["ETag"],
        last_modified=since,
        response=response,
    )
    if answer is None or answer is response:
        return response
    for name, value in response.items():
        if name.startswith(("RateLimit-", "Access-Control-")):
            answer[name] = value
    return answer
