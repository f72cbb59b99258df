"""Deletes accounts whose time has come."""

from __future__ import annotations

from celery import shared_task

from accounts.jobs import DELETIONS
from accounts.leaving.services import deletions_sweep
from core.jobs import guard


@shared_task(name=DELETIONS)
@guard.completed(DELETIONS)
def deletions() -> None:
    """Delete the accounts whose owners had time to think again."""
    deletions_sweep()
