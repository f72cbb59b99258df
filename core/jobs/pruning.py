"""Forgetting rows that nobody needs any more, of which there may be many."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet


def rows_prune(rows: QuerySet[Any], *, at_once: int) -> int:
    """Delete rows, no more than ``at_once`` in a transaction; returns how many. What somebody is at
    just now is left for the next time."""
    free = rows.order_by("pk").select_for_update(no_key=False, skip_locked=True, of=("self",))
    gone, keys = 0, [0]
    while keys:
        with transaction.atomic():
            keys = list(free.values_list("pk", flat=True)[:at_once])
            rows.filter(pk__in=keys).delete()
            gone += len(keys)
    return gone
