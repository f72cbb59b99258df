"""`manage.py migrate`: Django's, with limits of time that are a migration's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.errors import LockNotAvailable

from config.operations.roles import is_apart, roles_grant, site_role
from core.refusals import Refusal

# A change of a table waits until whoever reads it has done, and whoever comes after it waits behind
# it, turns as well: while a backup runs, for as long as that takes. So it gives up soon, nothing is
# changed, and it is for the operator to try again. How long it then takes is its own business: an
# index of a long table takes longer than any statement of the site's may.
LIMITS: Final = {"lock_timeout": "2s", "statement_timeout": "0"}


class Command(migrate.Command):
    """Django's. It has no time limit for statements, and waits 2 s for a lock, not longer. Where
    the tables have an owner of their own, it grants the site's role what that needs."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, and grant the site's role what it needs of what is new. Raises CommandError
        where somebody holds what had to be locked, and where there is no such role."""
        with _limits(connections[options.get("database") or DEFAULT_DB_ALIAS]):
            try:
                super().handle(*args, **options)
            except OperationalError as error:
                if not isinstance(error.__cause__, LockNotAvailable):
                    raise
                raise CommandError(
                    "Somebody holds what had to be changed, a backup for instance, and everybody "
                    "else would have waited behind this. What was applied so far stays, of what "
                    "was under way nothing was done: run it again."
                ) from error
        self._grant()

    def _grant(self) -> None:
        """What there is now is the site's role's, too, where that is not the owner."""
        if not is_apart():
            return
        role, password = site_role()
        try:
            roles_grant(role=role, password=password)
        except Refusal as refusal:
            raise CommandError(refusal.sentence) from refusal


@contextmanager
def _limits(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Have these limits hold for a connection in the block. Not behind a pooler, where it is
    somebody else's in the next moment: migrations are to be made past that (docs/operating.md)."""
    if settings.GAUNTLET_DB_POOLER:
        yield
        return
    with connection.cursor() as cursor:
        before = {name: _shown(cursor, name) for name in LIMITS}
        _set(cursor, LIMITS)
    try:
        yield
    finally:
        # In a transaction that has failed nothing can be said, and nothing outlives it either.
        if connection.is_usable():
            with connection.cursor() as cursor:
                _set(cursor, before)


def _shown(cursor: Any, name: str) -> str:
    cursor.execute("SELECT current_setting(%s)", (name,))
    value: str = cursor.fetchone()[0]
    return value


def _set(cursor: Any, values: dict[str, str]) -> None:
    for name, value in values.items():
        cursor.execute("SELECT set_config(%s, %s, false)", (name, value))
