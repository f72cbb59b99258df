"""Answers that stay open for long."""

from django.db import connection


def give_back_database() -> None:
    """Give the request's database connection back before a streamed answer is sent.

    Django does so when the answer is complete, which may be in hours; a few dozen slow readers
    would take every connection there is. Does nothing within a transaction, as in tests.
    """
    if not connection.in_atomic_block:
        connection.close()
