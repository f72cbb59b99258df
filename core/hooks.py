"""Telling those who hang on to what happened."""

from __future__ import annotations

from typing import Any

import structlog
from django.dispatch import Signal

log = structlog.get_logger("gauntlet.hooks")


def send(hook: Signal, sender: type[Any], **arguments: object) -> list[Exception]:
    """Send a hook with its arguments; after commit. A receiver that fails is logged and disturbs
    neither the others nor whoever sends. Returns what they failed with."""
    errors = []
    for receiver, error in hook.send_robust(sender=sender, **arguments):
        if isinstance(error, Exception):
            log.error("hook.failed", receiver=str(receiver), exc_info=error)
            errors.append(error)
    return errors
