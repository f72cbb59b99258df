"""What settings must be like together."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core import checks
from django.db import Error

from config.operations.roles import role_excesses, site_role


def pool_covers_what_is_kept(**_given: Any) -> list[checks.CheckMessage]:
    """Warn where threads and event loop would keep all of a process's connections: no request would
    get any."""
    pool = settings.DATABASES["default"]["OPTIONS"].get("pool")
    kept = settings.GAUNTLET_CONNECTIONS_KEPT
    if not pool or pool["max_size"] > kept:
        return []
    return [
        checks.Warning(
            f"GAUNTLET_DB_POOL_MAX is {pool['max_size']}, and turns and reads keep {kept}"
            " connections: no request would get any.",
            hint="It has to be more than GAUNTLET_TURN_THREADS, GAUNTLET_READ_THREADS and"
            " GAUNTLET_TURN_CONNECTIONS together. Left empty, it is twelve more.",
            id="gauntlet.W001",
        )
    ]


def role_does_no_more(**_given: Any) -> list[checks.CheckMessage]:
    """Warn where the site's role in the database may do more than the site needs: it could take
    the audit log's triggers away. For `check --deploy`; nothing is said where the database cannot
    be asked, as while an image is built."""
    try:
        found = role_excesses(role=site_role()[0])
    except Error:
        return []
    if not found:
        return []
    return [
        checks.Warning(
            f"The site's role in the database may do more than the site needs: {'; '.join(found)}.",
            hint="Give the tables an owner of their own: docs/operating.md, “Two roles in the"
            " database”.",
            id="gauntlet.W002",
        )
    ]


def somebody_hears_of_holes(**_given: Any) -> list[checks.CheckMessage]:
    """Warn where nobody was named to whom somebody tells of a hole: security.txt leads them to the
    sender of the site's mail then, which is mostly an address that nobody reads."""
    if settings.GAUNTLET_SECURITY_CONTACT:
        return []
    return [
        checks.Warning(
            "GAUNTLET_SECURITY_CONTACT is empty: whoever has found a hole in the site is led to"
            f" {settings.DEFAULT_FROM_EMAIL}, the sender of its mail.",
            hint="Name an address that somebody reads, mailto: or https://.",
            id="gauntlet.W003",
        )
    ]
