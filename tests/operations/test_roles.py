"""The site's role in the database may do what the site needs, and nothing to what only grows."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from psycopg import sql
from psycopg.errors import CaseNotFound, InsufficientPrivilege, RestrictViolation

from accounts.leaving.services import user_erase
from accounts.models import AuditEntry, User
from accounts.names.validators import FORMER_NAME
from accounts.services import audit_record
from config.operations.backups import Behind
from config.operations.checks import role_does_no_more
from config.operations.roles import (
    append_only_tables,
    is_empty,
    kept_tables,
    role_excesses,
    roles_grant,
)
from config.owners import COMMANDS, is_owners
from core.appendonly import ERASING, ERASING_TAKES, GROWING, NAMING
from core.refusals import Refusal
from games.models import MatchEntry
from tests.games.support import started, user_named
from tests.support.site_role import SiteRole
from tests.tournaments.support import START, enrolled, organiser_named
from tournaments.models import SeasonEvent
from tournaments.services.seasons import season_cancel

# Whoever connects besides sees what is committed alone.
pytestmark = pytest.mark.django_db(transaction=True)

# What is done to a table that only grows, and who has no business with it.
FORBIDDEN = {
    "change": "UPDATE {table} SET {column} = {column}",
    "delete": "DELETE FROM {table}",
    "empty": "TRUNCATE {table}",
    "empty with all that hangs on it": "TRUNCATE {table} CASCADE",
    "lock its rows": "SELECT FROM {table} FOR UPDATE",
    "lock it": "BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE",
    "take its trigger off": "DROP TRIGGER {trigger} ON {table}",
    "switch its triggers off": "ALTER TABLE {table} DISABLE TRIGGER ALL",
    "put a trigger of its own on": (
        "CREATE TRIGGER mine BEFORE INSERT ON {table} FOR EACH ROW"
        " EXECUTE FUNCTION suppress_redundant_updates_trigger()"
    ),
    "put a rule on": "CREATE RULE mine AS ON INSERT TO {table} DO INSTEAD NOTHING",
    "drop": "DROP TABLE {table} CASCADE",
    "rename": "ALTER TABLE {table} RENAME TO other",
    "own": "ALTER TABLE {table} OWNER TO CURRENT_USER",
    "overwrite what is there": (
        "INSERT INTO {table} SELECT * FROM {table} ON CONFLICT ({key}) DO UPDATE SET {column} ="
        " EXCLUDED.{column}"
    ),
}
MAY_OF_KEPT = {"change", "lock its rows", "lock it", "overwrite what is there"}
ANYWHERE = {
    "replace the triggers' function": (
        "CREATE OR REPLACE FUNCTION gauntlet_append_only() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN RETURN NEW; END'"
    ),
    "drop the triggers' function": "DROP FUNCTION gauntlet_append_only CASCADE",
    "make a table": "CREATE TABLE mine (id int)",
    "switch all triggers off": "SET session_replication_role = replica",
    "become a superuser": "ALTER ROLE CURRENT_USER SUPERUSER",
    "write to the server's disk": "COPY (SELECT 1) TO '/tmp/x'",
    "run a program": "COPY (SELECT 1) TO PROGRAM 'true'",
    "say what is migrated": "DELETE FROM django_migrations",
    "set the numbers of entries": (
        "SELECT setval(pg_get_serial_sequence('accounts_auditentry', 'id'), 1)"
    ),
}

# A row of each table in which names stand.
ROWS = {
    "games_matchentry": (
        "INSERT INTO games_matchentry (match_id, seq, actor, text, timeout, submitted, by_name,"
        " why, at, events) VALUES (1, 1, 'service', 'x', false, '', 'Ada', '', 1,"
        ' \'[{"text": "Drawn by Ada.", "data": {"by": "Ada", "card": 3}}]\')'
    ),
    "tournaments_seasonevent": (
        "INSERT INTO tournaments_seasonevent (season_id, kind, words, data, at)"
        " VALUES (1, 'x', 'Ada withdraws.', '{\"names\": [\"Ada\", \"Ben\"]}', now())"
    ),
    "tournaments_itemevent": (
        "INSERT INTO tournaments_itemevent (gift_id, kind, words, at)"
        " VALUES (1, 'given', 'Ada has it.', now())"
    ),
}

# What may be granted to it, and what is said of that.
EXCESSES = {
    "GRANT UPDATE (action) ON accounts_auditentry TO {role}": "may UPDATE accounts_auditentry",
    "GRANT UPDATE (at) ON tournaments_seasonevent TO {role}": "may UPDATE tournaments_seasonevent",
    "GRANT UPDATE (words) ON tournaments_itemevent TO {role}": "may UPDATE tournaments_itemevent",
    "GRANT UPDATE (text) ON games_matchentry TO PUBLIC": "may UPDATE games_matchentry",
    "GRANT UPDATE ON tournaments_itemevent TO {role}": "may UPDATE tournaments_itemevent",
    "GRANT UPDATE (at) ON tournaments_ledgerentry TO {role}": "may UPDATE tournaments_ledgerentry",
    "GRANT UPDATE (app) ON django_migrations TO {role}": "may UPDATE django_migrations",
    "GRANT INSERT ON django_migrations TO {role}": "may INSERT django_migrations",
    "ALTER ROLE {role} CREATEROLE": "may make roles",
    "ALTER ROLE {role} CREATEDB": "may make databases",
    "ALTER ROLE {role} REPLICATION": "may replicate",
    "ALTER ROLE {role} BYPASSRLS": "goes past row security",
    "GRANT pg_write_all_data TO {role}": "is a member of pg_write_all_data",
    "GRANT {owner} TO {role}": "is a member of",
    "ALTER TABLE jobs_jobdone OWNER TO {role}": "owns jobs_jobdone",
    "GRANT DELETE ON accounts_auditentry TO PUBLIC": "may DELETE accounts_auditentry",
    "GRANT DELETE ON games_matchdraws TO {role}": "may DELETE games_matchdraws",
    "GRANT TRIGGER ON accounts_user TO {role}": "may TRIGGER accounts_user",
    "GRANT CREATE ON SCHEMA public TO PUBLIC": "may make tables",
}


@pytest.fixture
def role() -> Iterator[str]:
    """The name of a role that is gone afterwards, with all that it was granted."""
    name = f"site_{secrets.token_hex(4)}"
    yield name
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_roles WHERE rolname = %s", (name,))
        if cursor.fetchone() is not None:
            cursor.execute(f"DROP OWNED BY {name}")
            cursor.execute(f"DROP ROLE {name}")


@pytest.fixture
def site(role: str) -> SiteRole:
    password = secrets.token_hex(8)
    assert roles_grant(role=role, password=password)
    return SiteRole(role, password)


@pytest.fixture
def entry() -> None:
    user = User.objects.create_user("ada", "ada@example.test", "pw-for-tests")
    with transaction.atomic():
        audit_record(acting_user=user, action="test.done", target=user)


def test_every_table_that_only_grows_is_known() -> None:
    assert append_only_tables() == list(GROWING)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger"
            " WHERE tgfoid = 'gauntlet_append_only'::regproc ORDER BY 1"
        )
        assert [name for (name,) in cursor.fetchall()] == list(GROWING)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE {table} DISABLE TRIGGER USER",
        "ALTER TABLE {table} DISABLE TRIGGER {table}_no_truncate",
        "ALTER TABLE {table} ENABLE REPLICA TRIGGER {table}_no_change",
        "DROP TRIGGER {table}_no_change ON {table}",
        "DROP TRIGGER {table}_no_change ON {table}; DROP TRIGGER {table}_no_truncate ON {table}",
    ],
)
def test_a_table_whose_guard_was_taken_off_is_found_and_granted_to_nobody(
    site: SiteRole, statement: str, subtests: pytest.Subtests
) -> None:
    """By `database check`; and the next migration leaves the site's role as it was there."""
    for table in GROWING:
        with subtests.test(table=table), transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(statement.format(table=table))
            assert role_excesses(role=site.role) == [
                f"nothing refuses a change of {table}, to anybody"
            ]
            roles_grant(role=site.role)
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT has_any_column_privilege(%s, %s, 'UPDATE'),"
                    " has_table_privilege(%s, %s, 'DELETE')",
                    (site.role, table) * 2,
                )
                assert cursor.fetchone() == (False, False)
            transaction.set_rollback(True)
    assert role_excesses(role=site.role) == []


