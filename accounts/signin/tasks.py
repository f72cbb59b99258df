"""What workers do about sign-ins: what is known of old ones is forgotten."""

from __future__ import annotations

from celery import shared_task

from accounts.jobs import FORGET_WAYS, PRUNE_SESSIONS
from accounts.moderation.ways import ways_forget
from accounts.signin.sessions import sessions_prune
from core.jobs import guard


@shared_task(name=FORGET_WAYS)
@guard.completed(FORGET_WAYS)
def forget_ways() -> None:
    """Forget by which ways accounts were come into long ago."""
    ways_forget()


@shared_task(name=PRUNE_SESSIONS)
@guard.completed(PRUNE_SESSIONS)
def prune() -> None:
    """Forget the sessions that have run out."""
    sessions_prune()
