"""Tables that only grow, held to it by the database itself.

The migration that creates such a table, or one right after it, says:

    class Migration(migrations.Migration):
        dependencies = [("tournaments", "0001_initial")]
        operations = [*append_only("tournaments", "ruling")]

From then on UPDATE and DELETE are refused to everybody, with "append-only" in the message. TRUNCATE
is refused too, unless the session has switched `gauntlet.allow_truncate` on, which only the test
suite does: its transactional tests empty every table between two tests.
"""

import re

from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.special import RunSQL

# One function serves every table: it learns from the trigger which one it stands before. Whichever
# migration comes first makes it.
FUNCTION = "gauntlet_append_only"

_CREATE_FUNCTION = f"""
CREATE OR REPLACE FUNCTION {FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' AND current_setting('gauntlet.allow_truncate', true) = 'on' THEN
        RETURN NULL;
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
    return [RunSQL(_CREATE_FUNCTION, RunSQL.noop), RunSQL(forward, backward)]
