"""What workers do of sessions."""

from __future__ import annotations

from celery import shared_task

from accounts.jobs import PRUNE_SESSIONS
from accounts.signin.sessions import sessions_prune
from core.jobs import guard


@shared_task(name=PRUNE_SESSIONS)
@guard.completed(PRUNE_SESSIONS)
def prune() -> None:
    """Forget the sessions that have run out."""
    sessions_prune()
