"""Signs of life: the web service's, written by each of its processes while that answers, and each
process's own, by which one that hangs beside others is seen.

A web process gives them as long as its event loop does what it is asked, and its turn threads do:
one of which either stands still takes no submission, however alive this thread is.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable

import structlog
from django.conf import settings
from django.db import DatabaseError, connection

from core.clock import clock, now_ms
from games.models import ServiceProcess
from games.services.outage import beat_await, beat_record
from games.services.processes import clock_settle, process_begin, process_end, process_record

log = structlog.get_logger("gauntlet.heartbeat")

# How long a process that begins waits for the database to tell it the time.
PATIENCE_S = 10.0
# Held by whoever writes the process's row; once it has ended, nobody does.
_writes = threading.Lock()


class _Ended:
    by_itself = False


def start(*, answers: Callable[[], object], turns_go_on: Callable[[], bool]) -> None:
    """Beat in a thread: once now, before the first request is answered, and from then on each time
    after ``answers`` has returned, which does so once the server's loop has done what it was asked,
    if ``turns_go_on`` says of the turn threads that they do what they are asked, too.

    The first beat finds out whether the service was away, so that whatever happens to a match next
    gives back first what that took: without a database nobody is answered until there was one
    (`outage.is_awaited`). No match is looked at here: none can keep the site from starting.
    """
    process_begin(kind=ServiceProcess.Kind.WEB)
    beat_await()
    begun = threading.Event()
    threading.Thread(
        target=_beat_on, args=(answers, turns_go_on, begun), name="gauntlet-heartbeat", daemon=True
    ).start()
    begun.wait()


def start_beside(kind: ServiceProcess.Kind) -> None:
    """Give the signs of life of a process that is none of the web service's, in a thread. Returns
    once it knows the time by the database's clock, or the database has not answered for long. Beat
    waits for however long that takes: what it hands out is due by that clock."""
    process_begin(kind=kind)
    begun = threading.Event()
    threading.Thread(
        target=_record_on, args=(begun,), name="gauntlet-heartbeat", daemon=True
    ).start()
    if kind == ServiceProcess.Kind.BEAT:
        begun.wait()
        atexit.register(end)  # others are told that they end
    else:
        begun.wait(PATIENCE_S)


def end() -> None:
    """The process ends by itself: take its row away."""
    with _writes:
        _Ended.by_itself = True
        try:
            process_end()
        except DatabaseError as error:
            log.warning("process.not-ended", error=type(error).__name__)
        connection.close()


def _beat_on(
    answers: Callable[[], object], turns_go_on: Callable[[], bool], begun: threading.Event
) -> None:
    _beat()
    _record()
    begun.set()
    pause = threading.Event()
    records_next, stood_still = time.monotonic(), False
    while True:
        pause.wait(settings.GAUNTLET_BEAT_EVERY_MS / 1000)
        answers()
        stand_still = not turns_go_on()
        if stand_still != stood_still:
            stood_still = stand_still
            log.warning("beat.turns-stand-still" if stand_still else "beat.turns-go-on")
        if stand_still:
            continue
        _beat()
        if time.monotonic() >= records_next:
            records_next = time.monotonic() + settings.GAUNTLET_PROCESS_EVERY_MS / 1000
            _record()


def _record_on(begun: threading.Event) -> None:
    pause = threading.Event()
    while True:
        _record()
        if clock.is_settled:
            begun.set()
        pause.wait(settings.GAUNTLET_PROCESS_EVERY_MS / 1000)


def _beat() -> None:
    try:
        clock_settle()
        beat_record(at=now_ms())
    except DatabaseError as error:
        # The database being away is an outage too; the next beat will notice its length.
        log.warning("beat.failed", error=type(error).__name__)
        connection.close()
    except Exception:  # Whatever it is: without a beat, no decision of any match ever runs out.
        log.exception("beat.failed")


def _record() -> None:
    with _writes:
        if _Ended.by_itself:
            return
        try:
            process_record()
        except DatabaseError as error:
            log.warning("process.not-recorded", error=type(error).__name__)
            connection.close()
        except Exception:  # as above: the next beat must come
            log.exception("process.not-recorded")
