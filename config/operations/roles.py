"""What the site's own role may do in the database, which is less than its owner may.

Tables that only grow are held to it by triggers (`core.appendonly`), which whoever owns a table can
take off. So in production the site connects as a role that owns nothing: it reads and writes rows,
and of append-only tables it only adds to them. Names of deleted accounts are taken out of these by
a function of the owner's, which it may call. Tables are made by another, the owner, whose address
operators' commands have and nobody else (`config.owners`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import connection, transaction
from psycopg import sql

from core.appendonly import ERASING, ERASING_TAKES, FUNCTION, GROWING, MADE, Made
from core.env import database_options
from core.refusals import Refusal

log = structlog.get_logger("gauntlet.database")

# Tables that the site reads, and only migrations write.
_READ: Final = ("django_migrations",)
_ROWS: Final = ("INSERT", "UPDATE", "DELETE")
_SCHEMA: Final = "public"
#: The tables whose rows stay and are filled in step by step, and the function that sees to it: as
#: the migration makes it.
FILLED: Final = {"games_matchdraws": "games_matchdraws_stay"}
_FUNCTIONS: Final[dict[str, Made]] = {
    **MADE,
    "games_matchdraws_stay": Made(
        "8e26fc471eb0614272279363600f7f578af278affae70b083344882d607055cb", as_owner=False, path=""
    ),
}
# What a guard stands before, as `pg_trigger.tgtype` has it: each change and deletion of a row, and
# whoever empties the table.
_EACH_ROW, _EMPTYING = 27, 34


def append_only_tables() -> list[str]:
    """The tables that are held to only growing, as the database itself knows them; and those that
    should be, where somebody has taken that off."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT c.relname FROM pg_class c LEFT JOIN pg_trigger t ON t.tgrelid = c.oid"
            " LEFT JOIN pg_proc p ON p.oid = t.tgfoid WHERE p.proname = %s"
            " OR (c.relnamespace = %s::regnamespace AND c.relname = ANY(%s)) ORDER BY 1",
            (FUNCTION, _SCHEMA, list(GROWING)),
        )
        return [name for (name,) in cursor.fetchall()]


def unguarded_tables() -> list[str]:
    """Those of them, and of what is filled in, of which a trigger is not there, is switched off, or
    stands before less than every change of every row."""
    guards = dict.fromkeys(append_only_tables(), FUNCTION) | FILLED
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_class c"
            " JOIN unnest(%s::text[], %s::text[]) AS guard (tab, func) ON guard.tab = c.relname"
            " LEFT JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgenabled IN ('O', 'A')"
            " AND t.tgqual IS NULL AND t.tgattr::text = '' AND t.tgtype IN (%s, %s)"
            " AND t.tgfoid = to_regprocedure(format('%%I.%%I()', %s::text, guard.func))"
            " WHERE c.relnamespace = %s::regnamespace"
            " GROUP BY 1 HAVING count(DISTINCT t.tgtype) < 2 ORDER BY 1",
            (list(guards), list(guards.values()), _EACH_ROW, _EMPTYING, _SCHEMA, _SCHEMA),
        )
        return [name for (name,) in cursor.fetchall()]


def strange_functions() -> list[str]:
    """The functions of guards that are not as this release makes them."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p.proname, encode(sha256(convert_to(p.prosrc, 'UTF8')), 'hex'), p.prosecdef,"
            " array_to_string(p.proconfig, '; ') FROM pg_proc p"
            " WHERE p.pronamespace = %s::regnamespace AND p.proname = ANY(%s) ORDER BY 1",
            (_SCHEMA, list(_FUNCTIONS)),
        )
        strange = []
        for name, digest, as_owner, given in cursor.fetchall():
            path = (given or "").removeprefix("search_path=")
            if Made(digest, as_owner, path) != _FUNCTIONS[name]:
                strange.append(name)
        return strange


def missing_tables() -> list[str]:
    """Which of the tables that have a guard are not there at all."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM unnest(%s::text[]) AS name"
            " WHERE to_regclass(format('%%I.%%I', %s::text, name)) IS NULL ORDER BY 1",
            ([*GROWING, *FILLED], _SCHEMA),
        )
        return [name for (name,) in cursor.fetchall()]


def is_empty() -> bool:
    """Whether none of them is there: nothing was migrated, or it is another database."""
    return len(missing_tables()) == len({*GROWING, *FILLED})


