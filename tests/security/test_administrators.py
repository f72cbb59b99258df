"""What an administrator writes in the forms of the admin site, where no service does it: it is in
the audit log, and the owner of an account reads by mail what concerns how one gets in. And what
staff cannot write there, whatever permissions they have been given."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.contrib.sites.models import Site
from django.db import models
from django.test import Client, RequestFactory
from django.urls import reverse
from oauth2_provider.models import (
    get_access_token_model,
    get_application_model,
    get_grant_model,
    get_id_token_model,
    get_refresh_token_model,
)

from accounts.models import AuditEntry, User
from accounts.roles import Role
from core.admin.actions import AddedByAction
from core.clock import now_utc
from tests.accounts.conftest import made_person, own_cache, with_confirmed_address  # noqa: F401
from tests.games.support import committing
from tests.security.support import FIREFOX, letters

pytestmark = pytest.mark.django_db

Application, AccessToken, RefreshToken, Grant, IDToken = (
    get_application_model(), get_access_token_model(), get_refresh_token_model(),
    get_grant_model(), get_id_token_model(),
)  # fmt: skip
MAIL = "ada@example.org"


@pytest.fixture
def ada() -> User:
    return with_confirmed_address(made_person("ada"))


@pytest.fixture
def root() -> User:
    return made_person("root", is_staff=True, is_superuser=True)


@pytest.fixture
def client(root: User) -> Client:
    browser = Client(headers={"User-Agent": FIREFOX}, REMOTE_ADDR="203.0.113.77")
    browser.force_login(root)
    return browser


def _application(ada: User) -> Any:
    return Application.objects.create(
        user=ada, name="Boards", redirect_uris="https://b.example/", client_type="public",
        authorization_grant_type="authorization-code",
    )  # fmt: skip


def _let_in(model: Any) -> Callable[[User], Any]:
    def make(ada: User) -> Any:
        fields: dict[str, Any] = {"user": ada, "application": _application(ada)}
        for name in ("token", "code"):
            if any(field.name == name for field in model._meta.fields):
                fields[name] = "hush-hush"
        if model is not RefreshToken:
            fields |= {"expires": now_utc() + timedelta(days=1), "scope": "read"}
        if model is Grant:
            fields["redirect_uri"] = "https://b.example/"
        return model.objects.create(**fields)

    return make


#: What there is a form for: how there comes to be such a row, and what is typed into the form of a
#: new one, and of one that is there.
ROWS: dict[Any, tuple[Callable[[User], Any], dict[str, Any], dict[str, Any]]] = {
    Site: (
        lambda ada: Site.objects.create(domain="a.example", name="A"),
        {"domain": "b.example", "name": "B"},
        {"name": "Other"},
    ),
    Group: (
        lambda ada: Group.objects.create(name="Helpers"),
        {"name": "Friends"},
        {"permissions": lambda: [Permission.objects.earliest("pk").pk]},
    ),
    EmailAddress: (
        lambda ada: EmailAddress.objects.create(user=ada, email="other@example.org"),
        {"user": lambda: User.objects.get(username="ada").pk, "email": "evil@example.org"},
        {"verified": "on"},
    ),
    Application: (
        _application,
        {
            "client_id": "new", "client_type": "public", "client_secret": "x", "name": "Two",
            "user": lambda: User.objects.get(username="ada").pk, "algorithm": "",
            "authorization_grant_type": "authorization-code",
            "redirect_uris": "https://c.example/",
        },
        {"redirect_uris": "https://evil.example/"},
    ),
    User: (
        lambda ada: ada,
        {
            "username": "new", "usable_password": "true",
            "password1": "octopus-88", "password2": "octopus-88",
        },
        {"email": "evil@example.org"},
    ),
    AccessToken: (_let_in(AccessToken), {}, {"scope": "read write"}),
    RefreshToken: (_let_in(RefreshToken), {},
                   {"user": lambda: made_person("eve").pk, "revoked_0": "2030-01-02",
                    "revoked_1": "12:00"}),
    Grant: (_let_in(Grant), {}, {"redirect_uri": "https://evil.example/"}),
    IDToken: (_let_in(IDToken), {}, {"scope": "read write"}),
}  # fmt: skip
#: Of whose rows an account's owner is written to.
KEYS: set[type[models.Model]] = {
    EmailAddress,
    Application,
    AccessToken,
    RefreshToken,
    Grant,
    IDToken,
}


def _may(root: User, model_admin: Any) -> set[str]:
    request = RequestFactory().get("/")
    request.user = root
    return {
        what for what in ("add", "change", "delete")
        if getattr(model_admin, f"has_{what}_permission")(request)
    }  # fmt: skip


def page(model: Any, what: str, *keys: object) -> str:
    meta = model._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{what}", args=keys)


def typed(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value() if callable(value) else value for name, value in values.items()}


def as_shown(client: Client, address: str) -> dict[str, Any]:
    """What a form says as it is, for sending it back."""
    form = client.get(address).context["adminform"].form
    found: dict[str, Any] = {}
    for name, field in form.fields.items():
        value = form[name].value()
        if field.disabled or value in (None, False):
            continue
        widget = field.widget
        if isinstance(value, list):
            value = [getattr(each, "pk", each) for each in value]
        parts = getattr(getattr(widget, "widget", widget), "widgets_names", None)
        if parts is not None:
            for part, one in zip(parts, getattr(widget, "widget", widget).decompress(value),
                                 strict=True):  # fmt: skip
                found[name + part] = str(one)
        else:
            found[name] = "on" if value is True else getattr(value, "pk", value)
    return found


def entries(row_type: Any) -> list[AuditEntry]:
    found = AuditEntry.objects.filter(action__contains="admin").order_by("pk")
    return list(found.filter(target_type=row_type._meta.label_lower))


def test_every_form_there_is_is_in_the_table(root: User) -> None:
    """What an action adds is written down by its service: tests/accounts/test_permission_matrix."""
    written = {
        model for model, model_admin in admin.site._registry.items()
        if _may(root, model_admin) and not isinstance(model_admin, AddedByAction)
    }  # fmt: skip
    assert written == ROWS.keys()
    assert KEYS | {User} == {
        model for model in written
        if model is User or any(
            isinstance(field, models.ForeignKey) and field.related_model is User
            for field in model._meta.fields
        )
    }  # fmt: skip


@pytest.mark.parametrize("what", ["add", "change", "delete", "delete several"])
@pytest.mark.parametrize("model", ROWS, ids=lambda model: model.__name__)
def test_what_is_written_in_a_form_is_in_the_audit_log_and_told(
    model: Any, what: str, ada: User, root: User, client: Client
) -> None:
    make, new, other = ROWS[model]
    if what.partition(" ")[0] not in _may(root, admin.site._registry[model]):
        return
    row = None if what == "add" else make(ada)
    key = row.pk if row is not None else None
    letters()
    with committing():
        if what == "add":
            address = page(model, "add")
            done = client.post(address, as_shown(client, address) | typed(new))
        elif what == "change":
            address = page(model, "change", key)
            done = client.post(address, as_shown(client, address) | typed(other))
        elif what == "delete":
            done = client.post(page(model, "delete", key), {"post": "yes"})
        else:
            form = {"action": "delete_selected", "_selected_action": [key], "post": "yes"}
            done = client.post(page(model, "changelist"), form)
    assert done.status_code == 302, done.context["adminform"].form.errors
    if key is None:
        key = model.objects.latest("pk").pk
    (entry,) = entries(model)
    assert (entry.who, entry.target_id) == (root, str(key))
    assert entry.action.endswith({"add": ("_create", ".add"), "change": ("_change", ".change")}
                                 .get(what, ".delete"))  # fmt: skip
    if what == "change":
        assert other.keys() - {"revoked_0", "revoked_1"} <= {*entry.data["fields"]}
    assert "hush-hush" not in str(entry.data)
    told = [each for each in letters() if each.to == [MAIL]]
    if model in KEYS or (model is User and what == "change"):
        if model in KEYS and what != "change":
            assert entry.data["user"] == ada.pk
        (said,) = told
        assert said.subject == "[Gauntlet] An administrator has changed your account"
        text = " ".join(str(said.body).split())
        assert {"add": "added", "change": "changed"}.get(what, "deleted") in text
        # Where the administrator sits is nobody's business.
        assert "browser:" not in text
        assert "203.0" not in text
    else:
        assert told == []


@pytest.mark.parametrize(
    ("form", "what"),
    [
        ({"usable_password": "true", "password1": "octopus-88", "password2": "octopus-88"},
         "another password"),
        ({"usable_password": "false", "unset-password": ""}, "taken the password off"),
    ],
)  # fmt: skip
def test_another_password_is_told(
    form: dict[str, str], what: str, ada: User, client: Client
) -> None:
    with committing():
        done = client.post(reverse("admin:auth_user_password_change", args=[ada.pk]), form)
    assert done.status_code == 302
    (said,) = letters()
    assert said.to == [MAIL]
    assert what in str(said.body)


def test_what_a_librarys_action_does_is_written_down_and_told(ada: User, client: Client) -> None:
    other = EmailAddress.objects.create(user=ada, email="other@example.org")
    confirmed = EmailAddress.objects.get(user=ada, email=MAIL)
    form = {"action": "make_verified", "_selected_action": [other.pk, confirmed.pk]}
    with committing():
        assert client.post(page(EmailAddress, "changelist"), form).status_code == 302
    other.refresh_from_db()
    assert other.verified
    # Of the one at which nothing changed there is nothing to say.
    assert [(each.action, each.target_id) for each in entries(EmailAddress)] == [
        ("admin.make_verified", str(other.pk))
    ]
    (said,) = letters()
    assert said.to == [MAIL]
    assert "the address other@example.org of your account (confirmed)" in str(said.body)


@pytest.mark.parametrize("model", [AccessToken, RefreshToken], ids=lambda model: model.__name__)
def test_so_is_the_revoking_of_what_was_let_in(model: Any, ada: User, client: Client) -> None:
    row = _let_in(model)(ada)
    form = {"action": "revoke_tokens", "_selected_action": [row.pk]}
    with committing():
        assert client.post(page(model, "changelist"), form).status_code == 302
    (entry,) = entries(model)
    assert (entry.action, entry.data["user"]) == ("admin.revoke_tokens", ada.pk)
    assert [said.to for said in letters()] == [[MAIL]]


def test_there_is_no_way_to_another_address_of_which_the_one_before_hears_nothing(
    ada: User, client: Client
) -> None:
    """Step by step, the last of which is a password by mail."""
    own = EmailAddress.objects.get(user=ada)
    steps: list[tuple[str, dict[str, Any]]] = [
        (page(EmailAddress, "change", own.pk), {"user": ada.pk, "email": MAIL, "verified": "on"}),
        (page(EmailAddress, "add"),
         {"user": ada.pk, "email": "evil@example.org", "verified": "on", "primary": "on"}),
        (page(EmailAddress, "delete", own.pk), {"post": "yes"}),
    ]  # fmt: skip
    heard = []
    for address, form in steps:
        with committing():
            assert client.post(address, form).status_code == 302
        heard.append([each.to[0] for each in letters()])
    assert heard[:2] == [[MAIL], [MAIL]]
    # By then it had another.
    assert heard[2] == ["evil@example.org"]


# -- staff, to whom single permissions were given --------------------------------------------------


@pytest.fixture
def clerk() -> Client:
    """The browser of somebody who is staff, and has every permission of Django's."""
    user = made_person("clara", is_staff=True)
    user.user_permissions.set(Permission.objects.all())
    browser = Client()
    browser.force_login(user)
    return browser


