"""Whether a list still shows what it did, asked of the database in one statement.

A version is a digest of everything that the list shows, in the order in which it shows it. So
nothing has to be written where a match begins, pauses or ends, no writer can forget to, and a turn,
which changes nothing that a list shows, changes no version.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet


def versions_of(shown: Iterable[QuerySet[Any, Any]]) -> list[str]:
    """A digest for each of ``shown``, in their order: of the values of its rows, row by row."""
    parts: list[str] = []
    parameters: list[Any] = []
    for rows in shown:
        try:
            sql, given = rows.query.sql_with_params()
        except EmptyResultSet:  # Django sees that there can be no row, a slice of none for one
            parts.append("''")
            continue
        parts.append(f"(SELECT md5(string_agg(shown::text, E'\\n')) FROM ({sql}) shown)")  # noqa: S608  (Django's own)
        parameters += given
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(parts)}", parameters)
        found: tuple[str | None, ...] = cursor.fetchone()
    return [each or "" for each in found]
