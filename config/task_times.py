"""Tasks as a worker takes them: in which time what they say of themselves is meant."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from celery.worker.request import Request

from core.clock import clock


class InServiceTime(Request):
    """A task whose times are the service's (see `config.celery`). Celery compares them with the
    clock of the worker's host, so that is what they are translated to as it arrives."""

    _eta: datetime | None
    _expires: datetime | None

    def __init__(self, message: Any, **more: Any) -> None:
        super().__init__(message, **more)
        ahead = timedelta(microseconds=clock.host_ahead_ns / 1000)
        if self._eta is not None:
            self._eta += ahead
        if self._expires is not None:
            self._expires += ahead
