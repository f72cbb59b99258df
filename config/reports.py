"""Reports of errors to a server that speaks Sentry's protocol, where the settings name one.

What is logged as an error is reported, and of that no more than is listed here: what went wrong,
by its code; where, by files and lines; and on whose account, by the numbers that lines of the log
have. Nothing of a request but its id, no values of variables, no words of an exception: those may
quote what somebody has typed, or what players keep from each other. `config.reporting` sends them.
"""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from structlog.contextvars import get_contextvars

from config.logs import lower_mistakes, masked

OURS: Final = "gauntlet"
#: What of a line is reported, besides what it says that went wrong.
ABOUT: Final = (
    "request", "socket", "match", "task", "task_id", "job", "target", "key", "webhook", "delivery",
    "name", "part", "error", "reason", "code",
)  # fmt: skip
LONGEST: Final = 300
# Seconds that a process which ends takes to give what still waits.
AT_END: Final = 2.0


class Reports(logging.Handler):
    """Reports what is logged as an error."""

    def __init__(self, capture: Callable[[Any], object]) -> None:
        super().__init__(logging.ERROR)
        self.capture = capture
        # By then it may be no error any more.
        self.addFilter(lower_mistakes)
        self.addFilter(lambda record: record.levelno >= self.level)

    def emit(self, record: logging.LogRecord) -> None:
        """Report one line."""
        try:
            self.capture(event_of(record))
        except Exception:  # noqa: BLE001  (whatever it is, the line itself is in the log)
            self.handleError(record)


def event_of(record: logging.LogRecord) -> dict[str, Any]:
    """What is reported of a line."""
    said: Mapping[str, Any] = record.msg if isinstance(record.msg, dict) else {}
    found = {**get_contextvars(), **said}
    tags = {
        name: masked(str(found[name]))[:LONGEST]
        for name in ABOUT
        if isinstance(found.get(name), str | int)
    }
    error = record.exc_info[1] if record.exc_info else said.get("exc_info")
    event: dict[str, Any] = {
        "level": record.levelname.lower(),
        "logger": record.name,
        "message": _words(record, said),
        "tags": tags,
        "fingerprint": [record.name, str(said.get("event", record.lineno)), "{{ default }}"],
    }
    if isinstance(error, BaseException):
        event["exception"] = {"values": _chain(error)}
    return event


def _words(record: logging.LogRecord, said: Mapping[str, Any]) -> str:
    """What went wrong: the code of a line of ours; of another's only where it was written, for its
    words may be anything."""
    if record.name.partition(".")[0] == OURS and "event" in said:
        return masked(str(said["event"]))[:LONGEST]
    return f"{record.levelname} in {record.module}.{record.funcName}, line {record.lineno}"


def _chain(error: BaseException | None) -> list[dict[str, Any]]:
    """An error and those that led to it, the first of them first, by their kinds and places."""
    found: list[dict[str, Any]] = []
    while error is not None and len(found) < 10:
        frames = []
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            frames.append(
                {
                    "filename": code.co_filename,
                    "function": code.co_name,
                    "module": str(trace.tb_frame.f_globals.get("__name__", "")),
                    "lineno": trace.tb_lineno,
                }
            )
            trace = trace.tb_next
        kind = type(error)
        entry: dict[str, Any] = {"type": kind.__name__, "module": kind.__module__}
        found.insert(0, {**entry, "stacktrace": {"frames": frames[-60:]}} if frames else entry)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return found


def install() -> Reports | None:
    """Report errors of this process from now on, if the settings say whom to.

    Raises ImproperlyConfigured where they do, and what is needed for it is not there, or what they
    say is no such address.
    """
    dsn: str = settings.GAUNTLET_SENTRY_DSN
    if not dsn:
        return None
    try:
        # Not everybody has what it needs.
        from config.reporting import client_for  # noqa: PLC0415
    except ImportError as error:
        raise ImproperlyConfigured(
            "GAUNTLET_SENTRY_DSN is set, which takes what requirements-sentry.txt names."
        ) from error
    client = client_for(dsn)
    reports = Reports(client.capture_event)
    logging.getLogger().addHandler(reports)
    atexit.register(client.close, timeout=AT_END)
    return reports