#: By function that a guard stands on, how somebody makes another of it that does nothing.
OTHERS = {
    "gauntlet_append_only": "() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NEW; END$$",
    "gauntlet_append_only_erased": (
        "(before jsonb, after jsonb) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RETURN true; END$$"
    ),
    "gauntlet_erase_names": (
        "(account bigint, growing text, erased jsonb) RETURNS void LANGUAGE plpgsql AS"
        " $$BEGIN DELETE FROM accounts_auditentry; END$$"
    ),
    "games_matchdraws_stay": "() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NEW; END$$",
}
#: What leaves a guard's name where it was, and what it says, and has it stand for less.
LESSER = {
    "for some rows alone": (
        "DROP TRIGGER {table}_no_change ON {table}; CREATE TRIGGER {table}_no_change"
        " BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW WHEN (false)"
        " EXECUTE FUNCTION {function}()"
    ),
    "for some columns alone": (
        "DROP TRIGGER {table}_no_change ON {table}; CREATE TRIGGER {table}_no_change"
        " BEFORE DELETE OR UPDATE OF {column} ON {table} FOR EACH ROW"
        " EXECUTE FUNCTION {function}()"
    ),
    "for deleting alone": (
        "DROP TRIGGER {table}_no_change ON {table}; CREATE TRIGGER {table}_no_change"
        " BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {function}()"
    ),
    "by another of the name": (
        "CREATE SCHEMA elsewhere; CREATE FUNCTION elsewhere.{function}() RETURNS trigger"
        " LANGUAGE plpgsql AS $$BEGIN RETURN NEW; END$$; DROP TRIGGER {table}_no_change ON {table};"
        " CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW"
        " EXECUTE FUNCTION elsewhere.{function}()"
    ),
}


