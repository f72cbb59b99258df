"""A read replica of the database, for public pages and lists of the API; empty: there is none, and
nothing is different."""

from typing import Any

from psycopg import IsolationLevel

from core.database.returning import RETURNING
from core.env import database_options, env

GAUNTLET_REPLICA_URL = env.str("GAUNTLET_REPLICA_URL", "")
# One that is farther behind is not asked; and who has written reads from the primary for so long.
GAUNTLET_REPLICA_LAG_MS = env.int("GAUNTLET_REPLICA_LAG_MS", 5000)
# Connections of one process, at most; 0: one is made each time.
GAUNTLET_REPLICA_POOL_MAX = env.int("GAUNTLET_REPLICA_POOL_MAX", 12)


def replica_database(*, pooler: bool) -> dict[str, Any]:
    """What `DATABASES` says of it. ``pooler``: nothing may be said to a session."""
    options: dict[str, Any] = {
        "application_name": "gauntlet-replica",
        "connect_timeout": 2,
        # Each answer sees one moment; that it only reads the connection says as well.
        "isolation_level": IsolationLevel.REPEATABLE_READ,
        "prepare_threshold": None if pooler else 0,
    }
    if not pooler:
        options["options"] = "-c default_transaction_read_only=on -c statement_timeout=5000"
    if GAUNTLET_REPLICA_POOL_MAX:
        options["pool"] = {
            "min_size": 1,
            "max_size": GAUNTLET_REPLICA_POOL_MAX,
            # Whoever would wait longer asks the primary.
            "timeout": 0.5,
            "max_lifetime": 1800,
            "max_idle": 300,
            **RETURNING,
        }
    entry = database_options(GAUNTLET_REPLICA_URL, variable="GAUNTLET_REPLICA_URL")
    return {
        **entry,
        "OPTIONS": entry["OPTIONS"] | options,
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": False,
        "ATOMIC_REQUESTS": False,
        "DISABLE_SERVER_SIDE_CURSORS": True,
        # Tests make no second database of it.
        "TEST": {"MIRROR": "default"},
    }
