"""The health addresses. `/healthz`: is this process up, and do its database and Redis answer?
`/readyz`: besides, does the site as a whole enforce its deadlines?"""

from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis.exceptions import RedisError

from core.jobs import guard

SWEEP = "games.tasks.sweep"


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when all parts are well, 503 with the names of those that are not."""
    parts = _parts()
    return JsonResponse(parts, status=200 if all(parts.values()) else 503)


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """As `healthz`, and 503 when the sweep of deadlines was not completed lately. Tells besides how
    long ago that was, in seconds, and how many rows the periodic jobs have set aside."""
    parts = _parts()
    more: dict[str, Any] = {"last_sweep": None, "set_aside": None}
    if parts["database"]:
        age = guard.seconds_since(SWEEP)
        more = {"last_sweep": None if age is None else round(age, 1), "set_aside": guard.asides()}
    age = more["last_sweep"]
    parts["deadlines"] = age is not None and age * 1000 <= settings.GAUNTLET_SWEEP_LATE_MS
    return JsonResponse({**parts, **more}, status=200 if all(parts.values()) else 503)


def _parts() -> dict[str, bool]:
    parts = {"database": True, "redis": True}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        parts["database"] = False
    try:
        cache.get("healthz")
    except (RedisError, OSError):
        parts["redis"] = False
    return parts
