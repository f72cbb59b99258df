"""What administrators write in the forms of the admin site for which there is no service: entries
of the audit log as any other. Django's own log of them can be changed and deleted."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import Model
from django.http import HttpRequest

from accounts.models import User
from accounts.services import audit_record


def write_record(request: HttpRequest, row: Model, what: str, fields: Collection[str]) -> None:
    """Write down that whoever asks has added, changed or deleted a row: whose it is, if anybody's,
    and which fields, and not what stands in them, which may be a secret."""
    data: dict[str, Any] = {"fields": sorted(fields)} if fields else {}
    # A row that is gone does not say any more whose it was.
    if (user_id := getattr(row, "user_id", None)) is not None:
        data["user"] = user_id
    by = request.user if isinstance(request.user, User) else None
    audit_record(acting_user=by, action=f"admin.{what}", target=row, data=data)
