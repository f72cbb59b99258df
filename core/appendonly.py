"""Tables that only grow, held to it by the database itself.

The migration that creates such a table, or one right after it, says:

    class Migration(migrations.Migration):
        dependencies = [("tournaments", "0001_initial")]
        operations = [*append_only("tournaments", "ruling")]

From then on UPDATE and DELETE are refused to everybody, with "append-only" in the message. TRUNCATE
is refused too, unless the session has switched `gauntlet.allow_truncate` on, which only the test
suite does: its transactional tests empty every table between two tests.

One thing may be changed in some of these tables: what somebody is called who has had their account
deleted. Inside of `names_erased` the columns in which names stand (`NAMING`) can be updated; every
other column must stay as it is, or all is refused. The logs of `accounts` are not among them. The
site's role is granted just these columns (`config.operations.roles`).
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection, transaction
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.special import RunSQL

# One function serves every table: it learns from the trigger which one it stands before. Whichever
# migration comes first makes it.
FUNCTION = "gauntlet_append_only"

# The columns of each table in which names stand.
NAMING: Final = {
    "games_matchentry": ("by_name", "events"),
    "tournaments_seasonevent": ("words", "data"),
    "tournaments_itemevent": ("words",),
}


def _array(names: Iterable[str]) -> str:
    return ", ".join(f"'{each}'" for each in names)


# Of all of them together: none has a column that is called like another's and holds no names.
_COLUMNS: Final = _array(sorted({name for columns in NAMING.values() for name in columns}))

CREATE_FUNCTION = f"""
CREATE OR REPLACE FUNCTION {FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' AND current_setting('gauntlet.allow_truncate', true) = 'on' THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'UPDATE' AND current_setting('gauntlet.erase_names', true) = 'on'
        AND TG_TABLE_NAME IN ({_array(NAMING)})
    THEN
        IF to_jsonb(NEW) - ARRAY[{_COLUMNS}] = to_jsonb(OLD) - ARRAY[{_COLUMNS}] THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'The table % is append-only: % refused.', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation';
END
$$;
"""
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def append_only(app: str, table: str) -> list[Operation]:
    """The operations of a migration that make one table append-only; they can be undone.

    `app` is the app's label and `table` the model's name in lower case: `("games", "matchentry")`
    guards `games_matchentry`. Raises ValueError for a name that is not in lower case, or that
    already has the label before it.
    """
    for name in (app, table):
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of an app or a model in lower case")
    if table.startswith(f"{app}_"):
        raise ValueError(f"give the model's name without its app: {table.removeprefix(app + '_')}")
    full = f"{app}_{table}"
    forward = f"""
CREATE OR REPLACE TRIGGER {full}_no_change
    BEFORE UPDATE OR DELETE ON {full}
    FOR EACH ROW EXECUTE FUNCTION {FUNCTION}();
CREATE OR REPLACE TRIGGER {full}_no_truncate
    BEFORE TRUNCATE ON {full}
    FOR EACH STATEMENT EXECUTE FUNCTION {FUNCTION}();
"""
    backward = f"""
DROP TRIGGER {full}_no_truncate ON {full};
DROP TRIGGER {full}_no_change ON {full};
"""
    # Going back leaves the function: other tables may need it.
    return [RunSQL(CREATE_FUNCTION, RunSQL.noop), RunSQL(forward, backward)]


@contextmanager
def names_erased() -> Iterator[None]:
    """A transaction in which names can be erased from what only grows; see the head of this module.
    What it allows ends with it, and with the transaction around it at the latest."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('gauntlet.erase_names', 'on', true)")
        yield
        cursor.execute("SELECT set_config('gauntlet.erase_names', 'off', true)")