@pytest.mark.parametrize(
    "model", [Group, *sorted(KEYS, key=lambda model: model.__name__)], ids=lambda it: it.__name__
)
def test_what_lets_in_or_gives_power_is_written_by_administrators_alone(
    model: Any, ada: User, clerk: Client
) -> None:
    """Django's permission for it would be that of an administrator."""
    make, new, other = ROWS[model]
    row = make(ada)
    before = [*model.objects.order_by("pk").values()]
    assert clerk.get(page(model, "change", row.pk)).status_code == 200
    for what, form in (("change", other), ("delete", {"post": "yes"})):
        assert clerk.post(page(model, what, row.pk), typed(form)).status_code == 403, what
    assert clerk.post(page(model, "add"), typed(new)).status_code == 403
    for action in ("delete_selected", *(admin.site._registry[model].actions or ())):
        form = {"action": action, "_selected_action": [row.pk], "post": "yes"}
        clerk.post(page(model, "changelist"), form)
        assert [*model.objects.order_by("pk").values()] == before, action
    assert letters() == []


@pytest.mark.parametrize("power", ["administrator", "staff", *Role])
def test_who_holds_a_power_is_given_no_password_by_staff(power: str, clerk: Client) -> None:
    """Whoever has their password has what they may do."""
    roles = [role for role in Role if role == power]
    flags = {"administrator": {"is_superuser": True}, "staff": {"is_staff": True}}
    holder = made_person("hal", *roles, **flags.get(power, {}))
    before = User.objects.values().get(pk=holder.pk)
    form = {"usable_password": "true", "password1": "octopus-88", "password2": "octopus-88"}
    for name in ("auth_user_password_change", "accounts_user_change"):
        address = reverse(f"admin:{name}", args=[holder.pk])
        assert clerk.post(address, form).status_code == 403, name
    assert User.objects.values().get(pk=holder.pk) == before
    shown = clerk.get(page(User, "change", holder.pk)).context["adminform"].fieldsets
    assert "password" not in {name for _, its in shown for name in its["fields"]}


def test_staff_change_other_accounts_and_their_own(ada: User, clerk: Client) -> None:
    for name in (ada.username, "clara"):
        address = page(User, "change", User.objects.get(username=name).pk)
        form = as_shown(clerk, address) | {"display_name": f"{name} L."}
        assert clerk.post(address, form).status_code == 302
        assert User.objects.get(username=name).display_name == f"{name} L."
