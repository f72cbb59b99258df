"""Whoever looks at what others do not see leaves an entry: on every page of the admin site, once
for each person, row and hour."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
import time_machine
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.auditing.sealing import audit_check, audit_seal
from accounts.models import AuditEntry, AuditLink, Report, User
from accounts.moderation.appeals import appeal_file
from accounts.moderation.reports import report_file
from accounts.moderation.sanctions import user_warn
from accounts.roles import Role
from core.admin.actions import ActionsAdmin, several_address
from core.jobs.models import SetAside
from script.lib.console import ROOT
from tests.security.every_door.doors import read_table

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)


def account(name: str, *roles: Role, **fields: bool) -> User:
    user = User.objects.create_user(name, f"{name}@example.test", "pw-for-tests", **fields)
    for role in roles:
        # Whatever another test has left of what migrations had put there.
        user.groups.add(Group.objects.get_or_create(name=role.value)[0])
    return user


@pytest.fixture
def ada() -> User:
    return account("ada")


@pytest.fixture
def mona() -> User:
    return account("mona", Role.MODERATOR)


@pytest.fixture
def root() -> User:
    return account("root", is_staff=True, is_superuser=True)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def looks() -> list[tuple[str, str, str, str]]:
    """Who looked at what, in order."""
    found = AuditEntry.objects.filter(action__startswith="look.").order_by("id")
    return [
        (entry.who.username if entry.who else "", entry.action, entry.target_type, entry.target_id)
        for entry in found
    ]


def change(row: object) -> str:
    meta = row._meta  # type: ignore[attr-defined]
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk])  # type: ignore[attr-defined]


def test_every_list_leaves_an_entry(root: User, subtests: pytest.Subtests) -> None:
    client = signed_in(root)
    for model in admin.site._registry:
        label = model._meta.label_lower
        address = reverse(f"admin:{label.replace('.', '_')}_changelist")
        with subtests.test(label):
            assert client.get(address).status_code == 200
            assert looks()[-1] == ("root", "look.list", label, "all")
            assert AuditEntry.objects.order_by("-id")[0].data == {}


def test_every_kind_of_page_of_a_row_leaves_one(ada: User, mona: User) -> None:
    """Its page, its history, and that of each thing that can be done to it: it stands there,
    too."""
    client = signed_in(mona)
    user_admin = admin.site._registry[User]
    assert isinstance(user_admin, ActionsAdmin)
    pages = [change(ada), change(ada).replace("/change/", "/history/")]
    pages += [
        reverse(f"admin:accounts_user_{action.name}", args=[ada.pk])
        for action in user_admin.row_actions
        if not action.at_once
    ]
    assert len(pages) > 4
    for hour, page in enumerate(pages):
        with time_machine.travel(NOW + timedelta(hours=hour), tick=False):
            client = signed_in(mona)
            before = len(looks())
            if client.get(page).status_code == 200:
                assert looks()[before:] == [("mona", "look.row", "accounts.user", str(ada.pk))], (
                    page
                )
    assert len(looks()) > 3


@pytest.mark.parametrize("who", ["mona", "root"])
def test_what_is_hidden_from_others_is(who: str, ada: User, mona: User, root: User) -> None:
    """A report, a sanction, somebody's address."""
    reader = {"mona": mona, "root": root}[who]
    other = account("max", Role.MODERATOR)
    report = report_file(
        acting_user=ada, target_type="accounts.user", target_id="max", reason="abuse",
        words="See there.",
    )  # fmt: skip
    sanction = user_warn(acting_user=other, user=ada, reason="Do not.")
    client = signed_in(reader)
    for row in (report, sanction, ada):
        assert client.get(change(row)).status_code == 200
    assert looks() == [
        (who, "look.row", "accounts.report", str(report.pk)),
        (who, "look.row", "accounts.sanction", str(sanction.pk)),
        (who, "look.row", "accounts.user", str(ada.pk)),
    ]
    assert isinstance(report, Report)


