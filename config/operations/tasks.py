"""What is measured of tasks: when each was enqueued goes along with it, and workers say how long it
waited and took."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any, Final

from celery.signals import before_task_publish, task_postrun, task_prerun

from core import metrics
from core.clock import now_ms
from core.queueing import ENQUEUED_AT

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


def install() -> None:
    """Have it measured in this process."""
    before_task_publish.connect(_note_instant)
    task_prerun.connect(_note_wait)
    task_postrun.connect(_note_end)


def _note_instant(headers: dict[str, Any] | None = None, **_more: object) -> None:
    if headers is not None:
        headers[ENQUEUED_AT] = now_ms()


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
