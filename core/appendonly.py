"""Tables that only grow, held to it by the database itself.

The migration that creates such a table, or one right after it, says:

    class Migration(migrations.Migration):
        dependencies = [("tournaments", "0001_initial")]
        operations = [*append_only("tournaments", "ruling")]

From then on UPDATE and DELETE are refused to everybody, with "append-only" in the message. TRUNCATE
is refused too, unless the session has switched `gauntlet.allow_truncate` on, which only the test
suite does: its transactional tests empty every table between two tests.

One thing may be changed in some of these tables: what somebody is called who has had their account
deleted. `names_erase` has a function in the database do it, which is the owner's: the site's role
may call that, and change no column itself (`config.operations.roles`). Whoever calls it, all that
can come of it is that "Former player" stands in the place of something in the columns in which
names stand (`NAMING`), which the triggers see to, and that the audit log says of which rows. The
logs of `accounts` are not among them.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from django.db import connection, transaction
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.special import RunSQL

# One function serves every table: it learns from the trigger which one it stands before. Whichever
# migration comes first makes it.
FUNCTION = "gauntlet_append_only"

#: What stands where a name did. Whoever changes it needs a migration that makes the functions anew.
ERASED: Final = "Former player"
#: The tables that only grow. The database knows them as well, as long as nobody takes the triggers
#: off them.
GROWING: Final = (
    "accounts_accountmerge",
    "accounts_auditcheck",
    "accounts_auditentry",
    "accounts_auditlink",
    "accounts_registrationchange",
    "games_matchentry",
    "tournaments_itemevent",
    "tournaments_ledgerentry",
    "tournaments_seasonevent",
)
# The columns of each table in which names stand, and their types.
NAMING: Final[Mapping[str, Mapping[str, str]]] = {
    "games_matchentry": {"by_name": "text", "events": "jsonb"},
    "tournaments_seasonevent": {"words": "text", "data": "jsonb"},
    "tournaments_itemevent": {"words": "text"},
}
#: The function that takes names out, and what it takes.
ERASING: Final = "gauntlet_erase_names"
ERASING_TAKES: Final = "(bigint, text, jsonb)"
# Rows that are handed to it at a time: the audit log lists them.
_ROWS: Final = 500
# Sentences that are longer than this are cut (`words` of events), in what was put in if need be.
_LONGEST: Final = 500


def _array(names: Iterable[str]) -> str:
    return ", ".join(f"'{each}'" for each in names)


# Of all of them together: none has a column that is called like another's and holds no names.
_COLUMNS: Final = _array(sorted({name for columns in NAMING.values() for name in columns}))

# The second function says whether one JSON comes of another when texts in it, or parts of them, are
# replaced by `ERASED`, and by nothing else.
CREATE_FUNCTION = rf"""
CREATE OR REPLACE FUNCTION {FUNCTION}() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' AND current_setting('gauntlet.allow_truncate', true) = 'on' THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'UPDATE' AND current_setting('gauntlet.erase_names', true) = 'on'
        AND TG_TABLE_NAME IN ({_array(NAMING)})
    THEN
        IF to_jsonb(NEW) - ARRAY[{_COLUMNS}] = to_jsonb(OLD) - ARRAY[{_COLUMNS}]
            AND {FUNCTION}_erased(to_jsonb(OLD), to_jsonb(NEW))
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'The table % is append-only: % refused.', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE OR REPLACE FUNCTION {FUNCTION}_erased(before jsonb, after jsonb) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    was text; reads text; part text; cut integer;
BEGIN
    IF before = after THEN
        RETURN true;
    ELSIF jsonb_typeof(before) IS DISTINCT FROM jsonb_typeof(after) THEN
        RETURN false;
    ELSIF jsonb_typeof(before) = 'object' THEN
        RETURN ARRAY(SELECT jsonb_object_keys(before)) = ARRAY(SELECT jsonb_object_keys(after))
            AND NOT EXISTS (
                SELECT FROM jsonb_each(before) b
                WHERE NOT {FUNCTION}_erased(b.value, after -> b.key)
            );
    ELSIF jsonb_typeof(before) = 'array' THEN
        RETURN jsonb_array_length(before) = jsonb_array_length(after) AND NOT EXISTS (
            SELECT FROM generate_series(0, jsonb_array_length(before) - 1) n
            WHERE NOT {FUNCTION}_erased(before -> n, after -> n)
        );
    ELSIF jsonb_typeof(before) = 'string' THEN
        was := before #>> '{{}}';
        reads := after #>> '{{}}';
        FOR cut IN 0 .. CASE length(reads) WHEN {_LONGEST} THEN {len(ERASED)} - 1 ELSE 0 END LOOP
            CONTINUE WHEN right(reads, cut) <> left('{ERASED}', cut);
            part := regexp_replace(left(reads, length(reads) - cut), '[\\%_]', '\\\&', 'g');
            part := replace(part, '{ERASED}', '_%');
            part := part || CASE WHEN length(reads) = {_LONGEST} THEN '%' ELSE '' END;
            IF was LIKE part THEN
                RETURN true;
            END IF;
        END LOOP;
    END IF;
    RETURN false;
