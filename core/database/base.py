"""PostgreSQL through a pool that is back as soon as the database is.

A database that was started again has broken every connection of the pool. psycopg's own check comes
upon one after the other, and waits longer before each next one; here the first that is found broken
has all of them looked at, and nobody waits. (`core.database.returning` is about the rest:
how often a connection is tried for while there is no database.)
"""

from __future__ import annotations

from typing import Any, Final

import psycopg
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool

#: The connection to a read replica, where there is one (`core.replica`).
REPLICA: Final = "replica"


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, whose pool is looked through when a connection of it turns out to be broken."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection that works, as far as one round trip can tell. Of a replica none is looked
        at: whoever finds it broken asks the primary; and each only reads, as every transaction of
        it says by itself."""
        link = super().get_new_connection(conn_params)
        if self.alias == REPLICA:
            link.read_only = True
            return link
        pool = self.pool
        if pool is None or _works(link):
            return link
        pool.putconn(link)
        pool.check()
        return super().get_new_connection(conn_params)


def _works(link: psycopg.Connection[Any]) -> bool:
    try:
        ConnectionPool.check_connection(link)
    except psycopg.Error:
        return False
    return True
