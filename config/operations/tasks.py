"""What goes along with each task: when it was enqueued, and on account of which request. Workers
say how long it waited and took, and write it into every line that is logged while it is done."""

from __future__ import annotations

import inspect
import time
from datetime import datetime
from typing import Any, Final

from celery.signals import before_task_publish, task_postrun, task_prerun
from structlog.contextvars import bind_contextvars, clear_contextvars, get_contextvars

from core import metrics
from core.clock import now_ms
from core.queueing import ENQUEUED_AT, REQUEST

_WAITED: Final = metrics.histogram(
    "task_waited_seconds",
    "How long tasks waited for a worker from the moment on which they were to begin.",
    ("task",),
    buckets=metrics.SLOW,
)
_TOOK: Final = metrics.histogram(
    "task_seconds", "What tasks took, by how they ended.", ("task", "state"), buckets=metrics.SLOW
)
_began: dict[str, float] = {}
_takes: dict[str, inspect.Signature] = {}


def install() -> None:
    """Have it measured and said in this process."""
    before_task_publish.connect(_note_whence)
    task_prerun.connect(_bind_names)
    task_prerun.connect(_note_wait)
    task_postrun.connect(_note_end)


def _bind_names(
    task_id: str, task: Any, args: Any = (), kwargs: Any = None, **_more: object
) -> None:
    # A thread does one task after the other.
    clear_contextvars()
    bind_contextvars(task=task.name, task_id=task_id, **_about(task, args, kwargs))
    request = getattr(task.request, REQUEST, None)
    if request:
        bind_contextvars(request=request)


def _about(task: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    """The match that a task is about, where it takes one."""
    if task.name not in _takes:
        _takes[task.name] = inspect.signature(task.run)
    try:
        given = _takes[task.name].bind_partial(*(args or ()), **(kwargs or {})).arguments
    except TypeError:  # it will fail by itself, and say why
        return {}
    return {"match": given["match_id"]} if "match_id" in given else {}


def _note_whence(headers: dict[str, Any] | None = None, **_more: object) -> None:
    if headers is not None:
        headers[ENQUEUED_AT] = now_ms()
        headers[REQUEST] = get_contextvars().get("request")


def _note_wait(task_id: str, task: Any, **_more: object) -> None:
    _began[task_id] = time.perf_counter()
    at = getattr(task.request, ENQUEUED_AT, None)
    if task.request.eta:
        # It was to wait until then.
        at = int(datetime.fromisoformat(task.request.eta).timestamp() * 1000)
    if isinstance(at, int):
        _WAITED.labels(task.name).observe(max(0, now_ms() - at) / 1000)


def _note_end(task_id: str, task: Any, state: str | None = None, **_more: object) -> None:
    began = _began.pop(task_id, None)
    if began is not None:
        took = time.perf_counter() - began
        _TOOK.labels(task.name, (state or "lost").lower()).observe(took)
    clear_contextvars()
