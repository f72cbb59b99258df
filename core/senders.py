"""How many threads of a process wait for somebody outside: the others are left for everything
else, however long nothing is said there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings


class Senders:
    """The threads of this process that may do one kind of work at a time, as many as a setting
    says: one of its own, so that what all of them may be is the sum of these settings."""

    def __init__(self, setting: str) -> None:
        self.setting = setting
        self.busy = 0
        self._one_at_a_time = threading.Lock()

    @property
    def most(self) -> int:
        """How many there may be."""
        most: int = getattr(settings, self.setting)
        return most

    @contextmanager
    def one(self) -> Iterator[bool]:
        """Whether this thread may be one of them; it is meanwhile."""
        with self._one_at_a_time:
            free = self.busy < self.most
            self.busy += free
        try:
            yield free
        finally:
            with self._one_at_a_time:
                self.busy -= free
