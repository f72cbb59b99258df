"""A database in which everything is migrated, for `script/lib/testbed.py` to keep and copy.

python -m tests.support.template make NAME
python -m tests.support.template drop NAME
"""

import os
import sys
from urllib.parse import urlsplit

import psycopg
from psycopg.sql import SQL, Composed, Identifier

from script.lib.testbed import VARIABLE


def copied_to(name: str, template: str | None = None) -> Composed | None:
    """The statement that makes a database out of a template, by default the run's; None where there
    is none."""
    template = os.environ.get(VARIABLE) if template is None else template
    if not template:
        return None
    return SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(template))


def _make(name: str) -> None:
    address = os.environ["DATABASE_URL"]
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    # Before Django reads its settings.
    os.environ["DATABASE_URL"] = urlsplit(address)._replace(path=f"/{name}").geturl()
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", interactive=False, verbosity=0)


def _drop(name: str) -> None:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))


if __name__ == "__main__":
    what, database = sys.argv[1:]
    {"make": _make, "drop": _drop}[what](database)
