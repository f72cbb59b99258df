"""Registering, signing in and out, and finding the way back, through the pages themselves."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.test import Client

from accounts.models import AuditEntry, User
from accounts.services import user_close
from core.refusals import Refusal
from tests.accounts.conftest import PASSWORD

pytestmark = pytest.mark.django_db

People = Callable[..., User]
FORM = {
    "username": "Ada",
    "email": "ada@example.org",
    "password1": PASSWORD,
    "password2": PASSWORD,
}


def signed_in(client: Client) -> bool:
    """Say whether this visitor is signed in."""
    return "_auth_user_id" in client.session


def test_registering_signs_in_and_sends_a_mail(client: Client) -> None:
    response = client.post("/accounts/signup/", FORM)
    assert response.status_code == 302
    user = User.objects.get()
    assert (user.username, user.display_name, user.email) == ("ada", "Ada", "ada@example.org")
    assert signed_in(client)
    assert AuditEntry.objects.get().action == "user.register"
    (message,) = mail.outbox
    assert message.to == ["ada@example.org"]
    assert message.subject == "[Gauntlet] Please confirm your address"
    assert message.body.startswith("Hello Ada,")


def test_a_lower_case_name_leaves_the_display_name_empty(client: Client) -> None:
    client.post("/accounts/signup/", {**FORM, "username": "ada"})
    assert User.objects.get().display_name == ""


def test_registering_leads_back_to_where_one_came_from_but_not_elsewhere(client: Client) -> None:
    response = client.post("/accounts/signup/", {**FORM, "next": "/u/ada/"})
    assert response["Location"] == "/u/ada/"
    other = Client()
    form = {**FORM, "username": "eve", "email": "eve@example.org", "next": "https://evil.example/"}
    assert other.post("/accounts/signup/", form)["Location"] == "/"


@pytest.mark.parametrize(
    ("field", "given", "sentence"),
    [
        ("username", {"username": "ADMIN"}, "This username is reserved"),
        ("username", {"username": "Bob"}, "This username is taken"),
        ("username", {"username": "a da"}, "letters a to z, digits, hyphens"),
        ("username", {"username": "åda"}, "letters a to z, digits, hyphens"),
        ("username", {"username": "ad"}, "at least 3 characters"),
        ("username", {"username": "a" * 21}, "at most 20 characters"),
        ("username", {"username": ""}, "This field is required"),
        ("username", {"username": "ad\x00a"}, "Null characters"),
        ("email", {"email": "nowhere"}, "valid email address"),
        ("email", {"email": ""}, "This field is required"),
        ("password1", {"password1": "short", "password2": "short"}, "too short"),
        ("password1", {"password1": "12345678901", "password2": "12345678901"}, "numeric"),
        ("password1", {"password1": "password1", "password2": "password1"}, "too common"),
        ("password2", {"password2": "something-else"}, "same password"),
    ],
)
def test_refusals_of_registering(
    client: Client, person: People, field: str, given: dict[str, str], sentence: str
) -> None:
    person("bob")
    response = client.post("/accounts/signup/", {**FORM, **given})
    assert response.status_code == 200
    errors = response.context["form"].errors
    assert set(errors) == {field}
    assert re.search(sentence, " ".join(errors[field]))
    assert f'id="id_{field}_error"' in response.content.decode()
    assert not signed_in(client)
    assert User.objects.count() == 1
    assert mail.outbox == []


def test_losing_a_race_for_a_name_is_an_error_of_the_form(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken(**_fields: str) -> User:
        raise Refusal("username.taken", "This username is taken.", field="username")

    monkeypatch.setattr("accounts.signin.adapter.user_register", taken)
    response = client.post("/accounts/signup/", FORM)
    assert response.status_code == 200
    assert response.context["form"].errors == {"username": ["This username is taken."]}
    assert not signed_in(client)


def test_somebody_signed_in_has_no_business_registering(client: Client, person: People) -> None:
    client.force_login(person())
    assert client.get("/accounts/signup/").status_code == 302


@pytest.mark.parametrize("login", ["bob", "BOB", "bob@example.org", "BOB@Example.org"])
def test_signing_in_by_name_or_address(client: Client, person: People, login: str) -> None:
    person("bob", display_name="Bobby")
    response = client.post(
        "/accounts/login/", {"login": login, "password": PASSWORD, "next": "/u/bob/"}, follow=True
    )
    assert response.redirect_chain == [("/u/bob/", 302)]
    assert signed_in(client)
    assert "Welcome, Bobby." in response.content.decode()


@pytest.mark.parametrize(
    "form",
    [
        {"login": "bob", "password": "wrong"},
        {"login": "nobody-here", "password": PASSWORD},
        {"login": "bob@example.org", "password": "wrong"},
        {"login": "", "password": ""},
        {"login": "b" * 5000, "password": "p" * 5000},
    ],
)
def test_refusals_of_signing_in(client: Client, person: People, form: dict[str, str]) -> None:
    person("bob")
    response = client.post("/accounts/login/", form)
    assert response.status_code == 200
    assert response.context["form"].errors
    assert not signed_in(client)


def test_an_unknown_name_and_a_wrong_password_get_the_same_answer(
    client: Client, person: People
) -> None:
    person("bob")
    answers = {
        str(
            client.post("/accounts/login/", {"login": login, "password": "wrong"})
            .context["form"]
            .errors
        )
        for login in ("bob", "nobody-here")
    }
    assert len(answers) == 1


def test_failing_too_often_is_answered_with_the_limit(client: Client, person: People) -> None:
    person("bob")
    for _ in range(5):
        client.post("/accounts/login/", {"login": "bob", "password": "wrong"})
    response = client.post("/accounts/login/", {"login": "bob", "password": PASSWORD})
    assert "wait 300 seconds" in str(response.context["form"].errors)
    assert not signed_in(client)


def test_a_flood_is_answered_with_429_the_limit_and_the_wait(client: Client) -> None:
    responses = [client.post("/accounts/signup/", {}) for _ in range(21)]
    assert [response.status_code for response in responses[:20]] == [200] * 20
    last = responses[20]
    assert last.status_code == 429
    assert last["Retry-After"] == "60"
    page = last.content.decode()
    assert "20 tries in 60 s" in page
    assert "wait 60 seconds" in page


def test_a_closed_account_cannot_sign_in_and_is_signed_out(client: Client, person: People) -> None:
    user = person("bob")
    client.force_login(user)
    root = User.objects.create_superuser("ruth")
    user_close(acting_user=root, user=user, reason="abuse")
    assert client.get("/accounts/settings/").status_code == 302
    fresh = Client()
    form = {"login": "bob", "password": PASSWORD}
    response = fresh.post("/accounts/login/", form, follow=True)
    assert "This account is closed" in response.content.decode()
    assert not signed_in(fresh)


def test_signing_out_asks_first(client: Client, person: People) -> None:
    client.force_login(person())
    assert client.get("/accounts/logout/").status_code == 200
    assert signed_in(client)
    assert client.post("/accounts/logout/").status_code == 302
    assert not signed_in(client)


def test_forms_need_their_key(person: People) -> None:
    person("bob")
    client = Client(enforce_csrf_checks=True)
    response = client.post("/accounts/login/", {"login": "bob", "password": PASSWORD})
    assert response.status_code == 403
    assert "Traceback" not in response.content.decode()
    assert not signed_in(client)


# --- Forgotten passwords and changed addresses -----------------------------------------------


def link_in_mail() -> str:
    """Return the path that the last mail asks to follow."""
    found = re.search(r"http://testserver(/accounts/\S+)", str(mail.outbox[-1].body))
    assert found is not None
    return found[1]


def test_a_forgotten_password_is_replaced_by_mail(client: Client, person: People) -> None:
    user = person("bob")
    response = client.post("/accounts/password/reset/", {"email": "Bob@example.org"})
    assert response["Location"] == "/accounts/password/reset/done/"
    (message,) = mail.outbox
    assert (message.to, message.subject) == (
        ["bob@example.org"],
        "[Gauntlet] Choose a new password",
    )
    assert "your account bob" in message.body
    form_page = client.get(link_in_mail(), follow=True)
    assert "Choose a new password" in form_page.content.decode()
    new = {"password1": "new-swordfish-88", "password2": "new-swordfish-88"}
    assert client.post(form_page.request["PATH_INFO"], new).status_code == 302
    user.refresh_from_db()
    assert user.check_password("new-swordfish-88")
    assert mail.outbox[-1].subject == "[Gauntlet] Your password has been reset"


def test_a_reset_link_works_once(client: Client, person: People) -> None:
    user = person("bob")
    client.post("/accounts/password/reset/", {"email": "bob@example.org"})
    link = link_in_mail()
    user.set_password("changed-meanwhile-1")
    user.save()
    response = client.get(link, follow=True)
    assert response.status_code == 200
    assert "This link has expired" in response.content.decode()


def test_an_unknown_address_is_not_told_apart_on_the_page(client: Client, person: People) -> None:
    person("bob")
    known = client.post("/accounts/password/reset/", {"email": "bob@example.org"}, follow=True)
    unknown = client.post("/accounts/password/reset/", {"email": "eve@example.org"}, follow=True)
    assert known.redirect_chain == unknown.redirect_chain
    assert mail.outbox[-1].subject == "[Gauntlet] No account with this address"
    assert mail.outbox[-1].to == ["eve@example.org"]


def test_changing_the_password(client: Client, person: People) -> None:
    user = person("bob")
    client.force_login(user)
    new = {"password1": "new-swordfish-88", "password2": "new-swordfish-88"}
    wrong = client.post("/accounts/password/change/", {"oldpassword": "wrong", **new})
    assert "oldpassword" in wrong.context["form"].errors
    user.refresh_from_db()
    assert user.check_password(PASSWORD)
    client.post("/accounts/password/change/", {"oldpassword": PASSWORD, **new})
    user.refresh_from_db()
    assert user.check_password("new-swordfish-88")
    assert signed_in(client)
    assert "Your password has been changed." in mail.outbox[-1].body


def test_changing_the_address_waits_for_the_mail(client: Client, person: People) -> None:
    user = person("bob")
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    client.force_login(user)
    client.post("/accounts/email/", {"action_add": "", "email": "new@example.org"})
    user.refresh_from_db()
    assert user.email == "bob@example.org"
    page = client.get("/accounts/email/").content.decode()
    assert "It changes to <strong>new@example.org</strong>" in page
    client.post(link_in_mail())
    user.refresh_from_db()
    assert user.email == "new@example.org"
    assert AuditEntry.objects.get().action == "user.confirm_email"


@pytest.mark.parametrize("confirmed", [True, False])
def test_nobody_is_told_whose_address_is_known(person: People, confirmed: bool) -> None:
    """Whoever gives an address, at any place that takes one, sees and may do the same whether it is
    another's or nobody's. Its owner is told by mail."""
    owner = person("owner", email="quuxone@example.org")
    EmailAddress.objects.create(user=owner, email=owner.email, verified=confirmed, primary=True)
    seen = [_seen_by(person, "carl", "quuxone"), _seen_by(person, "cyzz", "quuxtwo")]
    lines = [[line for page in pages for line in page.splitlines()] for pages in seen]
    assert [both for both in zip(*lines, strict=True) if both[0] != both[1]] == []
    told = [message for message in mail.outbox if message.to == ["quuxone@example.org"]]

    assert not any("/accounts/confirm-email/" in str(message.body) for message in told)
    assert sum("belongs to an account already" in str(message.body) for message in told) >= 2
    owner.refresh_from_db()
    assert owner.email == "quuxone@example.org"
    rows = EmailAddress.objects.filter(email=owner.email, verified=True)
    assert not rows.exclude(user=owner).exists()


def _seen_by(person: People, name: str, address: str) -> list[str]:
    """What somebody sees who gives an address everywhere; names and the address made alike."""
    cache.clear()
    email = f"{address}@example.org"
    browser = Client()
    told: list[str] = []

    def see(answer: Any) -> None:
        text = f"{answer.status_code} {answer.get('Location', '')} {answer.content.decode()}"
        for odd, even in ((address, "ADDRESS"), (name, "NAME"), (name.capitalize(), "NAME")):
            text = text.replace(odd, even)
        odd = r'(token"? value|nonce)="[^"]+"|avatar--\d|\d{4}-\d\d-\d\dT[\d:.]+Z'
        told.append(re.sub(odd, "", text))

    def change(**action: str) -> None:
        see(browser.post("/accounts/email/", {"email": email, **action}))
        see(browser.get("/accounts/email/"))

    see(browser.post("/accounts/signup/", {**FORM, "username": name, "email": email}))
    assert signed_in(browser)
    for path in ("/", "/accounts/email/", "/accounts/settings/", "/api/v1/me/", f"/u/{name}/"):
        see(browser.get(path))
    change(action_send="")
    change(action_primary="")
    change(action_remove="")
    see(browser.post("/accounts/reauthenticate/", {"password": FORM["password1"]}))
    browser = Client()
    for password in (FORM["password1"], "wrong-swordfish"):
        see(browser.post("/accounts/login/", {"login": email, "password": password}))
        browser.logout()
    see(browser.post("/accounts/password/reset/", {"email": email}))
    # The same by changing an address that was confirmed. Mails to one address are limited.
    cache.clear()
    user = person(f"{name}-2")
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    browser.force_login(user)
    for action in ("action_add", "action_send", "action_primary", "action_remove"):
        change(**{action: ""})
    return told


def test_an_address_taken_since_the_mail_was_sent_is_not_confirmed(
    client: Client, person: People
) -> None:
    user = person("bob")
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    client.force_login(user)
    client.post("/accounts/email/", {"action_add": "", "email": "new@example.org"})
    link = link_in_mail()
    person("eve", email="new@example.org")
    response = client.post(link, follow=True)
    assert response.status_code == 200
    assert "confirmed for another account" in response.content.decode()
    user.refresh_from_db()
    assert user.email == "bob@example.org"
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize(
    "path",
    [
        "/accounts/password/reset/key/zz-zzz-zzzz/",
        "/accounts/confirm-email/nonsense/",
    ],
)
def test_mistyped_links_get_a_friendly_page(client: Client, path: str) -> None:
    response = client.get(path, follow=True)
    assert response.status_code == 200
    assert "This link has expired" in response.content.decode()
