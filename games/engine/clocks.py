"""Clocks as arithmetic over given instants and readings. All times are whole milliseconds.

A decision has turn time T; where its policy uses the reserve R, the reserve is spent once T is
used up. A submission stands at a reading of T + R exactly and no later.
"""

from __future__ import annotations

import msgspec


def to_ms(seconds: float) -> int:
    """Seconds to whole milliseconds, rounded to the nearest."""
    return round(seconds * 1000)


class ClockPolicy(msgspec.Struct, frozen=True):
    """How one kind of decision is timed.

    ``interval_ms`` 0 means that the reserve is spent continuously; otherwise it is spent in whole
    intervals of that length, each charged as soon as it is begun.

    A decision that ``lingers`` has at least its turn time and no deadline of its own while another
    one behind the same barrier is unanswered: until then it lasts as long as that one. Once all
    others are answered it runs out with its turn time, or is passed over where that is used up.
    """

    turn_ms: int
    uses_reserve: bool = False
    interval_ms: int = 0
    lingers: bool = False

    def limit(self, reserve_ms: int, extension_ms: int = 0) -> int:
        """The last reading at which a submission still counts."""
        turn = self.turn_ms + extension_ms
        return turn + reserve_ms if self.uses_reserve else turn

    def spent(self, reading_ms: int, reserve_ms: int, extension_ms: int = 0) -> int:
        """Reserve used by a decision that ended at ``reading_ms``; never more than what is left."""
        if not self.uses_reserve:
            return 0
        over = reading_ms - self.turn_ms - extension_ms
        if over <= 0:
            return 0
        if self.interval_ms:
            over = -(-over // self.interval_ms) * self.interval_ms
        return min(over, reserve_ms)


class Watch(msgspec.Struct, frozen=True):
    """A stopwatch: ``before_ms`` was measured earlier; since ``since`` (an instant) it runs on.

    ``since`` None means that it stands still.
    """

    before_ms: int = 0
    since: int | None = None

    def reading(self, at: int) -> int:
        """What the watch shows at instant ``at``; never less than what it had measured before."""
        if self.since is None:
            return self.before_ms
        return self.before_ms + max(0, at - self.since)

    def stopped(self, at: int) -> Watch:
        """The watch held from ``at`` on."""
        return Watch(self.reading(at), None)

    def started(self, at: int) -> Watch:
        """The watch running from ``at`` on; one that runs already is left alone."""
        return self if self.since is not None else Watch(self.before_ms, at)

    def instant_of(self, reading_ms: int) -> int | None:
        """The instant at which it shows ``reading_ms``, or None while it stands still."""
        if self.since is None:
            return None
        return self.since + reading_ms - self.before_ms
