"""How a pool of connections tries for the database while that is away.

Each time that it tries in vain psycopg's waits twice as long, and in the end gives up. So it gives
up soon, and then begins anew: a database that is back, after however long, has connections within a
second or two.
"""

from __future__ import annotations

from typing import Any, Final

from psycopg_pool import ConnectionPool

#: Options of a pool, beside its size.
RETURNING: Final[dict[str, Any]] = {
    "reconnect_timeout": 2,
    "reconnect_failed": ConnectionPool.check,
}
