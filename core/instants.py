"""When something came in, told by the clock that nobody sets.

Between the moment at which the bytes of a submission are there and the moment at which it is its
turn, the wall clock may be set. So what is carried along is a reading of the monotonic clock, and
an instant is made of it only when it is needed: what came first has the earlier instant. Readings
come from the server alone, and are of no use outside of their process.
"""

from __future__ import annotations

import time
from typing import Final

from django.http import HttpRequest

from core.clock import now_ms

#: Where a request's scope, and a message of a socket, have the reading.
RECEIVED: Final = "received"

# What there is to call for it, as often as anything comes.
reading = time.monotonic_ns


def instant_of_reading(taken: int) -> int:
    """The instant, in ms since 1970, at which a reading of this process was taken. What has waited
    for a while is rounded in its sender's favour, by less than two milliseconds."""
    waited = (reading() - taken) // 1_000_000
    return now_ms() - (waited + 1 if waited > 0 else 0)


def reading_of_request(request: HttpRequest) -> int | None:
    """The reading as the last byte of a request was there; None where the server does not say."""
    taken: int | None = getattr(request, "scope", {}).get(RECEIVED)
    return taken


def instant_of_request(request: HttpRequest) -> int:
    """The instant at which the last byte of a request was there; now, where the server does not
    say."""
    taken = reading_of_request(request)
    return now_ms() if taken is None else instant_of_reading(taken)
