"""The health addresses. `/healthz`: is this process up, and do its database and Redis answer?
`/readyz`: besides, does the site as a whole enforce its deadlines, and as it should?"""

from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis.exceptions import RedisError

from core.jobs import guard
from core.replica import is_there
from core.replica.watching import WATCH
from games.reading.processes import WORKERS_SWEEP, processes, sweeps, worst_skew_ms

SWEEP = WORKERS_SWEEP
# What `readyz` tells besides what is well and what is not.
MORE = ("last_sweep", "swept_by", "set_aside", "processes", "silent", "skew_ms")


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when all parts are well, 503 with the names of those that are not."""
    parts = _parts()
    return JsonResponse(parts, status=200 if all(parts.values()) else 503)


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """As `healthz`, and 503 when the sweep of deadlines was not completed lately, or by no worker.
    Tells besides how long ago it was, in seconds, and by whom; how many rows the periodic jobs have
    set aside; of how many processes nothing was heard lately; and by how much the clock of a host
    is ahead of the database's, at worst, in ms; and where there is a replica, whether this process
    reads from it."""
    parts = _parts()
    found: dict[str, Any] = dict.fromkeys(MORE)
    parts["deadlines"] = parts["workers"] = False
    if parts["database"]:
        swept, running = sweeps(), processes()
        parts["deadlines"], parts["workers"] = _is_lately(swept.last), _is_lately(swept.by_workers)
        found = {
            "last_sweep": None if swept.last is None else round(swept.last, 1),
            "swept_by": swept.last_by,
            "set_aside": guard.asides(),
            "processes": len([each for each in running if not each.is_silent]),
            "silent": len([each for each in running if each.is_silent]),
            "skew_ms": worst_skew_ms(running),
        }
    if is_there():
        found["replica"] = WATCH.may_be_asked()
    return JsonResponse({**parts, **found}, status=200 if all(parts.values()) else 503)


def _is_lately(age: float | None) -> bool:
    return age is not None and age * 1000 <= settings.GAUNTLET_SWEEP_LATE_MS


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
