"""How workers and beat come back to a broker that was away.

Kombu tries again after 2, 4, 6 … seconds, up to 30, so that after a long outage nobody takes a task
for half a minute though the broker is there: no setting of Celery's says otherwise. Ours are a
handful of processes, and a server that has just started can do with one attempt of each a second.
"""

from __future__ import annotations

from typing import Any, Final

from celery.app.amqp import AMQP
from kombu import Connection

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