@pytest.mark.parametrize("function", OTHERS)
def test_another_function_in_the_place_of_a_guard_s_is_found(site: SiteRole, function: str) -> None:
    """Also where it has the same name and the triggers are as they were."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE OR REPLACE FUNCTION {function}{OTHERS[function]}")
        assert role_excesses(role=site.role) == [
            f"{function} is not as this release makes it, and may let anybody change what it guards"
        ]
        transaction.set_rollback(True)
    assert role_excesses(role=site.role) == []


@pytest.mark.parametrize("as_whom", ["SECURITY INVOKER", "SET search_path = elsewhere"])
def test_the_function_as_it_is_done_otherwise_is_found(site: SiteRole, as_whom: str) -> None:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER FUNCTION {ERASING}{ERASING_TAKES} {as_whom}")
        (told,) = role_excesses(role=site.role)
        assert told.startswith(f"{ERASING} is not as this release makes it")
        transaction.set_rollback(True)


@pytest.mark.parametrize("how", LESSER)
def test_a_guard_that_stands_for_less_is_found(
    site: SiteRole, how: str, subtests: pytest.Subtests
) -> None:
    for table in (*GROWING, "games_matchdraws"):
        kept = table == "games_matchdraws"
        words = {
            "table": table,
            "column": _columns(table)[1],
            "function": "games_matchdraws_stay" if kept else "gauntlet_append_only",
        }
        with subtests.test(table=table), transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(LESSER[how].format(**words))
            assert f"nothing refuses a change of {table}, to anybody" in role_excesses(
                role=site.role
            )
            transaction.set_rollback(True)
    assert role_excesses(role=site.role) == []


@pytest.fixture
def nothing_here() -> Iterator[None]:
    """The database as it is before anything was migrated: with none of the tables."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("ALTER SCHEMA public RENAME TO put_aside; CREATE SCHEMA public")
        yield
        transaction.set_rollback(True)


