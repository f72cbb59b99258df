"""Who waits for whom in the database."""

from django.db import connection


def own_pid() -> int:
    """The server's process behind this thread's connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def somebody_waits_for(pid: int) -> bool:
    """Whether a transaction waits for a lock that this process holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            # What is asked of the sessions themselves does not change within a transaction.
            "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted"
            " AND %s = ANY(pg_blocking_pids(pid)))",
            [pid],
        )
        return bool(cursor.fetchone()[0])
