"""Threads that can be asked whether they go on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Final, ParamSpec, TypeVar

# How long `go_on` waits for a thread that is about to be free.
PATIENCE_S: Final = 0.2

P = ParamSpec("P")
R = TypeVar("R")


class WatchedThreads(ThreadPoolExecutor):
    """A pool that knows whether any of its threads gets anything done."""

    def __init__(self, *, max_workers: int, thread_name_prefix: str) -> None:
        super().__init__(max_workers=max_workers, thread_name_prefix=thread_name_prefix)
        self._ended = 0
        self._seen = 0
        self._probe: Future[None] | None = None
        self._asking = threading.Lock()

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Have one of the threads make a call."""
        future = super().submit(fn, *args, **kwargs)
        future.add_done_callback(self._note)
        return future

    def go_on(self) -> bool:
        """Whether a thread is free, or any has ended a call since this was asked last. A long queue
        is none of its business: whoever waits in that is seen to. Returns within `PATIENCE_S`."""
        with self._asking:
            if self._probe is None or self._probe.done():
                self._probe = super().submit(_nothing)
            wait([self._probe], PATIENCE_S)
            ended, self._seen = self._ended - self._seen, self._ended
            return ended > 0 or self._probe.done()

    def _note(self, _future: Future[Any]) -> None:
        # Where two threads do so at once, one may go unnoticed; not both.
        self._ended += 1


def _nothing() -> None:
    """What is asked of a thread that is free."""