@pytest.mark.usefixtures("nothing_here")
def test_that_there_is_nothing_is_no_good_news(role: str, settings: Any) -> None:
    settings.GAUNTLET_SITE_URL = f"postgresql://{role}:x@db.example/gauntlet"
    assert is_empty()
    with pytest.raises(CommandError, match=r"There is nothing here: .* holds none of the tables"):
        call_command("database", "check")


def test_a_table_that_is_gone_is_said(site: SiteRole, subtests: pytest.Subtests) -> None:
    assert not is_empty()
    for table in (*GROWING, "games_matchdraws"):
        with subtests.test(table=table), transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"DROP TABLE {table} CASCADE")
            assert f"there is no {table}" in role_excesses(role=site.role)
            transaction.set_rollback(True)


def test_nothing_but_adding_is_done_to_what_only_grows(
    site: SiteRole, subtests: pytest.Subtests
) -> None:
    for table in append_only_tables():
        key, column = _columns(table)
        names: dict[str, Any] = {
            "table": sql.Identifier(table),
            "key": sql.Identifier(key),
            "column": sql.Identifier(column),
            "trigger": sql.Identifier(f"{table}_no_change"),
        }
        assert site.run("SELECT count(*) FROM {table}", **names)
        for what, statement in FORBIDDEN.items():
            with subtests.test(table=table, what=what), pytest.raises(InsufficientPrivilege):
                site.run(statement, **names)
        # The database says nothing of it, and grants nothing.
        site.run("GRANT ALL ON {table} TO CURRENT_USER", **names)
    assert role_excesses(role=site.role) == []


def test_what_is_filled_in_step_by_step_stays(site: SiteRole, subtests: pytest.Subtests) -> None:
    """It is added and filled in, as the guard of its table has it, and never gone."""
    assert kept_tables() == ["games_matchdraws"]
    for table in kept_tables():
        key, column = _columns(table)
        names: dict[str, Any] = {
            "table": sql.Identifier(table),
            "key": sql.Identifier(key),
            "column": sql.Identifier(column),
            "trigger": sql.Identifier(f"{table}_no_change"),
        }
        assert site.run("UPDATE {table} SET {column} = {column}", **names) == 0
        for what, statement in FORBIDDEN.items():
            if what in MAY_OF_KEPT:
                continue
            with subtests.test(table=table, what=what), pytest.raises(InsufficientPrivilege):
                site.run(statement, **names)


@pytest.fixture
def belonging_to_nothing() -> dict[str, int]:
    """A row of each table in which names stand, by table."""
    assert ROWS.keys() == NAMING.keys()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        made = {}
        for table, statement in ROWS.items():
            cursor.execute(f"{statement} RETURNING id")
            (made[table],) = cursor.fetchone()
    return made


@pytest.mark.usefixtures("belonging_to_nothing")
def test_no_column_is_changed_by_it(site: SiteRole, subtests: pytest.Subtests) -> None:
    """Also none in which names stand, and whatever it says of itself."""
    for table, naming in NAMING.items():
        with connection.cursor() as cursor:
            described = connection.introspection.get_table_description(cursor, table)
        columns = {column.name for column in described}
        assert columns > set(naming)
        for column in columns:
            names: dict[str, Any] = {
                "table": sql.Identifier(table),
                "column": sql.Identifier(column),
            }
            for erasing in (False, True):
                with (
                    subtests.test(table=table, column=column, erasing=erasing),
                    pytest.raises(InsufficientPrivilege),
                ):
                    site.run("UPDATE {table} SET {column} = {column}", erasing=erasing, **names)
        with pytest.raises(InsufficientPrivilege):
            site.run("DELETE FROM {table}", erasing=True, table=sql.Identifier(table))


