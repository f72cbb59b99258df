"""What workers do of the audit log."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from celery import shared_task

from accounts.auditing.sealing import audit_check, audit_last_check, audit_seal
from accounts.jobs import AUDIT_CHECK, AUDIT_SEAL
from core.clock import now_utc
from core.jobs import guard

# The hour (UTC) of the night at which it is looked over, and how old the last look is then.
NIGHT: Final = 4
LATELY: Final = timedelta(hours=12)


@shared_task(name=AUDIT_SEAL)
@guard.completed(AUDIT_SEAL)
def seal() -> None:
    """Put what was written since into the chain."""
    audit_seal()


@shared_task(name=AUDIT_CHECK)
@guard.completed(AUDIT_CHECK)
def check() -> None:
    """Look the whole chain over, once a night. Called every hour: a night in which beat or the
    workers were away is made up for. At the hour itself nothing that the database says keeps it
    from being done: whoever acts as the site could have added that it was."""
    now = now_utc()
    if now.hour == NIGHT:
        audit_check()
        return
    last = audit_last_check()
    if last is None or (now.hour > NIGHT and now - last.at > LATELY):
        audit_check()
