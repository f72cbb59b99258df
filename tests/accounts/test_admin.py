"""Administration: roles and closing through services, an audit log that can only be read."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission
from django.db import transaction
from django.test import Client

from accounts.models import AuditEntry, User
from accounts.roles import is_moderator, is_organiser
from accounts.services import audit_record
from tests.accounts.conftest import PASSWORD

People = Callable[..., User]
Actions = Callable[[], list[str]]


@pytest.fixture
def root(client: Client, db: None) -> User:
    """An administrator, signed in."""
    user = User.objects.create_superuser("ruth")
    client.force_login(user)
    return user


def act(client: Client, action: str, user: User) -> str:
    """Run an action on one user and return the page that follows."""
    form = {"action": action, "_selected_action": [user.pk]}
    response = client.post("/admin/accounts/user/", form, follow=True)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("address", ["user/", "user/add/", "auditentry/"])
def test_lists_and_forms_are_shown(client: Client, root: User, address: str) -> None:
    assert client.get(f"/admin/accounts/{address}?q=x").status_code == 200


def test_actions_change_roles_and_leave_entries(
    client: Client, root: User, person: People, actions: Actions
) -> None:
    user = person("ada")
    act(client, "make_organisers", user)
    act(client, "make_moderators", user)
    fresh = User.objects.get(username="ada")
    assert is_organiser(fresh)
    assert is_moderator(fresh)
    assert "already has the role" in act(client, "make_organisers", user)
    act(client, "unmake_organisers", user)
    act(client, "unmake_moderators", user)
    fresh = User.objects.get(username="ada")
    assert not is_organiser(fresh)
    assert not is_moderator(fresh)
    assert actions() == ["user.grant_role"] * 2 + ["user.revoke_role"] * 2


def test_accounts_are_closed_and_reopened(
    client: Client, root: User, person: People, actions: Actions
) -> None:
    user = person("ada")
    close, reopen = (f"/admin/accounts/user/{user.pk}/{action}/" for action in ("close", "reopen"))
    done = client.post(close, {"reason": "Selling accounts", "typed": "ada"})
    assert done["Location"] == f"/admin/accounts/user/{user.pk}/change/"
    assert not User.objects.get(username="ada").is_active
    assert client.post(close, {"reason": "Again", "typed": "ada"}).status_code == 403
    client.post(reopen, {"reason": "A mistake"})
    assert User.objects.get(username="ada").is_active
    assert actions() == ["user.close", "user.reopen"]
    assert AuditEntry.objects.order_by("id")[0].data == {"reason": "Selling accounts"}


@pytest.mark.parametrize("typed", ["", "Ada", "eve"])
def test_closing_needs_the_name_typed(
    client: Client, root: User, person: People, actions: Actions, typed: str
) -> None:
    user = person("ada")
    address = f"/admin/accounts/user/{user.pk}/close/"
    response = client.post(address, {"reason": "Selling accounts", "typed": typed})
    assert response.status_code == 422
    assert "Nothing was done" in response.content.decode()
    assert User.objects.get(username="ada").is_active
    assert actions() == []


def test_a_change_in_the_form_leaves_an_entry(client: Client, root: User, person: People) -> None:
    user = person("ada")
    form = {
        "display_name": "Ada L.",
        "email": user.email,
        "time_zone": "",
        "theme": "auto",
        "is_staff": "on",
        # Read-only here; sent all the same by somebody who knows the form.
        "is_active": "",
        "username": "eve",
    }
    response = client.post(f"/admin/accounts/user/{user.pk}/change/", form)
    assert response.status_code == 302
    user.refresh_from_db()
    assert (user.username, user.display_name, user.is_staff, user.is_active) == (
        "ada",
        "Ada L.",
        True,
        True,
    )
    entry = AuditEntry.objects.get(action__startswith="user.")
    assert (entry.who, entry.action) == (root, "user.admin_change")
    assert entry.data == {"fields": ["display_name", "is_staff"]}


def test_an_account_is_created_in_lower_case(client: Client, root: User, actions: Actions) -> None:
    form = {
        "username": "Ada",
        "usable_password": "true",
        "password1": PASSWORD,
        "password2": PASSWORD,
    }
    response = client.post("/admin/accounts/user/add/", form)
    assert response.status_code == 302
    assert User.objects.filter(username="ada").exists()
    assert actions() == ["user.admin_create"]
    again = client.post("/admin/accounts/user/add/", {**form, "username": "ADA"})
    assert again.status_code == 200
    assert User.objects.filter(username="ada").count() == 1


def test_nobody_is_deleted(client: Client, root: User, person: People) -> None:
    user = person("ada")
    assert client.post(f"/admin/accounts/user/{user.pk}/delete/").status_code == 403
    assert User.objects.filter(username="ada").exists()


def test_staff_cannot_make_themselves_administrators(client: Client, person: People) -> None:
    staff = person("stan", is_staff=True)
    wanted = ["view_user", "change_user"]
    staff.user_permissions.set(Permission.objects.filter(codename__in=wanted))
    client.force_login(staff)
    form = {"display_name": "", "time_zone": "", "theme": "auto", "is_superuser": "on"}
    assert client.post(f"/admin/accounts/user/{staff.pk}/change/", form).status_code == 302
    assert not User.objects.get(username="stan").is_superuser
    act(client, "make_moderators", staff)
    assert not is_moderator(User.objects.get(username="stan"))


def test_the_audit_log_can_only_be_read(client: Client, root: User) -> None:
    with transaction.atomic():
        entry = audit_record(acting_user=root, action="test.action", target=root)
    base = f"/admin/accounts/auditentry/{entry.pk}"
    assert client.get(f"{base}/change/").status_code == 200
    assert client.post(f"{base}/change/", {"action": "test.lie"}).status_code == 403
    assert client.post(f"{base}/delete/", {"post": "yes"}).status_code == 403
    assert client.get("/admin/accounts/auditentry/add/").status_code == 403
    kept = AuditEntry.objects.exclude(action__startswith="look.")
    assert [each.action for each in kept] == ["test.action"]


def test_players_have_no_business_here(client: Client, person: People) -> None:
    client.force_login(person("ada"))
    response = client.get("/admin/accounts/user/")
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")
