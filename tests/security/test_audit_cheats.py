"""Who would cheat with the audit log, and what comes of it: whoever acts as the site is refused by
the database, and what its owner does is found, by the chain, by the looks that were kept, or, where
those are gone as well, by a head that was kept elsewhere. `docs/audit.md` has them in a list."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.db import ProgrammingError, connection, transaction
from psycopg.errors import InsufficientPrivilege

from accounts.auditing.chain import Head
from accounts.auditing.sealing import audit_check, audit_fault, audit_head, audit_seal
from accounts.models import AuditCheck, AuditEntry, AuditLink
from accounts.services import audit_record
from tests.support.site_role import become_site_role

pytestmark = pytest.mark.django_db

TABLES = tuple(model._meta.db_table for model in (AuditEntry, AuditLink, AuditCheck))


@pytest.fixture(autouse=True)
def sealed() -> Head:
    """Ten entries that are sealed, and a look at them; where the chain ended then."""
    with transaction.atomic():
        for number in range(10 - AuditEntry.objects.count()):
            audit_record(acting_user=None, action="test.done", data={"number": number})
    assert audit_check().fault == ""
    assert AuditLink.objects.count() == 10
    # What was written before is looked at as if it were committed.
    connection.check_constraints()
    return audit_head()


def run(*statements: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def found(*kept: Head) -> str:
    """What a look says: nothing where all holds."""
    return str(audit_fault(kept=kept)[1] or "")


# -- as the site ---------------------------------------------------------------------------------

TO_A_TABLE = (
    "UPDATE {table} SET at = at",
    "DELETE FROM {table}",
    "TRUNCATE {table} CASCADE",
    "DROP TRIGGER {table}_no_change ON {table}",
    "ALTER TABLE {table} DISABLE TRIGGER {table}_no_change",
    "ALTER TABLE {table} DISABLE TRIGGER ALL",
    "ALTER TABLE {table} ADD COLUMN mine integer",
    "DROP TABLE {table} CASCADE",
    "INSERT INTO {table} SELECT * FROM {table} ON CONFLICT DO UPDATE SET at = EXCLUDED.at",
)
REPLACE = "CREATE OR REPLACE FUNCTION gauntlet_append_only() RETURNS trigger LANGUAGE plpgsql AS"
TO_ALL = (
    "SET session_replication_role = replica",
    "DROP FUNCTION gauntlet_append_only CASCADE",
    f"{REPLACE} 'BEGIN RETURN NEW; END'",
    "DROP TRIGGER accounts_auditlink_one_more ON accounts_auditlink",
    "DROP FUNCTION accounts_auditlink_follows CASCADE",
)
SWITCHES = "SET LOCAL gauntlet.allow_truncate = 'on'; SET LOCAL gauntlet.erase_names = 'on'"


@pytest.mark.parametrize("table", TABLES)
def test_the_site_changes_nothing_of_it(table: str, subtests: pytest.Subtests) -> None:
    """Whatever it switches on before."""
    become_site_role()
    for statement in (*TO_A_TABLE, *TO_ALL):
        text = statement.format(table=table)
        if "DO UPDATE" in text:
            key = "position" if table == AuditLink._meta.db_table else "id"
            text = text.replace("CONFLICT", f"CONFLICT ({key})")
        with subtests.test(text), pytest.raises(ProgrammingError) as refused:
            run(SWITCHES, text)
        assert isinstance(refused.value.__cause__, InsufficientPrivilege), text
    assert found() == ""


def test_what_the_site_adds_as_if_it_had_been_there_is_found() -> None:
    """Of before what is sealed: nobody seals it."""
    become_site_role()
    at = datetime.now(UTC) - timedelta(hours=2)
    AuditEntry(id=-1, action="match.void", at=at).save(force_insert=True)
    assert audit_seal(everything=True) == 0
    assert found().startswith(f"Entry -1 says that it is of {at:%Y-%m-%d %H:%M} UTC")


def test_a_place_that_the_site_adds_for_it_breaks_the_chain_there_and_nowhere_else() -> None:
    become_site_role()
    at = datetime.now(UTC) - timedelta(hours=2)
    AuditEntry(id=-1, action="match.void", at=at).save(force_insert=True)
    AuditLink(position=11, entry_id=-1, digest="a" * 64, at=at).save(force_insert=True)
    assert found() == (
        "Entry -1, at place 11, is not what was sealed there: it was changed or exchanged."
    )
    AuditEntry(action="test.done").save(force_insert=True)
    assert audit_seal() == 1
    assert audit_fault()[0].position == 10


# -- as the owner --------------------------------------------------------------------------------


@pytest.fixture
def by_the_owner() -> Iterator[None]:
    """From here on as a role that owns the tables, and is no superuser."""
    name = f"owner_{secrets.token_hex(4)}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {name}")
        cursor.execute(f"GRANT CREATE, USAGE ON SCHEMA public TO {name}")
        cursor.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {name}")
        cursor.execute(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {name}")
        for table in TABLES:
            cursor.execute(f"ALTER TABLE {table} OWNER TO {name}")
        cursor.execute(f"ALTER FUNCTION gauntlet_append_only() OWNER TO {name}")
        cursor.execute(f"SET LOCAL ROLE {name}")
        yield
        cursor.execute("RESET ROLE")


WAYS = {
    "the triggers switched off": [f"ALTER TABLE {table} DISABLE TRIGGER USER" for table in TABLES],
    "the triggers dropped": [f"DROP TRIGGER {table}_no_change ON {table}" for table in TABLES],
    "their function replaced": [
        f"{REPLACE} 'BEGIN RETURN CASE TG_OP WHEN ''DELETE'' THEN OLD ELSE NEW END; END'"
    ],
}
CHANGED = (
    "UPDATE accounts_auditentry SET data = '{}', action = 'x.y'"
    " WHERE id = (SELECT entry_id FROM accounts_auditlink WHERE position = 4)"
)


@pytest.mark.usefixtures("by_the_owner")
@pytest.mark.parametrize("way", WAYS)
def test_a_row_that_the_owner_changes_is_found(way: str) -> None:
    """It takes the guard off for that, by one way or another."""
    with pytest.raises(Exception, match="append-only"):
        run(CHANGED)
    assert found() == ""
    run(*WAYS[way], CHANGED)
    assert "at place 4, is not what was sealed there" in found()


OUT_OF_THE_LOG = (
    "CREATE TEMPORARY TABLE going AS SELECT entry_id FROM accounts_auditlink WHERE position {}",
    "DELETE FROM accounts_auditlink WHERE position {}",
    "DELETE FROM accounts_auditentry WHERE id IN (SELECT entry_id FROM going)",
    "DROP TABLE going",
)
NO_LOOKS = "DELETE FROM accounts_auditcheck"


def gone(places: str) -> list[str]:
    """Entries and their places out of the chain."""
    statements = [each.format(places) for each in OUT_OF_THE_LOG]
    return [*WAYS["the triggers switched off"], *statements]


@pytest.mark.usefixtures("by_the_owner")
def test_a_row_that_the_owner_takes_out_of_the_middle_is_found() -> None:
    """By the chain itself, also where the looks are gone and the others have moved up."""
    run(*gone("= 4"), NO_LOOKS)
    assert found() == "Place 4 is gone: the next that is there is 5."
    run(
        "UPDATE accounts_auditlink SET position = position + 100 WHERE position > 4",
        "UPDATE accounts_auditlink SET position = position - 101 WHERE position > 100",
    )
    assert "at place 4, is not what was sealed there" in found()


@pytest.mark.usefixtures("by_the_owner")
def test_the_last_row_that_the_owner_takes_away_is_found_by_a_look_or_a_head(sealed: Head) -> None:
    cut = "The chain is cut: it ends at place 9, and went to 10."
    run(*gone("= 10"))
    assert found() == cut
    run(NO_LOOKS)
    assert found() == "", "nothing in the database tells"
    assert found(sealed) == cut


@pytest.mark.usefixtures("by_the_owner")
def test_a_chain_that_the_owner_makes_anew_is_found_by_a_look_or_a_head(sealed: Head) -> None:
    anew = "The chain was made anew: at place 10 it is not what was kept of it."
    run(*WAYS["the triggers switched off"], CHANGED, "DELETE FROM accounts_auditlink")
    assert audit_seal(everything=True) == 10
    assert found() == anew
    run(NO_LOOKS)
    assert found() == "", "nothing in the database tells"
    assert found(sealed) == anew


@pytest.mark.usefixtures("by_the_owner")
def test_a_log_that_the_owner_empties_is_found_by_a_head_alone(sealed: Head) -> None:
    """What the test suite switches on for itself lets nobody else empty it, and the owner for no
    longer than it would have taken to drop the triggers."""
    run(SWITCHES, f"TRUNCATE {', '.join(TABLES)}")
    assert found() == ""
    assert found(sealed) == "The chain is cut: it ends at place 0, and went to 10."