def kept_tables() -> list[str]:
    """The tables whose rows stay, and are filled in step by step: a guard of their own sees to what
    may still be given. And those that should have one, where somebody has taken that off."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT c.relname FROM pg_class c LEFT JOIN pg_trigger t ON t.tgrelid = c.oid"
            " AND NOT t.tgisinternal AND t.tgname LIKE '%%\\_no\\_change'"
            " LEFT JOIN pg_proc p ON p.oid = t.tgfoid WHERE p.proname <> %s"
            " OR (c.relnamespace = %s::regnamespace AND c.relname = ANY(%s)) ORDER BY 1",
            (FUNCTION, _SCHEMA, list(FILLED)),
        )
        growing = {*GROWING}
        return [name for (name,) in cursor.fetchall() if name not in growing]


def site_role() -> tuple[str, str]:
    """The name and the password of the role by which the site connects."""
    address = database_options(settings.GAUNTLET_SITE_URL)
    return address["USER"], address["PASSWORD"]


def is_apart() -> bool:
    """Whether the settings name an owner besides the site's role, and this process is the owner."""
    return bool(settings.GAUNTLET_AS_OWNER) and site_role()[0] != _owner()


def _owner() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        name: str = cursor.fetchone()[0]
    return name


# -- granting ------------------------------------------------------------------------------------


@transaction.atomic
def roles_grant(*, role: str, password: str = "") -> bool:
    """Have a role be able to do what the site does, and no more; it is made, with this password, if
    there is none. Whatever else it was granted here is taken back. Whether it was made.

    Raises Refusal ``roles.owner`` for the owner's own, and ``roles.none`` where there is no such
    role and the owner may make none.
    """
    made = _make(role, password)
    name, schema = sql.Identifier(role), sql.Identifier(_SCHEMA)
    database = sql.Identifier(connection.settings_dict["NAME"])
    all_here = sql.SQL("ALL {} IN SCHEMA {}")
    for statement in (
        sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, name),
        sql.SQL("REVOKE CREATE ON SCHEMA {} FROM PUBLIC, {}").format(schema, name),
        sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, name),
        sql.SQL("REVOKE ALL ON {} FROM {}").format(
            all_here.format(sql.SQL("TABLES"), schema), name
        ),
        sql.SQL("REVOKE ALL ON {} FROM {}").format(
            all_here.format(sql.SQL("SEQUENCES"), schema), name
        ),
        # To read the number that an insert gave: not to set any.
        sql.SQL("GRANT USAGE ON {} TO {}").format(
            all_here.format(sql.SQL("SEQUENCES"), schema), name
        ),
    ):
        _do(statement)
    growing, kept = set(append_only_tables()), set(kept_tables())
    for table in _tables():
        rights = ["SELECT", *_ROWS]
        if table in growing:
            rights = ["SELECT", "INSERT"]
        elif table in kept:
            rights = ["SELECT", "INSERT", "UPDATE"]
        elif table in _READ:
            rights = ["SELECT"]
        listed = sql.SQL(", ").join(map(sql.SQL, rights))
        _do(
            sql.SQL("GRANT {} ON TABLE {} TO {}").format(
                listed, sql.Identifier(_SCHEMA, table), name
            )
        )
    _grant_erasing(name)
    log.info("database.granted", role=role, made=made)
    return made


def _grant_erasing(role: sql.Identifier) -> None:
    """Nobody else may: a restore leaves it to everybody, as all functions are at first."""
    function = f"{_SCHEMA}.{ERASING}{ERASING_TAKES}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regprocedure(%s)", (function,))
        if cursor.fetchone() == (None,):
            return  # migrated back to before it
    for statement in (
        "REVOKE ALL ON FUNCTION {} FROM PUBLIC",
        "GRANT EXECUTE ON FUNCTION {} TO {}",
    ):
        _do(sql.SQL(statement).format(sql.SQL(function), role))


def role_must_be_there(*, role: str) -> bool:
    """See that there is such a role, or that the owner may make it; whether there is. Changes
    nothing. Raises Refusal ``roles.owner`` and ``roles.none``, as `roles_grant` does."""
    if not role or role == _owner():
        raise Refusal(
            "roles.owner",
            "DATABASE_URL and DATABASE_OWNER_URL name the same role: the site's must be another.",
        )
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_roles WHERE rolname = %s", (role,))
        if cursor.fetchone() is not None:
            return True
        cursor.execute(
            "SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user"
        )
        (may,) = cursor.fetchone()
    if not may:
        raise Refusal(
            "roles.none",
            f"There is no role {role}, and the owner may make none. Have the database's "
            f"administrator do it: CREATE ROLE {role} LOGIN PASSWORD '…'.",
        )
    return False