ERASE = "SELECT gauntlet_erase_names(7, {table}, {rows}::jsonb)"
FORMER = "Former player"
DRAWN = {"text": "Drawn by Ada.", "data": {"by": "Ada", "card": 3}}
# What the columns may and may not become.
ERASED: dict[str, list[dict[str, Any]]] = {
    "games_matchentry": [
        {"by_name": FORMER, "events": [DRAWN]},
        {"by_name": FORMER, "events": [{**DRAWN, "data": {"by": FORMER, "card": 3}}]},
        {
            "by_name": FORMER,
            "events": [{"text": f"Drawn by {FORMER}.", "data": {"by": FORMER, "card": 3}}],
        },
    ],
    "tournaments_seasonevent": [
        {"words": f"{FORMER} withdraws.", "data": {"names": ["Ada", "Ben"]}},
        {"words": f"{FORMER} withdraws.", "data": {"names": [FORMER, "Ben"]}},
    ],
    "tournaments_itemevent": [{"words": f"{FORMER} has it."}],
}
FORGED: dict[str, list[dict[str, Any]]] = {
    "games_matchentry": [
        {"by_name": "Ben", "events": [DRAWN]},
        {"by_name": "", "events": [DRAWN]},
        {"by_name": FORMER, "events": []},
        {"by_name": FORMER, "events": [DRAWN, DRAWN]},
        {"by_name": FORMER, "events": [{**DRAWN, "kind": "supplied"}]},
        {"by_name": FORMER, "events": [{"text": "Drawn by Ada."}]},
        {"by_name": FORMER, "events": [{**DRAWN, "data": {"by": "Ada", "card": 4}}]},
        {"by_name": FORMER, "events": [{**DRAWN, "data": {"by": "Ada", "card": FORMER}}]},
        {"by_name": FORMER, "events": [{**DRAWN, "data": {"by": None, "card": 3}}]},
        {"by_name": FORMER, "events": {}},
    ],
    "tournaments_seasonevent": [
        {"words": "Ben withdraws.", "data": {"names": ["Ada", "Ben"]}},
        {"words": f"{FORMER} wins.", "data": {"names": ["Ada", "Ben"]}},
        {"words": f"{FORMER} withdraws", "data": {"names": ["Ada", "Ben"]}},
        {"words": f"Ada withdraws.{FORMER}", "data": {"names": ["Ada", "Ben"]}},
        {"words": "%", "data": {"names": ["Ada", "Ben"]}},
        {"words": "Ada withdraws_", "data": {"names": ["Ada", "Ben"]}},
        {"words": "x" * 500, "data": {"names": ["Ada", "Ben"]}},
        {"words": "Ada withdraws.", "data": {"names": ["Ben", "Ada"]}},
        {"words": "Ada withdraws.", "data": {}},
    ],
    "tournaments_itemevent": [{"words": "Ben has it."}, {"words": f"{FORMER} has {FORMER} it."}],
}


def test_what_comes_of_the_owner_s_function_is_former_players_alone(
    site: SiteRole, belonging_to_nothing: dict[str, int], subtests: pytest.Subtests
) -> None:
    """Whoever calls it, and with an entry in the audit log that nobody takes away."""

    def erase(table: str, given: dict[str, Any]) -> None:
        rows = json.dumps([{"id": belonging_to_nothing[table], **given}])
        site.run(ERASE, table=sql.Literal(table), rows=sql.Literal(rows))

    assert FORMER == FORMER_NAME
    assert FORGED.keys() == ERASED.keys() == NAMING.keys()
    for table, tries in FORGED.items():
        for given in tries:
            with (
                subtests.test(table=table, given=given),
                pytest.raises(RestrictViolation, match="append-only"),
            ):
                erase(table, given)
    assert not AuditEntry.objects.exists()
    for table, tries in ERASED.items():
        for given in tries:
            with subtests.test(table=table, given=given):
                erase(table, given)
                entry = AuditEntry.objects.latest("id")
                assert entry.action == "user.erase_names"
                assert (entry.target_type, entry.target_id) == ("accounts.user", "7")
                assert entry.data == {"table": table, "rows": [belonging_to_nothing[table]]}
                row = site.run(
                    "SELECT to_jsonb(kept) FROM {table} kept", table=sql.Identifier(table)
                )
                assert row[0][0].items() >= given.items()
    # Of no other table, and not to put back what was taken out.
    for table in ("accounts_auditentry", "accounts_user"):
        with pytest.raises(CaseNotFound):
            site.run(ERASE, table=sql.Literal(table), rows=sql.Literal('[{"id": 1}]'))
    with pytest.raises(RestrictViolation, match="append-only"):
        erase("tournaments_itemevent", {"words": "Ada has it."})


