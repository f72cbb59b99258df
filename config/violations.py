"""What browsers tell of pages that were kept from doing something (`Content-Security-Policy`).

Anybody can send anything here. So little is read of it, no more than so many a minute become a line
in the log, nothing of it is kept, and nothing of it is in the answer. An address may send so many
a minute; none of them counts against the forms that people send from there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from redis.exceptions import RedisError

from core import metrics
from core.api.limits import LimitStatus, TooMany, take_of_address
from core.api.problems import plain_problem
from core.clock import now_ms
from core.sizes import KIB

log = structlog.get_logger("gauntlet.csp")

#: A report says where, what and by which rule; browsers send several together.
BODY_MOST: Final = 16 * KIB
AT_ONCE: Final = 20
_COUNTED: Final = metrics.Codes(
    "csp_reports", "What browsers tell of pages that were kept from something.", ("directive",)
)
_DIRECTIVE: Final = re.compile(r"[a-z-]{1,40}")
#: How browsers call the parts: as `report-uri` has them, and as `report-to` does.
_NAMES: Final = {
    "directive": ("effective-directive", "effectiveDirective", "violated-directive"),
    "page": ("document-uri", "documentURL"),
    "blocked": ("blocked-uri", "blockedURL"),
    "source": ("source-file", "sourceFile"),
}


@never_cache
@csrf_exempt
@require_POST
def reports(request: HttpRequest) -> HttpResponse:
    """Take note of what a browser tells. Whatever it is, the answer is 204 and says nothing; what
    is too much for an address is refused before it is read, and whose it is plays no part."""
    standing = take_of_address(request, "csp")
    if standing.remaining < 0:
        return _too_many(standing)
    if int(request.headers.get("Content-Length") or 0) <= BODY_MOST:
        for report in _reports_in(request.body[: BODY_MOST + 1]):
            _note(report)
    return HttpResponse(status=204)


def _too_many(standing: LimitStatus) -> HttpResponse:
    refused = TooMany(standing)
    answer = plain_problem(
        refused.status_code, refused.code, refused.sentence, retry_after=refused.wait
    )
    answer["Retry-After"] = str(refused.wait)
    return answer


def _reports_in(body: bytes) -> Iterator[Mapping[str, Any]]:
    try:
        said = json.loads(body) if len(body) <= BODY_MOST else None
    except (ValueError, RecursionError):
        return
    for each in (said if isinstance(said, list) else [said])[:AT_ONCE]:
        if isinstance(each, dict):
            report = each.get("csp-report", each.get("body"))
            if isinstance(report, dict):
                yield report


def _note(report: Mapping[str, Any]) -> None:
    found = {name: _text(report, keys) for name, keys in _NAMES.items()}
    directive = found["directive"].split(" ")[0]
    directive = directive if _DIRECTIVE.fullmatch(directive) else "other"
    _COUNTED.inc(directive)
    if _may_be_logged():
        log.warning(
            "csp.violation",
            directive=directive,
            page=_path(found["page"]),
            blocked=_origin(found["blocked"]),
            source=_path(found["source"]),
        )


def _text(report: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    values = (report.get(key) for key in keys)
    return next((value for value in values if isinstance(value, str) and value), "")


def _path(address: str) -> str:
    """Without the query, which may hold a key; and no more than a line of it."""
    return _printable(_split(address)[1])[:200]


def _origin(address: str) -> str:
    """What was to be loaded: from where, or the word that stands for it (`inline`, `eval`)."""
    host, _path_of_it = _split(address)
    return _printable(host or address)[:100]


def _split(address: str) -> tuple[str, str]:
    try:
        parts = urlsplit(address)
    except ValueError:
        return "", ""
    return parts.netloc.rpartition("@")[2], parts.path if parts.netloc else ""


def _printable(text: str) -> str:
    return "".join(letter for letter in text if letter.isascii() and letter.isprintable())


def _may_be_logged() -> bool:
    """Whether fewer were this minute than may be. Where Redis is away, none is."""
    name = f"csp-reports:{now_ms() // 60_000}"
    try:
        cache.add(name, 0, 120)
        return bool(cache.incr(name) <= settings.GAUNTLET_CSP_REPORTS_PER_MINUTE)
    except (RedisError, ValueError):
        return False