def _make(role: str, password: str) -> bool:
    """Make a role where there is none; whether it was made."""
    if role_must_be_there(role=role):
        return False
    made = sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role))
    if password:
        made += sql.SQL(" PASSWORD {}").format(sql.Literal(password))
    _do(made)
    return True


def _tables() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace"
            " AND relkind IN ('r', 'p', 'v', 'm') ORDER BY 1",
            (_SCHEMA,),
        )
        return [name for (name,) in cursor.fetchall()]


def _do(statement: sql.Composable) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


# -- looking -------------------------------------------------------------------------------------

# What makes a role able to become another, or to go past what tables grant.
_ATTRIBUTES: Final = {
    "rolsuper": "is a superuser",
    "rolcreaterole": "may make roles",
    "rolcreatedb": "may make databases",
    "rolreplication": "may replicate",
    "rolbypassrls": "goes past row security",
}


def role_excesses(*, role: str = "") -> list[str]:
    """What a role may do that the site must not need, in words; by default the role of this
    process. Empty: no more than it should."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(nullif(%s, ''), current_user)", (role,))
        (name,) = cursor.fetchone()
        return list(_excesses(cursor, name))


def _excesses(cursor: Any, role: str) -> Iterator[str]:
    cursor.execute(
        f"SELECT {', '.join(_ATTRIBUTES)} FROM pg_roles WHERE rolname = %s",  # noqa: S608  (constants)
        (role,),
    )
    found = cursor.fetchone()
    if found is None:
        yield f"there is no role {role}"
        return
    for has, words in zip(found, _ATTRIBUTES.values(), strict=True):
        if has:
            yield f"it {words}"
    cursor.execute(
        "SELECT r.rolname FROM pg_roles r WHERE r.rolname <> %s"
        " AND pg_has_role(%s, r.oid, 'MEMBER') ORDER BY 1",
        (role, role),
    )
    if others := [name for (name,) in cursor.fetchall()]:
        yield f"it is a member of {_some(others)}"
    cursor.execute(
        "SELECT has_schema_privilege(%s, %s, 'CREATE'),"
        " pg_has_role(%s, (SELECT datdba FROM pg_database WHERE datname = current_database()),"
        " 'MEMBER')",
        (role, _SCHEMA, role),
    )
    makes, owns = cursor.fetchone()
    if makes:
        yield "it may make tables"
    if owns:
        yield "it owns the database"
    cursor.execute(
        "SELECT c.relname FROM pg_class c WHERE c.relnamespace = %s::regnamespace"
        " AND c.relkind IN ('r', 'p', 'v', 'm', 'S') AND pg_has_role(%s, c.relowner, 'MEMBER')"
        " ORDER BY 1",
        (_SCHEMA, role),
    )
    if owned := [name for (name,) in cursor.fetchall()]:
        yield f"it owns {_some(owned)}"
    yield from _table_excesses(cursor, role)
    if not is_empty() and (missing := missing_tables()):
        yield f"there is no {_some(missing)}"
    if unguarded := unguarded_tables():
        yield f"nothing refuses a change of {_some(unguarded)}, to anybody"
    for name in strange_functions():
        yield (f"{name} is not as this release makes it, and may let anybody change what it guards")


def _table_excesses(cursor: Any, role: str) -> Iterator[str]:
    held = [*append_only_tables(), *_READ]
    cursor.execute(
        # A right in one column is one, too.
        "SELECT DISTINCT c.relname FROM pg_class c JOIN pg_attribute a"
        " ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
        " WHERE c.relnamespace = %s::regnamespace AND c.relname = ANY(%s)"
        " AND has_column_privilege(%s, c.oid, a.attnum, 'UPDATE') ORDER BY 1",
        (_SCHEMA, held, role),
    )
    if those := [name for (name,) in cursor.fetchall()]:
        yield f"it may UPDATE {_some(those)}"
    for right, tables in (
        ("DELETE", [*held, *kept_tables()]),
        ("INSERT", [*_READ]),
        ("TRUNCATE", None),
        ("TRIGGER", None),
    ):
        can = "has_table_privilege(%s, c.oid, %s)"
        if right == "INSERT":
            can = "has_any_column_privilege(%s, c.oid, %s)"
        cursor.execute(
            "SELECT c.relname FROM pg_class c WHERE c.relnamespace = %s::regnamespace"  # noqa: S608
            " AND c.relkind IN ('r', 'p') AND (%s::text[] IS NULL OR c.relname = ANY(%s::text[]))"
            f" AND {can} ORDER BY 1",
            (_SCHEMA, tables, tables, role, right),
        )
        if those := [name for (name,) in cursor.fetchall()]:
            yield f"it may {right} {_some(those)}"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more}"
