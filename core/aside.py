"""What nobody waits for, done by a thread beside those that somebody does.

A turn that is committed has still something to tell the broker: readers in other processes, and
workers. A broker that hangs would keep each thread that turns run in, one after the other. So in a
web process one thread does all of that, in the order in which it was asked; whatever it cannot do
is found by the sweep or by a reader's next pong, as after any other failure of the broker.
Elsewhere (workers, commands) whoever asks does it, there and then.
"""

from __future__ import annotations

import atexit
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import structlog

log = structlog.get_logger("gauntlet.aside")

# What waits for a broker that has just begun to hang, at the fastest that turns are made.
AT_MOST: Final = 20_000
# What is left at the end of a process has so long, in seconds.
FINISH_S: Final = 1.0


class Aside:
    """The calls that wait, and the thread that makes them."""

    def __init__(self) -> None:
        self.calls: deque[Callable[[], Any]] = deque()
        self.waiting = threading.Semaphore(0)
        self.thread: threading.Thread | None = None
        self.ends = False

    def begin(self) -> None:
        """Have calls made by a thread from now on."""
        if self.thread is None:
            self.ends = False
            self.thread = threading.Thread(target=self._run, name="gauntlet-aside", daemon=True)
            self.thread.start()
            atexit.register(self.finish)

    def finish(self) -> None:
        """Make the calls that wait, as far as there is time, and end the thread."""
        thread, self.thread = self.thread, None
        if thread is not None:
            self.ends = True
            self.waiting.release()
            thread.join(FINISH_S)
            atexit.unregister(self.finish)

    def soon(self, call: Callable[[], Any]) -> None:
        """Have a call made soon; here and now where there is no thread for it. Any thread may call
        this, and an event loop."""
        if self.thread is None:
            call()
        elif len(self.calls) < AT_MOST:
            self.calls.append(call)
            self.waiting.release()
        else:
            log.warning("aside.full")

    def _run(self) -> None:
        while True:
            self.waiting.acquire()
            if self.calls:
                try:
                    self.calls.popleft()()
                except Exception:
                    log.exception("aside.failed")
            elif self.ends:
                return


ASIDE: Final = Aside()


def soon(call: Callable[[], Any]) -> None:
    """Have the thread of this process make a call soon; here and now where it has none."""
    ASIDE.soon(call)
