"""People for these tests."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group

from accounts.models import AuditEntry, User
from accounts.roles import Role
from tests.support.caching import caches_of

PASSWORD = "swordfish-77"
_numbers = itertools.count(1)


def made_person(username: str = "", *roles: Role, **fields: object) -> User:
    """An account, with roles if asked for."""
    name = username or f"person{next(_numbers)}"
    fields = {"email": f"{name}@example.org", "password": PASSWORD, **fields}
    user = User.objects.create_user(name, **fields)  # type: ignore[arg-type]
    for role in roles:
        user.groups.add(Group.objects.get_or_create(name=role.value)[0])
    return user


@pytest.fixture
def person(db: None) -> Callable[..., User]:
    """A function that makes an account, with roles if asked for."""
    return made_person


@pytest.fixture
def mona(person: Callable[..., User]) -> User:
    """A moderator."""
    return person("mona", Role.MODERATOR)


def with_confirmed_address(user: User) -> User:
    """The account, its owner having followed the link in the mail to its address."""
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    return user


@pytest.fixture(autouse=True)
def own_cache(settings: Any) -> None:
    """Give each test a cache of its own: limits are counted there, across requests."""
    settings.CACHES = caches_of(f"test-{next(_numbers)}")


@pytest.fixture
def actions(db: None) -> Callable[[], list[str]]:
    """A function that lists the actions in the audit log, oldest first, but for what somebody only
    looked at."""
    done = AuditEntry.objects.exclude(action__startswith="look.").order_by("id")
    return lambda: list(done.all().values_list("action", flat=True))