def test_a_sentence_that_grew_too_long_is_cut_and_no_more(site: SiteRole) -> None:
    for name, length in (("Ada", 500), ("Ada", 492), ("Al", 490), ("Ada", 490)):
        words = f"{'Ben. ' * 100}"[: length - len(name)] + name
        grown = (words.replace(name, FORMER)[:500], words.replace(name, FORMER)[:499])
        statement = (
            "SELECT gauntlet_append_only_erased(to_jsonb({was}::text), to_jsonb({reads}::text))"
        )
        told = [
            site.run(
                statement,
                was=sql.Literal(words), reads=sql.Literal(each),
            )[0][0]
            for each in grown
        ]  # fmt: skip
        assert told == [True, False], (name, length)


def test_nobody_else_may_call_it(site: SiteRole) -> None:
    """Also after a restore, which leaves functions to everybody."""
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT EXECUTE ON FUNCTION {ERASING}{ERASING_TAKES} TO PUBLIC")
        roles_grant(role=site.role)
        cursor.execute(
            "SELECT prosecdef, proconfig, has_function_privilege('pg_monitor', oid, 'EXECUTE')"
            " FROM pg_proc WHERE proname = %s",
            (ERASING,),
        )
        assert cursor.fetchall() == [(True, ["search_path=pg_catalog, public, pg_temp"], False)]


def test_an_account_is_deleted_by_it(site: SiteRole) -> None:
    """With its name in entries and in events."""
    organiser = organiser_named("zyxwanda")
    play = started((user_named("ben"), user_named("cleo")))
    play.act(organiser, "pause", 1000)
    play.act(organiser, "resume", 2000)
    play.move(0, "concede", 5000)
    season = enrolled(organiser, 3)
    player = season.contestants.select_related("user").first()
    assert player is not None
    assert player.user is not None
    SeasonEvent.objects.create(
        season=season, kind="x", words=f"{player.name} withdraws.", contestant=player
    )
    season_cancel(acting_user=organiser, season=season, why="nobody came", at=START)
    named = SeasonEvent.objects.filter(words__contains=player.name)
    acted = MatchEntry.objects.filter(by_name="Zyxwanda")
    assert named.exists()
    assert acted.exists()
    with site.connected():
        for user in (player.user, organiser):
            user_erase(user=user)
            assert is_own(site)
    assert not named.exists()
    assert not acted.exists()
    assert MatchEntry.objects.filter(by_name="Former player").exists()


def is_own(site: SiteRole) -> bool:
    """Whether Django is connected as the site's role."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT session_user = %s", (site.role,))
        return bool(cursor.fetchone()[0])


def _columns(table: str) -> tuple[str, str]:
    """A table's key, and some other column."""
    with connection.cursor() as cursor:
        key = connection.introspection.get_primary_key_column(cursor, table)
        columns = connection.introspection.get_table_description(cursor, table)
    assert key is not None
    return key, next(column.name for column in columns if column.name != key)


def test_nothing_is_done_to_what_holds_it(site: SiteRole, subtests: pytest.Subtests) -> None:
    for what, statement in ANYWHERE.items():
        with subtests.test(what=what), pytest.raises(InsufficientPrivilege):
            site.run(statement)