END
$$;
"""  # noqa: S608  (constants)


def _changing(table: str, columns: Mapping[str, str]) -> str:
    given = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    changes = ", ".join(f"{name} = given.{name}" for name in columns)
    return f"""
    WHEN '{table}' THEN
        UPDATE public.{table} kept SET {changes}
        FROM jsonb_to_recordset(erased) AS given (id bigint, {given}) WHERE kept.id = given.id;"""  # noqa: S608


# Made by a migration of `accounts`, whose tables it names as well. It switches on what the triggers
# ask for; a role that may update none of these tables gains nothing by doing so itself.
CREATE_ERASING = f"""
CREATE OR REPLACE FUNCTION {ERASING}(account bigint, growing text, erased jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.accounts_auditentry (action, target_type, target_id, data, at)
    VALUES (
        'user.erase_names', 'accounts.user', account::text,
        jsonb_build_object('table', growing, 'rows', jsonb_path_query_array(erased, '$[*].id')),
        clock_timestamp()
    );
    PERFORM set_config('gauntlet.erase_names', 'on', true);
    CASE growing{"".join(_changing(*each) for each in NAMING.items())}
    END CASE;
    PERFORM set_config('gauntlet.erase_names', 'off', true);
END
$$;
REVOKE ALL ON FUNCTION {ERASING}{ERASING_TAKES} FROM PUBLIC;
"""  # noqa: S608  (constants)
# -- as they are made ----------------------------------------------------------------------------


class Made(NamedTuple):
    """A function as the database should have it: the SHA-256 of its text, whether it is done with
    its owner's rights, and where it looks for names."""

    digest: str
    as_owner: bool
    path: str


_MADE: Final = re.compile(
    r"CREATE OR REPLACE FUNCTION (\w+)\([^)]*\)(.*?)AS \$\$(.*?)\$\$;", re.DOTALL
)
_PATH: Final = re.compile(r"SET search_path = ([\w, ]+\w)")


def _made(statements: str) -> dict[str, Made]:
    made = {}
    for name, how, text in _MADE.findall(statements):
        path = _PATH.search(how)
        digest = hashlib.sha256(text.encode()).hexdigest()
        made[name] = Made(digest, "SECURITY DEFINER" in how, path[1] if path else "")
    return made


#: The functions by which it is done, as this release makes them.
MADE: Final[Mapping[str, Made]] = _made(CREATE_FUNCTION + CREATE_ERASING)
DROP_ERASING = f"DROP FUNCTION {ERASING}{ERASING_TAKES};"
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


@transaction.atomic
def names_erase(*, account: int, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Take the names of an account that is deleted out of rows of a table that only grows. Each row
    is its ``id``, and how all columns of the table in which names stand read from now on.

    Raises a DatabaseError, with "append-only" in it, for anything but names that were taken out.
    """
    for first in range(0, len(rows), _ROWS):
        some = json.dumps(rows[first : first + _ROWS])
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {ERASING}(%s, %s, %s::jsonb)", (account, table, some))
