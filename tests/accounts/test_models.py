"""What the database itself keeps true about people."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth import authenticate
from django.core.exceptions import ValidationError
from django.db import DatabaseError, IntegrityError, transaction

from accounts.models import AuditEntry, User
from accounts.names.validators import RESERVED_USERNAMES, validate_not_reserved
from tests.accounts.conftest import PASSWORD

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["ab", "a" * 21, "Ada", "a b", "ada!", "åda", "ada\n", ""])
def test_the_database_refuses_a_malformed_username(name: str) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        User.objects.bulk_create([User(username=name)])
    assert not User.objects.exists()


@pytest.mark.parametrize("name", ["ada", "a-b_9", "a" * 20, "007"])
def test_a_well_formed_username_is_stored(name: str) -> None:
    user = User(username=name, password="x")
    user.full_clean()
    user.save()
    assert User.objects.get().username == name


def test_usernames_are_unique_in_any_case(person: Callable[..., User]) -> None:
    assert person("Ada").username == "ada"
    with pytest.raises(IntegrityError), transaction.atomic():
        person("ADA", email="other@example.org")


def test_email_addresses_are_unique_in_any_case_but_may_be_empty(
    person: Callable[..., User],
) -> None:
    person("ada", email="ada@example.org")
    with pytest.raises(IntegrityError, match="user_email_unique"), transaction.atomic():
        person("eve", email="ADA@Example.org")
    person("bob", email="")
    person("cyd", email="")
    assert User.objects.count() == 3


@pytest.mark.parametrize(
    ("field", "value", "constraint"),
    [
        ("theme", "pink", "user_theme_known"),
        ("display_name", " Ada", "user_display_name_trimmed"),
        ("display_name", "Ada ", "user_display_name_trimmed"),
    ],
)
def test_the_database_refuses_other_nonsense(
    person: Callable[..., User], field: str, value: str, constraint: str
) -> None:
    user = person("ada")
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        User.objects.filter(pk=user.pk).update(**{field: value})


def test_people_sign_in_with_their_name_in_any_case(person: Callable[..., User]) -> None:
    user = person("ada")
    assert authenticate(username="ADA", password=PASSWORD) == user
    assert User.objects.get_by_natural_key("Ada") == user


def test_the_display_name_is_shown_and_falls_back_to_the_username(
    person: Callable[..., User],
) -> None:
    assert person("ada").shown_name == "ada"
    assert person("bob", display_name="Bobby B").shown_name == "Bobby B"
    assert User.objects.get(username="bob").get_absolute_url() == "/u/bob/"


@pytest.mark.parametrize("name", ["admin", "Moderator", "gaunt-let", "the_gauntlet", "api"])
def test_reserved_names_are_refused_whatever_their_separators(name: str) -> None:
    with pytest.raises(ValidationError) as refused:
        validate_not_reserved(name)
    assert refused.value.code == "username.reserved"


def test_reserved_names_are_themselves_possible_names() -> None:
    assert all(re.fullmatch(r"[a-z0-9]+", name) for name in RESERVED_USERNAMES)
    validate_not_reserved("ada")


@pytest.mark.parametrize(
    "entry",
    [
        {"action": ""},
        {"action": "a.b", "target_type": "x.y", "target_id": ""},
        {"action": "a.b", "target_type": "", "target_id": "1"},
    ],
)
def test_a_half_written_audit_entry_is_refused(entry: dict[str, str]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        AuditEntry.objects.create(**entry)
