"""How many threads of a process wait for Discord: the others are left for everything else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings


class Few:
    """A few threads, `GAUNTLET_DISCORD_SENDERS` of a process, for one kind of work."""

    def __init__(self) -> None:
        self._waiting = threading.Semaphore(settings.GAUNTLET_DISCORD_SENDERS)

    @contextmanager
    def free_thread(self) -> Iterator[bool]:
        """Whether this thread may wait for Discord."""
        free = self._waiting.acquire(blocking=False)
        try:
            yield free
        finally:
            if free:
                self._waiting.release()
