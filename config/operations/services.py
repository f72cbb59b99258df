"""What administrators do about rows that were set aside."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.clock import now_utc
from core.jobs.models import SetAside


@transaction.atomic
def rows_retry(*, acting_user: User, rows: Iterable[SetAside]) -> int:
    """Have rows tried again in the next run of their job, however long they would be left alone
    otherwise; returns how many. Who may see them may ask for it."""
    chosen = list(rows)
    for row in chosen:
        audit_record(
            acting_user=acting_user, action="job.retry", target=row, data={"row": str(row)}
        )
    keys = [row.pk for row in chosen]
    return SetAside.objects.filter(pk__in=keys).update(next_at=now_utc())