def test_there_is_one_for_each_person_row_and_hour(ada: User, mona: User, root: User) -> None:
    moments = [0, 1, 29, 30, 90]  # minutes after half past: two are of the next hour, one later
    with time_machine.travel(NOW, tick=False) as clock:
        for minutes in moments:
            clock.move_to(NOW + timedelta(minutes=minutes), tick=False)
            for reader in (mona, root):
                # Anew: people are asked who they are before their page, after ten minutes.
                client = signed_in(reader)
                assert client.get(change(ada)).status_code == 200
                assert client.head(change(ada)).status_code == 200
    for name in ("mona", "root"):
        rows = AuditEntry.objects.filter(who__username=name, action="look.row").order_by("at")
        assert [row.at for row in rows] == [NOW + timedelta(minutes=m) for m in (0, 30, 90)]


def test_the_database_sees_to_that(ada: User, mona: User) -> None:
    fields = {"who": mona, "action": "look.row", "target_type": "a.b", "target_id": "1"}
    AuditEntry.objects.create(at=NOW, **fields)
    with pytest.raises(IntegrityError, match="audit_look_once_an_hour"), transaction.atomic():
        AuditEntry.objects.create(at=NOW + timedelta(minutes=29), **fields)
    AuditEntry.objects.create(at=NOW + timedelta(minutes=30), **fields)
    # What is done may be done as often as it is.
    for _time in range(2):
        AuditEntry.objects.create(at=NOW, **(fields | {"action": "user.warn"}))
    AuditEntry.objects.create(at=NOW, **(fields | {"who": ada}))


#: Pages outside the admin site that moderators (and administrators) come to and nobody else, or
#: that show them more, and the tests that see the entry.
PAGES: Final = {
    "games:chat_remove": "tests/games/test_moderation.py::test_the_page_of_taking_away",
    "tournaments:picture": (
        "tests/tournaments/test_pictures.py::"
        "test_what_is_reported_is_kept_until_the_moderators_have_seen_it"
    ),
}
#: Where else it is asked whether somebody moderates, without showing them anything more: whoever
#: asks it in another place says why here, or logs what is shown.
ASKING: Final = {
    "accounts/api/serializers.py": "says of each account whether it does",
    "accounts/context_processors.py": "shows the way to the admin site",
    "accounts/moderation/actions.py": "gives the role and takes it",
    "accounts/moderation/appeals.py": "services",
    "accounts/moderation/merging.py": "services",
    "accounts/moderation/reports.py": "services",
    "accounts/moderation/sanctions.py": "services",
    "accounts/moderation/ways.py": "a service, whose answer stands in the admin site",
    "accounts/roles.py": "what it means",
    "accounts/services.py": "services",
    "accounts/site/announcements.py": "services",
    "accounts/views.py": "says of each account whether it does",
    "games/audience.py": "what it means for chat",
    "games/demo.py": "gives the role",
    "games/moderation.py": "panels of the admin site",
    "games/puzzles/services.py": "services",
    "games/ratings/pairs.py": "services",
    "games/services/chat.py": "services",
    "games/views/chat.py": "PAGES",
    "games/views/matches.py": "whether a button stands beside each message",
    "games/views/studies.py": "likewise",
    "tournaments/api/organise/seasons.py": "whether a season may be taken off the lists",
    "tournaments/audience.py": "what it means for seasons",
    "tournaments/models/pictures.py": "PAGES",
    "tournaments/services/pictures.py": "services",
    "tournaments/services/seasons.py": "services",
    "tournaments/views/common.py": "whether a button stands on a season's page",
}
ASKS: Final = re.compile(
    r"(?:is_moderator|may_moderate_chat|may_shelve|must_moderate)\(|Role\.MODERATOR"
)


def test_every_page_for_moderators_alone_is_known() -> None:
    """By what each door of the site answers everybody."""
    alone = set()
    for route, cells in read_table().items():
        for method, cell in cells.items():
            let_in = {name for name, status in cell.items() if status in ("200", "302")}
            if method == "GET" and "moderator" in let_in and let_in <= {"moderator", "admin"}:
                alone.add(route)
    assert {route for route in alone if not route.startswith("admin:")} == {"games:chat_remove"}
    assert alone - PAGES.keys() == {route for route in alone if route.startswith("admin:")}


def test_wherever_it_is_asked_whether_somebody_moderates_is_known() -> None:
    """Of a page that everybody comes to and that shows moderators more, the doors say nothing."""
    found = {
        str(file.relative_to(ROOT))
        for app in ("accounts", "config", "core", "games", "tournaments")
        for file in (ROOT / app).rglob("*.py")
        if file.name != "admin.py" and not {"admin", "migrations"} & set(file.parts)
        if ASKS.search(file.read_text())
    }
    assert found == ASKING.keys()


