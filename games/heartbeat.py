"""The web service's sign of life, written by each server process while it answers."""

from __future__ import annotations

import threading
from collections.abc import Callable

import structlog
from django.conf import settings
from django.db import DatabaseError, connection

from core.clock import now_ms
from games.services.outage import beat_record

log = structlog.get_logger("gauntlet.heartbeat")


def start(*, answers: Callable[[], object]) -> None:
    """Beat in a thread: once now, before the first request is answered, and from then on each time
    after ``answers`` has returned, which does so once the server has done what it was asked.

    The first beat finds out whether the service was away, so that whatever happens to a match next
    gives back first what that took. No match is looked at here: none can keep the site from
    starting.
    """
    begun = threading.Event()
    threading.Thread(
        target=_beat_on, args=(answers, begun), name="gauntlet-heartbeat", daemon=True
    ).start()
    begun.wait()


def _beat_on(answers: Callable[[], object], begun: threading.Event) -> None:
    _beat()
    begun.set()
    pause = threading.Event()
    while True:
        pause.wait(settings.GAUNTLET_BEAT_EVERY_MS / 1000)
        answers()
        _beat()


def _beat() -> None:
    try:
        beat_record(at=now_ms())
    except DatabaseError as error:
        # The database being away is an outage too; the next beat will notice its length.
        log.warning("beat.failed", error=type(error).__name__)
        connection.close()
    except Exception:  # Whatever it is: without a beat, no decision of any match ever runs out.
        log.exception("beat.failed")