@pytest.mark.usefixtures("entry")
def test_what_the_site_does_it_can(site: SiteRole) -> None:
    """Entries are added, with numbers of the database's, and everything else is read and
    written."""
    added = "INSERT INTO accounts_auditentry (action, target_type, target_id, data, at)"
    assert site.run(f"{added} VALUES ('a.b', '', '', '[]', now()) RETURNING id")[0][0]
    assert site.run("UPDATE accounts_user SET display_name = 'Ada'") == 1
    assert site.run("SELECT count(*) FROM django_migrations")[0][0] > 50
    assert site.run("INSERT INTO jobs_jobdone (task, at) VALUES ('x', now())") == 1
    assert site.run("DELETE FROM jobs_jobdone") == 1
    assert role_excesses(role=site.role) == []


def test_no_model_s_table_is_forgotten(site: SiteRole) -> None:
    from django.apps import apps

    growing, kept = set(append_only_tables()), set(kept_tables())
    for model in apps.get_models(include_auto_created=True):
        table = model._meta.db_table
        more = [] if table in growing else ["UPDATE"] if table in kept else ["UPDATE", "DELETE"]
        wanted = ["SELECT", "INSERT", *more]
        for right in wanted:
            with connection.cursor() as cursor:
                cursor.execute("SELECT has_table_privilege(%s, %s, %s)", (site.role, table, right))
                assert cursor.fetchone() == (True,), (table, right)


def test_what_was_granted_besides_is_taken_back(site: SiteRole) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT ALL ON accounts_auditentry TO {site.role}")
        cursor.execute(f"GRANT CREATE ON SCHEMA public TO {site.role}")
    assert role_excesses(role=site.role) == [
        "it may make tables", "it may UPDATE accounts_auditentry",
        "it may DELETE accounts_auditentry", "it may TRUNCATE accounts_auditentry",
        "it may TRIGGER accounts_auditentry",
    ]  # fmt: skip
    assert not roles_grant(role=site.role)
    assert role_excesses(role=site.role) == []


def test_whatever_it_may_besides_is_found(site: SiteRole, subtests: pytest.Subtests) -> None:
    owner = connection.settings_dict["USER"]
    for given, found in EXCESSES.items():
        with subtests.test(given=given), transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(given.format(role=site.role, owner=owner))
            told = role_excesses(role=site.role)
            transaction.set_rollback(True)
            assert any(found in words for words in told), told
    assert role_excesses(role=site.role) == []


def test_the_owner_itself_is_told_apart(role: str, settings: Any) -> None:
    owner = connection.settings_dict["USER"]
    assert role_excesses()
    assert role_excesses(role=role) == [f"there is no role {role}"]
    with pytest.raises(Refusal) as refused:
        roles_grant(role=owner)
    assert refused.value.code == "roles.owner"
    settings.GAUNTLET_SITE_URL = f"postgresql://{owner}:x@db.example/gauntlet"
    with pytest.raises(CommandError, match="may do more than the site needs"):
        call_command("database", "check")
    assert [each.id for each in role_does_no_more()] == ["gauntlet.W002"]


def test_the_command_makes_the_role_and_says_that_all_is_well(role: str, settings: Any) -> None:
    settings.GAUNTLET_SITE_URL = f"postgresql://{role}:pa%20ss'w@db.example/gauntlet"
    out = StringIO()
    call_command("database", "roles", stdout=out)
    call_command("database", "roles", stdout=out)
    call_command("database", "check", stdout=out)
    assert out.getvalue().splitlines() == [
        f"{role} is made and granted what it needs.",
        f"{role} may do what the site needs, and no more.",
        f"{role} is granted what it needs.",
        f"{role} may do what the site needs, and no more.",
        f"{role} may do what the site needs, and no more.",
    ]
    assert role_does_no_more() == []
    assert SiteRole(role, "pa%20ss'w").run("SELECT 1") == [(1,)]


