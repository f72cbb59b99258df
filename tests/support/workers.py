"""What is handed to workers, where a test has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from core import queueing


class Handed(NamedTuple):
    """A task on its way to a worker, and in how many seconds it is to begin."""

    task: str
    arguments: tuple[Any, ...]
    countdown: float | None


class Workers:
    """In place of the broker: notes what it is given, and does at once what a test wants done."""

    def __init__(self) -> None:
        self.handed: list[Handed] = []
        self.at_once: dict[str, Callable[..., Any]] = {}
        self.unnoted: set[str] = set()  # what a test is not about
        self.fault: Exception | None = None  # the broker is away

    def send_task(
        self,
        task: str,
        arguments: tuple[Any, ...],
        *,
        countdown: float | None = None,
        expires: float | None = None,
    ) -> None:
        """What Celery's application does with it."""
        if self.fault is not None:
            raise self.fault
        assert expires is None or expires > 0
        if task in self.unnoted:
            return
        self.handed.append(Handed(task, arguments, countdown))
        if task in self.at_once:
            self.at_once[task](*arguments)

    def of(self, task: str) -> list[tuple[Any, ...]]:
        """What a task was asked to do, each time."""
        return [each.arguments for each in self.handed if each.task == task]


def set_up(monkeypatch: pytest.MonkeyPatch) -> Workers:
    """Such workers, for as long as the patch holds."""
    workers = Workers()
    monkeypatch.setattr(queueing, "current_app", workers)
    return workers
