"""What is measured of matches: turns by their parts, and how late deadlines are enforced."""

from __future__ import annotations

import time
from typing import Final

from core import metrics
from core.clock import now_ms

_TURN: Final = metrics.Timings(
    "turn_seconds",
    "What an acknowledged turn took: by way (loop, thread, api) and part (waited, judged, stored,"
    " told; whole: all of it, from arrival to the acknowledgement).",
    ("way", "part"),
)
# The deliberate grace is 0.25 s: what comes just after it is told apart finely.
_LATENESS: Final = metrics.histogram(
    "deadline_lateness_seconds",
    "How long after its instant a deadline was enforced, by whom (task, sweep, web, submission).",
    ("by",),
    buckets=(0.05, 0.25, 0.26, 0.28, 0.3, 0.35, 0.4, 0.5, 0.75, 1, 2, 5, 10, 30, 60),
)
SYNCS: Final = metrics.counter("syncs", "How often a reader was sent everything of a match.")


class Laps:
    """The parts of one turn, each ended by a lap. Some may come more than once. They count once
    `finish` is called, and not before: what is refused is counted elsewhere, by its code."""

    __slots__ = ("_began", "_last", "_parts", "_surface", "_way")

    def __init__(self, at: int, surface: str = "") -> None:
        """``at``: the instant (ms) at which it arrived. Turns of a ``surface`` are all of one way,
        whoever carries them out."""
        self._last = time.perf_counter()
        self._began = self._last - max(0, now_ms() - at) / 1000
        self._parts: dict[str, float] = {}
        self._surface = surface
        self._way = ""

    def begin(self, way: str) -> None:
        """It is taken in hand. All before was waiting, an attempt that came to nothing included."""
        self._way = self._surface or way
        self._last = time.perf_counter()
        self._parts = {"waited": self._last - self._began}

    def lap(self, part: str) -> None:
        """A part has come to its end."""
        now = time.perf_counter()
        self._parts[part] = self._parts.get(part, 0.0) + now - self._last
        self._last = now

    def finish(self) -> None:
        """The acknowledgement is on its way, and all have been told."""
        self.lap("told")
        self._parts["whole"] = self._last - self._began
        _TURN.observe(self._way, parts=self._parts)


def deadline_enforced(deadline: int, by: str) -> None:
    """A deadline (ms since 1970) has taken effect just now."""
    _LATENESS.labels(by).observe(max(0, now_ms() - deadline) / 1000)
