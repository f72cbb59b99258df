"""How workers and beat come back to a broker that was away, and by which clock they have a task in
hand.

Kombu tries again after 2, 4, 6 … seconds, up to 30, so that after a long outage nobody takes a task
for half a minute though the broker is there: no setting of Celery's says otherwise. Ours are a
handful of processes, and a server that has just started can do with one attempt of each a second.
"""

from __future__ import annotations

from typing import Any, Final

from celery.app.amqp import AMQP
from kombu import Connection
from kombu.transport import redis as transport

from core.clock import now_ms


def _service_time() -> float:
    """The service's time, in seconds."""
    return now_ms() / 1000


# Kombu notes since when a worker has a task in hand, and takes it for lost after a minute
# (`visibility_timeout`): each by the clock of its host, so that one which is ahead would take away
# what all others are doing. It asks its clock for nothing else.
transport.time = _service_time  # type: ignore[attr-defined]  # the stubs leave it out

# In seconds: how long to wait before the next attempt, first and at most.
INTERVALS: Final = {"interval_start": 0.5, "interval_step": 0.5, "interval_max": 1.0}


class Returning(Connection):
    """A connection that is tried for every second, for as long as it takes."""

    def ensure_connection(self, *args: Any, **options: Any) -> Any:
        """Wait until there is a connection. Raises what it could not be established for, where
        ``max_retries`` says that there is an end to it."""
        return super().ensure_connection(*args, **{**INTERVALS, **options})


class Broker(AMQP):
    """What Celery makes its connections by."""

    Connection = Returning
