"""Structured logs: JSON lines in production, readable lines on a terminal.

Log events carry identifiers and codes, never secrets, move texts or chat.
"""

import logging
import logging.config
import re
from typing import Any, Final

import structlog
from structlog.types import EventDict, WrappedLogger

SENSITIVE = frozenset(
    {"password", "password1", "password2", "token", "secret", "authorization", "cookie", "text"}
)


# Addresses that sign somebody in, speak for their mailbox or their Discord account, or let whoever
# has them accept a challenge, enter a season, end somebody's mail or undo what a letter tells of:
# what stands behind these beginnings is as good as a password, also where mail programs have
# spoiled the rest. Whatever is written down goes through `masked`.
_SLASH = r"(?:/|\\|%2f)+"
KEYED: Final = re.compile(
    rf"((?:confirm-email{_SLASH}|undo-change{_SLASH}|unsubscribe{_SLASH}|invite[ds]?{_SLASH}"
    rf"|helping{_SLASH}|discord{_SLASH}link{_SLASH}"
    rf"|password{_SLASH}reset{_SLASH}key{_SLASH}[0-9a-z]+-))"
    r"[^\s\"'?#&<>\\]+",
    re.IGNORECASE,
)


def masked(text: str) -> str:
    """Blank the keys in the addresses that a text names."""
    return KEYED.sub(r"\1[hidden]", text)


def mask_line(_logger: WrappedLogger, _method: str, line: Any) -> str:
    """Last of all: blank them in a finished line, whichever part of it they came in with (our own
    request lines, Django's about what it answered, the text of an exception)."""
    return masked(str(line))


def drop_sensitive(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Blank any key that could carry a secret or a hidden move."""
    for key in event:
        if key.lower() in SENSITIVE:
            event[key] = "[hidden]"
    return event


def lower_mistakes(record: logging.LogRecord) -> bool:
    """A filter that lets all pass, and makes one line at `warning`, without a traceback, of what
    Django says of a request that it answered by 4xx.

    That is a client's mistake, which nobody here can mend. Django writes most of it as an error
    with where it was raised (a host that is not ours, a filter that the administration does not
    have), and anybody can bring about as many as they like.
    """
    status = getattr(record, "status_code", None)
    if record.name.startswith("django.") and isinstance(status, int) and 400 <= status < 500:
        if record.levelno > logging.WARNING:
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.exc_info = record.exc_text = None
        record.msg, record.args = " ".join(record.getMessage().split()), None
    return True


def _shared_processors() -> list[Any]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        drop_sensitive,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]


def logging_config(*, json: bool, level: str) -> dict[str, Any]:
    """Return the `LOGGING` dictionary; `configure` turns it into handlers."""
    return {"json": json, "level": level.upper()}


def formatter(*, json: bool) -> logging.Formatter:
    """What makes a line of a record, structured or plain."""
    renderers: list[Any]
    if json:
        renderers = [
            # Local variables would put passwords and hidden moves into the log.
            structlog.processors.ExceptionRenderer(
                structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
            ),
            structlog.processors.JSONRenderer(),
        ]
    else:
        renderers = [
            structlog.dev.ConsoleRenderer(
                colors=False, exception_formatter=structlog.dev.plain_traceback
            )
        ]
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_shared_processors(),
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            *renderers,
            mask_line,
        ],
    )


def configure(options: dict[str, Any]) -> None:
    """Set up standard logging and structlog to write the same lines to standard error."""
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "structured": {"()": formatter, "json": options["json"]},
            },
            "filters": {"mistakes": {"()": lambda: lower_mistakes}},
            "handlers": {
                "stderr": {
                    "class": "logging.StreamHandler",
                    "formatter": "structured",
                    "filters": ["mistakes"],
                },
            },
            "root": {"handlers": ["stderr"], "level": options["level"]},
            "loggers": {
                # Django's default would mail the whole request, with its address and its form, to
                # the administrators when something breaks.
                "django": {"level": "INFO", "handlers": []},
                # Request lines are ours (config.middleware); these would repeat them.
                "django.server": {"level": "ERROR"},
                "django.channels.server": {"level": "ERROR"},
                # One line per second and task otherwise: the sweep alone would drown the rest.
                "celery": {"level": "WARNING"},
                "daphne": {"level": "WARNING"},
                "twisted": {"level": "WARNING"},
                # Whoever starts it: it would write down whole addresses, by handlers of its own.
                **{
                    name: {"level": "WARNING", "handlers": [], "propagate": True}
                    for name in ("uvicorn", "uvicorn.access", "uvicorn.error")
                },
                # It would write down whole addresses, and a Discord webhook's is a password.
                "httpx": {"level": "WARNING"},
                "httpcore": {"level": "WARNING"},
                # A line for each passkey, with its number: the audit log says it better.
                "fido2": {"level": "WARNING"},
            },
        }
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared_processors(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
