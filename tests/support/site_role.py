"""Being in the database as the site is in production: as a role that owns nothing there."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection
from psycopg import sql

from config.operations.roles import roles_grant


class SiteRole:
    """Somebody who is connected as the site's role."""

    def __init__(self, role: str, password: str) -> None:
        self.role = role
        self.password = password
        own = connection.settings_dict
        self.address = f"postgresql://{role}:{password}@{own['HOST']}:{own['PORT']}/{own['NAME']}"

    def run(self, statement: str, *, erasing: bool = False, **names: Any) -> Any:
        """Run one statement for itself; ``erasing``: in a session that has switched on what the
        owner's function does (`core.appendonly.CREATE_ERASING`)."""
        text = sql.SQL(statement).format(**names)
        with psycopg.connect(self.address, autocommit=True) as connected:
            if erasing:
                connected.execute("SET gauntlet.erase_names = 'on'")
            cursor = connected.execute(text)
            return cursor.fetchall() if cursor.description else cursor.rowcount

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Have Django's own connection be this one's in the block. In tests that commit."""
        own = connection.settings_dict
        kept = {name: own[name] for name in ("USER", "PASSWORD")}
        connection.close()
        own |= {"USER": self.role, "PASSWORD": self.password}
        try:
            yield
        finally:
            connection.close()
            own |= kept


def become_site_role() -> None:
    """Have the rest of a test that is one transaction be done as the site's role, which is gone
    with it."""
    name = f"site_{secrets.token_hex(4)}"
    roles_grant(role=name)
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {name}")
