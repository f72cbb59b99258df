"""Handing work to the workers."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import structlog
from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

from core.aside import soon
from core.broker import breaker_of

log = structlog.get_logger("gauntlet.tasks")

# Along with each task goes when it was handed on, in ms since 1970, and on account of which
# request, under these names.
ENQUEUED_AT: Final = "gauntlet_at"
REQUEST: Final = "gauntlet_request"

# What it looks like from here that broker, cache or channel layer are away.
AWAY: Final = (RedisError, BrokerError, OSError)


def enqueue(
    task: str, *arguments: Any, countdown: float | None = None, expires: float | None = None
) -> bool:
    """Have a worker do the task of that name, after ``countdown`` seconds, or not at all where none
    has begun within ``expires``.

    False where the broker is away, which is no error for whoever asks: what must be done in the end
    is found in the database by a sweep, and the rest is not worth failing for.
    """
    breaker = breaker_of(settings.GAUNTLET_BROKER_ADDRESS)
    try:
        breaker.must_answer()
        current_app.send_task(task, arguments, countdown=countdown, expires=expires)
    except AWAY as error:
        # The library's own error stands for one of the server's, or of the way to it.
        breaker.trip_for(error.__cause__ or error)
        # Texts may be secrets, such as a mail with the address that resets a password.
        ids = [each for each in arguments if isinstance(each, int)]
        log.warning("task.not-enqueued", task=task, of=ids, error=type(error).__name__)
        return False
    return True


def enqueue_soon(task: str, *arguments: Any) -> None:
    """The same for whoever cannot wait for a broker that hangs, such as a turn."""
    soon(partial(enqueue, task, *arguments))
