"""Who is connected to this process, in numbers. Nothing is counted while frames go: the sockets
know what they have sent, and are asked when somebody looks."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Final, Protocol

from core import metrics


class Counted(Protocol):
    """A socket: as whom it reads (``arriving``, ``player``, ``room``, ``lobby``), and how many
    frames it was sent."""

    reads_as: str
    sent: int


class Sockets:
    """The open ones."""

    def __init__(self) -> None:
        self._open: set[Counted] = set()
        self._sent_by_closed = 0
        # One that closes between two looks must not be counted twice, or not at all.
        self._lock = threading.Lock()

    def enter(self, socket: Counted) -> None:
        """A socket is there."""
        with self._lock:
            self._open.add(socket)

    def leave(self, socket: Counted) -> None:
        """A socket is gone."""
        with self._lock:
            self._open.discard(socket)
            self._sent_by_closed += socket.sent

    def by_reader(self) -> metrics.Figures:
        """How many are open, by as whom they read."""
        with self._lock:
            found = Counter(socket.reads_as for socket in self._open)
        return {(name,): found[name] for name in ("arriving", "player", "room", "lobby")}

    def sent(self) -> metrics.Figures:
        """How many frames they were sent, all that ever were here."""
        with self._lock:
            return {(): self._sent_by_closed + sum(socket.sent for socket in self._open)}


SOCKETS: Final = Sockets()
CLOSED: Final = metrics.Codes(
    "sockets_closed",
    "Sockets that the site has closed, by the code that they were told.",
    ("code",),
)

metrics.looked_up(
    "sockets_open", "Open sockets, by as whom they read.", ("reader",), SOCKETS.by_reader
)
metrics.looked_up("frames_sent", "Frames sent by sockets.", (), SOCKETS.sent, kind="counter")
