"""The audit log can be added to and nothing else, whoever tries."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import ProtectedError

from accounts.models import AuditEntry, User
from accounts.services import audit_record


@pytest.fixture
def entry(person: Callable[..., User]) -> AuditEntry:
    user = person("ada")
    with transaction.atomic():
        return audit_record(acting_user=user, action="test.action", target=user, data={"n": 1})


def test_an_entry_says_who_did_what_to_which_row(entry: AuditEntry) -> None:
    stored = AuditEntry.objects.get()
    assert stored.who is not None
    assert (stored.who.username, stored.action, stored.data) == ("ada", "test.action", {"n": 1})
    assert (stored.target_type, stored.target_id) == ("accounts.user", str(stored.who.pk))
    assert "ada test.action" in str(stored)


@pytest.mark.django_db
def test_the_system_itself_has_no_name_and_needs_no_target() -> None:
    with transaction.atomic():
        stored = audit_record(acting_user=None, action="test.sweep")
    assert (stored.who, stored.target_type, stored.target_id, stored.data) == (None, "", "", {})
    assert "system" in str(stored)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE accounts_auditentry SET action = 'test.lie'",
        "DELETE FROM accounts_auditentry",
    ],
)
def test_the_database_refuses_to_change_or_delete(entry: AuditEntry, statement: str) -> None:
    with (
        pytest.raises(DatabaseError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert AuditEntry.objects.get().action == "test.action"


def test_the_database_refuses_to_truncate(entry: AuditEntry) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        # The suite's own permission, which every other session lacks, is given up for once. The
        # deferred checks of what was just written would else be the first to object.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET LOCAL gauntlet.allow_truncate = 'off'")
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            cursor.execute("TRUNCATE accounts_auditentry CASCADE")
        cursor.execute("SET LOCAL gauntlet.allow_truncate = 'on'")
    assert AuditEntry.objects.count() == 1


def test_the_model_layer_fares_no_better(entry: AuditEntry) -> None:
    attempts: list[Callable[[], Any]] = [
        lambda: AuditEntry.objects.update(action="test.lie"),
        lambda: AuditEntry.objects.all().delete(),
        entry.delete,
        entry.save,
    ]
    for attempt in attempts:
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            attempt()
    assert AuditEntry.objects.get().action == "test.action"


def test_nobody_with_a_history_can_be_deleted(entry: AuditEntry) -> None:
    assert entry.who is not None
    with pytest.raises(ProtectedError):
        entry.who.delete()
    assert User.objects.filter(username="ada").exists()


@pytest.mark.django_db(transaction=True)
def test_an_entry_outside_of_a_transaction_is_a_bug() -> None:
    with pytest.raises(RuntimeError, match="transaction"):
        audit_record(acting_user=None, action="test.action")
    assert not AuditEntry.objects.exists()


@pytest.mark.django_db
def test_an_entry_about_an_unsaved_row_or_without_an_action_is_a_bug() -> None:
    with pytest.raises(ValueError, match="unsaved"), transaction.atomic():
        audit_record(acting_user=None, action="test.action", target=User(username="ada"))
    with pytest.raises(ValueError, match="action"), transaction.atomic():
        audit_record(acting_user=None, action="")
    assert not AuditEntry.objects.exists()
