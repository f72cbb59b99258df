"""What workers do about ways in."""

from __future__ import annotations

from celery import shared_task

from accounts.jobs import FORGET_WAYS
from accounts.moderation.ways import ways_forget
from core.jobs import guard


@shared_task(name=FORGET_WAYS)
@guard.completed(FORGET_WAYS)
def forget_ways() -> None:
    """Forget by which ways accounts were come into long ago."""
    ways_forget()
