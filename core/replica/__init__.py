"""A second database that follows the first (a hot standby of PostgreSQL), for what only reads.

`reading` says what is read from it, and how; `watching` whether it may be asked just now; `writers`
who must not be, having written something that it may lack. Without one (`GAUNTLET_REPLICA_URL` is
empty) none of it does anything.
"""

from django.db import connections

from core.database.base import REPLICA


def is_there() -> bool:
    """Whether there is a replica at all."""
    return REPLICA in connections.settings
