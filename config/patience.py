"""How long, and how many of one address, connections may wait for a request that does not come.

A request is handed on once it is whole, so whoever sends one letter now and then keeps a connection
for as long as they like, at no cost of their own, and a process has only so many. Here a request's
head has to be there within `HEAD_S` of its first byte, or of the connection's beginning, and a body
has to bring `BODY_BYTES` in every `BODY_S`; who is slower is told so and let go. And of the
connections of an address that wait, those that have waited longest go where there are more than
may be (`GAUNTLET_WAITING_PER_ADDRESS`), so that a crowd of idle ones keeps nobody out. A connection
with a request that is being answered, or a socket, does not wait.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

import structlog
from django.conf import settings

from config.crowding import address_of

log = structlog.get_logger("gauntlet.patience")

HEAD_S: Final = 20.0
BODY_S: Final = 30.0
BODY_BYTES: Final = 16 * 1024
#: What is written to whoever is too slow.
TOO_SLOW: Final = (
    b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n"
    b"Cache-Control: no-store\r\n\r\n"
)


class Timer(Protocol):
    """Something that will be called."""

    def cancel(self) -> Any:
        """Have it not be called."""
        ...


def peer_of(host: str) -> str | None:
    """By what the connections of a peer are counted; None: by nothing. A proxy's are everybody's,
    and it has limits of its own for them."""
    if settings.REST_FRAMEWORK["NUM_PROXIES"]:
        return None
    return address_of({"client": [host, 0], "headers": []})


class Waiting:
    """The connections that wait, by address, the longest first."""

    def __init__(self) -> None:
        self.of: dict[str, dict[Patience, None]] = {}

    def enter(self, peer: str, connection: Patience) -> None:
        """One more; where that is too many, the one that has waited longest is let go."""
        there = self.of.setdefault(peer, {})
        there[connection] = None
        most: int = settings.GAUNTLET_WAITING_PER_ADDRESS
        if most and len(there) > most:
            longest = next(iter(there))
            log.info("connections.crowded", most=most)
            longest.drop()

    def leave(self, peer: str, connection: Patience) -> None:
        """One less, if it is there."""
        there = self.of.get(peer, {})
        there.pop(connection, None)
        if not there:
            self.of.pop(peer, None)


WAITING: Final = Waiting()


class Patience:
    """What a connection's protocol tells of it, and what becomes of it: ``later`` calls something
    after so many seconds, ``say`` ends it with an answer, ``abort`` without."""

    def __init__(
        self,
        host: str,
        later: Callable[[float, Callable[[], None]], Timer],
        say: Callable[[bytes], None],
        abort: Callable[[], None],
    ) -> None:
        self.peer = peer_of(host)
        self._later, self._say, self._abort = later, say, abort
        self._timer: Timer | None = None
        self._took = 0
        self._in_body = self._answers = False
        self._enter()
        self._arm(HEAD_S)

    def came(self, size: int) -> None:
        """So many bytes have come."""
        self._took += size
        if self._timer is None and not self._answers:
            self._arm(HEAD_S)  # the first of the next request

    def head_came(self) -> None:
        """A request's head is whole, and perhaps a body follows."""
        self._in_body, self._took = True, 0
        self._arm(BODY_S)

    def request_came(self) -> None:
        """A request is whole: it is answered now."""
        self._in_body, self._answers = False, True
        self._disarm()
        self._leave()

    def answered(self) -> None:
        """It is answered, and the next may come. How long the connection may be idle before that
        the server says."""
        if self._answers:
            self._answers = False
            self._enter()

    def end(self) -> None:
        """The connection is gone, or is another protocol's."""
        self._answers = True  # whatever comes now is nothing to this
        self._disarm()
        self._leave()

    def drop(self) -> None:
        """Let it go."""
        self.end()
        self._abort()

    def _enter(self) -> None:
        if self.peer is not None:
            WAITING.enter(self.peer, self)

    def _leave(self) -> None:
        if self.peer is not None:
            WAITING.leave(self.peer, self)

    def _arm(self, seconds: float) -> None:
        self._disarm()
        self._timer = self._later(seconds, self._look)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = None
        if self._in_body and self._took >= BODY_BYTES:
            self._took = 0
            self._arm(BODY_S)
            return
        log.info("connection.too-slow", body=self._in_body)
        self.end()
        self._say(TOO_SLOW)
