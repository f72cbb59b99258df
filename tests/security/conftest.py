"""Fixtures for what is promised of accounts."""

import pytest

from tests.games.conftest import ada, ben, cleo, mona, orla, root, set_clock  # noqa: F401
from tests.support.site_role import become_site_role
from tests.webhooks.conftest import stage  # noqa: F401

#: Modules whose tests are done as the site's role, which owns nothing: what they promise holds in
#: production, and every table of theirs can be used there.
BY_THE_SITE = {
    "test_audit", "test_audit_looks", "test_blocks", "test_deletion", "test_export", "test_farming",
    "test_owner_mail", "test_rates", "test_reauthentication", "test_second_factor", "test_sessions",
    "test_undoing", "test_ways_in",
}  # fmt: skip


@pytest.fixture
def as_owner() -> None:
    """What only whoever owns the tables can do, as a trigger is put to the test."""


@pytest.fixture(autouse=True)
def as_site(request: pytest.FixtureRequest) -> None:
    """Tests that commit stay the owner, who empties the tables after them: they are connected as
    the site in tests/operations/test_roles.py."""
    used = {"as_owner", "transactional_db"} & set(request.fixturenames)
    mark = request.node.get_closest_marker("django_db")
    if used or request.module.__name__.rpartition(".")[2] not in BY_THE_SITE:
        return
    if mark is not None and not mark.kwargs.get("transaction"):
        request.getfixturevalue("db")
        become_site_role()
