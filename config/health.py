"""The health address: is this process up, and do its database and Redis answer?"""

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis.exceptions import RedisError


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when all parts are well, 503 with the names of those that are not."""
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
    return JsonResponse(parts, status=200 if all(parts.values()) else 503)
