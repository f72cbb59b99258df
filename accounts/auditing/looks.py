"""What moderators and administrators have looked at: entries of the audit log as any other, so that
they are sealed with it and found by its search."""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest

from accounts.models import AuditEntry, User

#: A row's page, and a list.
ROW: Final = "look.row"
LIST: Final = "look.list"
ACTIONS: Final = (ROW, LIST)
# What stands for all rows of a model in the place of one's number.
_ALL: Final = "all"


def look_record(request: HttpRequest, model: type[Model], row: Model | None) -> None:
    """Write down that whoever asks was shown a row, or a list. Once for each person, row and hour,
    which the database sees to: who reads for an evening does not fill the log. Nothing is kept of
    what stood there, or was searched for."""
    if not isinstance(request.user, User):
        return
    entry = AuditEntry(
        who=request.user,
        action=LIST if row is None else ROW,
        target_type=model._meta.label_lower,
        target_id=_ALL if row is None else str(row.pk)[:64],
    )
    with transaction.atomic():
        AuditEntry.objects.bulk_create([entry], ignore_conflicts=True)