def test_migrating_grants_what_is_new(site: SiteRole, settings: Any) -> None:
    settings.GAUNTLET_AS_OWNER = True
    settings.GAUNTLET_SITE_URL = site.address
    with connection.cursor() as cursor:
        cursor.execute(f"REVOKE ALL ON games_match, accounts_auditentry FROM {site.role}")
    with pytest.raises(InsufficientPrivilege):
        site.run("SELECT count(*) FROM games_match")
    call_command("migrate", verbosity=0)
    assert site.run("UPDATE games_match SET paused = paused") == 0
    with pytest.raises(InsufficientPrivilege):
        site.run("UPDATE accounts_auditentry SET at = at")


@pytest.fixture
def lesser_owner(role: str) -> Iterator[str]:
    """An owner who may make no role."""
    name = f"{role}_owner"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {name}")
        cursor.execute(f"SET ROLE {name}")
        yield name
        cursor.execute("RESET ROLE")
        cursor.execute(f"DROP ROLE {name}")


def restoring(monkeypatch: pytest.MonkeyPatch, settings: Any, role: str) -> list[Path]:
    """What a restore would put in the database's place."""
    restored: list[Path] = []
    module = "config.operations.management.commands.restore.backup_restore"

    def restore(*, file: Path, **_options: bool) -> Behind:
        restored.append(file)
        return Behind(0, emptied=True)

    monkeypatch.setattr(module, restore)
    settings.GAUNTLET_AS_OWNER = True
    settings.GAUNTLET_SITE_URL = f"postgresql://{role}:x@db.example/gauntlet"
    return restored


@pytest.mark.usefixtures("lesser_owner")
def test_nothing_is_restored_where_the_site_could_not_use_it(
    role: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a new server, for instance, on which nobody has made its role."""
    restored = restoring(monkeypatch, settings, role)
    with pytest.raises(CommandError, match=f"There is no role {role}, and the owner may make none"):
        call_command("restore", "x.dump")
    assert restored == []


def test_what_cannot_be_granted_after_a_restore_is_said_with_what_to_do(
    role: str, settings: Any, monkeypatch: pytest.MonkeyPatch, lesser_owner: str
) -> None:
    """The role is there, and the tables are somebody else's."""
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")
        cursor.execute(f"CREATE ROLE {role}")
        cursor.execute(f"SET ROLE {lesser_owner}")
    restored = restoring(monkeypatch, settings, role)
    with pytest.raises(CommandError, match=f"is there, but {role} is granted nothing: .* migrate"):
        call_command("restore", "x.dump")
    assert restored == [Path("x.dump")]


@pytest.mark.parametrize(
    ("argv", "owner"),
    [
        (["manage.py", "migrate", "--no-input"], True),
        (["/opt/gauntlet/manage.py", "backup"], True),
        (["manage.py", "database", "roles"], True),
        (["manage.py", "restore", "x"], True),
        (["/x/script/lib/prepare.py"], True),
        (["manage.py", "shell"], False),
        (["manage.py", "runserver"], False),
        (["manage.py"], False),
        (["/x/bin/daphne", "migrate"], False),
        (["/x/bin/celery", "-A", "config.celery", "worker"], False),
        ([], False),
    ],
)
def test_only_what_makes_and_keeps_tables_is_the_owner_s(argv: list[str], owner: bool) -> None:
    assert is_owners(argv) == owner
    assert {"migrate", "backup", "restore", "database"} == COMMANDS


def test_no_process_of_the_site_is_the_owner() -> None:
    """Whatever is in its environment."""
    from tests.infra.test_settings import PRODUCTION, evaluate

    owner = "postgresql://owner:secret@db.example/gauntlet"
    done = evaluate(
        "[settings.DATABASES['default']['USER'], settings.GAUNTLET_AS_OWNER]",
        **PRODUCTION, DATABASE_OWNER_URL=owner,
    )  # fmt: skip
    assert done.stdout.strip() == "['someone', False]", done.stderr