def test_the_tests_of_these_pages_are_there() -> None:
    for test in PAGES.values():
        file, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / file).read_text(), test


def test_who_sees_nothing_leaves_none(ada: User, mona: User) -> None:
    ben = account("ben")
    assert signed_in(ben).get(change(ada)).status_code in (302, 403)
    assert Client().get(change(ada)).status_code == 302
    client = signed_in(mona)
    assert client.get(change(ada).replace(str(ada.pk), "987654321")).status_code in (302, 404)
    assert client.get(reverse("admin:index")).status_code == 200
    # What is not a moderator's to see.
    assert client.get(reverse("admin:auth_group_changelist")).status_code == 403
    assert looks() == []


def test_what_the_start_page_shows_of_a_list_is_looked_at(ada: User, mona: User) -> None:
    """As the list itself; of what is not there nothing was seen."""
    start = reverse("admin:index")
    assert signed_in(mona).get(start).status_code == 200
    assert looks() == []
    other = account("max", Role.MODERATOR)
    report_file(
        acting_user=ada, target_type="accounts.user", target_id="max", reason="abuse",
        words="See there.",
    )  # fmt: skip
    warning = user_warn(acting_user=other, user=ada, reason="Do not.")
    appeal_file(acting_user=ada, sanction=warning, words="I did not.")
    SetAside.objects.create(
        job="matches.wake", key="1", target_type="games.match", reason="Broken", next_at=NOW,
    )  # fmt: skip
    assert signed_in(mona).get(start).status_code == 200
    seen = {"accounts.report", "accounts.sanction", "accounts.appeal"}
    assert set(looks()) == {("mona", "look.list", model, "all") for model in seen}
    root = account("root", is_staff=True, is_superuser=True)
    assert signed_in(root).get(start).status_code == 200
    assert ("root", "look.list", "jobs.setaside", "all") in looks()


def test_the_page_of_an_action_on_several_shows_each_of_them(ada: User, mona: User) -> None:
    ben = account("ben")
    admin_of_users = admin.site._registry[User]
    assert isinstance(admin_of_users, ActionsAdmin)
    pages = [
        several_address(User, action.name, [ada.pk, ben.pk])
        for action in admin_of_users.several_actions
    ]
    assert pages
    for hour, page in enumerate(pages):
        with time_machine.travel(NOW + timedelta(hours=hour), tick=False):
            before = len(looks())
            assert signed_in(mona).get(page).status_code == 200
            assert looks()[before:] == [
                ("mona", "look.row", "accounts.user", str(each.pk)) for each in (ada, ben)
            ]


def test_looks_are_in_the_log_and_in_its_chain(ada: User, mona: User, root: User) -> None:
    signed_in(mona).get(change(ada))
    audit_seal()
    assert AuditLink.objects.filter(entry__action="look.row").count() == 1
    client = signed_in(root)
    address = reverse("admin:accounts_auditentry_changelist")
    page = client.get(address, {"what": "looks"}).content.decode()
    assert "look.row" in page
    shown = client.get(address, {"what": "acts"}).content.decode()
    assert "result_list" not in shown, "nothing has been done"
    # Whoever searches for her finds who looked at her.
    found = client.get(address, {"q": "ada"}).content.decode()
    assert ">look.row<" in found[found.index("result_list") :]


@pytest.mark.usefixtures("as_owner")
def test_the_log_says_whether_its_chain_holds(ada: User, mona: User) -> None:
    client = signed_in(mona)
    address = reverse("admin:accounts_auditentry_changelist")
    assert "has not been looked over yet" in client.get(address).content.decode()
    check = audit_check()
    page = client.get(address).content.decode()
    assert f"all {check.position} entries up to the head {check.position}:" in page
    assert "The audit log was changed" not in client.get(reverse("admin:index")).content.decode()
    from tests.security.test_audit_chain import entry_at, run, tampering

    with tampering():
        run("UPDATE accounts_auditentry SET who_id = NULL WHERE id = %s", entry_at(1))
    audit_check()
    page = client.get(address).content.decode()
    assert "The chain of this log is broken" in page
    assert "at place 1, is not what was sealed there" in page
    start = client.get(reverse("admin:index")).content.decode()
    assert "The audit log was changed" in start
    del ada
