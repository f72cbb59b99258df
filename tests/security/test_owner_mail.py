"""The owner of an account reads by mail what would let others in, or keep them in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse

from accounts.announcing.kinds import Way, When, known
from accounts.announcing.services import choices_set
from accounts.discord.services import discord_link, discord_unlink
from accounts.factors.services import factors_remove
from accounts.models import User
from accounts.oauth.services import application_register
from accounts.tokens.services import token_create, user_become_bot
from core.addresses import network_shown
from tests.accounts.conftest import PASSWORD, made_person, own_cache, with_confirmed_address  # noqa: F401
from tests.accounts.factors import with_app
from tests.games.support import committing
from tests.security.support import FIREFOX, PHONE, letter, letters

pytestmark = pytest.mark.django_db

DISCORD = "80351110224678912"


@pytest.fixture
def ada() -> User:
    """She has a zone of her own, and wants to hear of nothing by mail."""
    ada = with_confirmed_address(made_person("ada", time_zone="Asia/Tokyo"))
    choices_set(acting_user=ada, chosen={(kind, Way.MAIL): When.OFF for kind in known()})
    return ada


@pytest.fixture
def client(ada: User) -> Client:
    browser = Client(headers={"User-Agent": FIREFOX}, REMOTE_ADDR="203.0.113.77")
    browser.force_login(ada)
    return browser


def post(client: Client, name: str, form: dict[str, Any]) -> Any:
    with committing():
        return client.post(reverse(name), form)


def test_a_letter_says_when_whence_and_what_to_do(client: Client) -> None:
    post(client, "accounts:tokens", {"name": "mine", "scopes": ["read"], "lasts": "90"})
    said = letter()
    assert said.to == ["ada@example.org"]
    assert said.subject == "[Gauntlet] A token was made for your account"
    text = str(said.body)
    assert text.startswith("Hello ada,")
    assert "“mine”" in text
    assert "- browser: Firefox on Linux\n" in text
    assert "- network: 203.0.113.x\n" in text
    assert "77" not in text
    assert "(Asia/Tokyo)" in text
    assert reverse("account_reset_password") in text
    assert reverse("accounts:sessions") in text
    assert "  " not in text.replace("\n", "")


DONE: dict[str, tuple[Callable[[User], object], str]] = {
    "token": (
        lambda user: token_create(
            acting_user=user, name="mine", scopes=["read"], lasts=timedelta(days=1)
        ),
        "A token was made",
    ),
    "application": (
        lambda user: application_register(
            acting_user=user, name="Boards", redirect_uris=["https://b.example/"], public=True
        ),
        "An application was registered",
    ),
    "bot": (lambda user: user_become_bot(acting_user=user), "Your account is a bot"),
    "discord": (
        lambda user: discord_link(acting_user=user, discord_id=DISCORD, discord_name="nelly"),
        "Discord has been linked",
    ),
}


@pytest.mark.parametrize("what", DONE)
def test_whatever_way_it_is_done_its_owner_hears_of_it(what: str, ada: User) -> None:
    act, subject = DONE[what]
    with committing():
        act(ada)
    said = letter()
    assert subject in said.subject
    assert said.to == ["ada@example.org"]
    assert "browser:" not in str(said.body)  # nobody has asked through one


def _new_password(user: User) -> None:
    browser = Client()
    browser.force_login(user, backend="accounts.signin.backends.NameBackend")
    form = {"oldpassword": PASSWORD, "password1": "octopus-88", "password2": "octopus-88"}
    assert browser.post(reverse("account_change_password"), form).status_code == 302


def _factor_gone(user: User) -> None:
    with_app(user)
    factors_remove(acting_user=user, kind=Authenticator.Type.TOTP)


UNHEARD: dict[str, Callable[[User], object]] = {
    **{what: act for what, (act, _subject) in DONE.items()},
    "password": _new_password,
    "factor gone": _factor_gone,
}


@pytest.mark.parametrize("confirmed", [False, True], ids=["pending", "confirmed"])
@pytest.mark.parametrize("what", UNHEARD)
def test_the_first_address_of_an_account_is_told_nothing_before_it_is_confirmed(
    what: str, confirmed: bool
) -> None:
    """It may be a stranger's. The page of the address says so."""
    user = made_person("dora", email="")
    browser = Client()
    browser.force_login(user, backend="accounts.signin.backends.NameBackend")
    post(browser, "account_email", {"email": "dora@example.org", "action_add": ""})
    assert "onfirm" in letter().subject
    page = " ".join(browser.get(reverse("account_email")).content.decode().split())
    assert "nothing about your account is sent to it" in page
    if confirmed:
        EmailAddress.objects.filter(user=user).update(verified=True, primary=True)
        page = " ".join(browser.get(reverse("account_email")).content.decode().split())
        assert "nothing about your account" not in page
    with committing():
        UNHEARD[what](User.objects.get(pk=user.pk))
    assert [said.to for said in letters()] == ([["dora@example.org"]] if confirmed else [])


def test_discord_is_taken_off(ada: User) -> None:
    with committing():
        discord_link(acting_user=ada, discord_id=DISCORD, discord_name="nelly")
    letters()
    with committing():
        discord_unlink(acting_user=ada)
    assert "nelly" in str(letter().body)


def test_what_was_refused_or_taken_back_is_not_told(client: Client, ada: User) -> None:
    post(client, "accounts:tokens", {"name": "", "scopes": ["read"], "lasts": "90"})
    post(client, "accounts:bot", {"username": "nobody"})
    assert letters() == []


def test_the_old_address_hears_that_it_is_to_change_and_that_it_has(
    client: Client, ada: User
) -> None:
    post(client, "account_email", {"email": "new@example.org", "action_add": ""})
    by_address = {each.to[0]: each for each in letters()}
    assert set(by_address) == {"ada@example.org", "new@example.org"}
    asked = by_address["ada@example.org"]
    assert "new@example.org" in str(asked.body)
    assert "to change" in asked.subject
    pending = EmailAddress.objects.get(email="new@example.org")
    assert not pending.verified
    link = str(by_address["new@example.org"].body)
    path = link[link.index("/accounts/confirm-email/") :].split(maxsplit=1)[0]
    with committing():
        client.post(path)
    changed = [each for each in letters() if "ada@example.org" in each.to]
    assert ["has changed" in each.subject for each in changed] == [True]


def test_a_pending_address_is_taken_back(client: Client, ada: User) -> None:
    post(client, "account_email", {"email": "new@example.org", "action_add": ""})
    letters()
    post(client, "account_email", {"email": "new@example.org", "action_remove": ""})
    assert letter().to == ["ada@example.org"]


def test_a_new_password(client: Client, ada: User) -> None:
    form = {"password1": "new-swordfish-88", "password2": "new-swordfish-88"}
    post(client, "account_change_password", {"oldpassword": PASSWORD, **form})
    said = letter()
    assert said.subject == "[Gauntlet] Your password has been changed"
    assert "Firefox on Linux" in str(said.body)


def test_a_letter_that_cannot_be_handed_on_undoes_nothing(
    client: Client, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_args: object, **_more: object) -> None:
        raise OSError("no broker")

    monkeypatch.setattr("django.core.mail.EmailMessage.send", away)
    form = {"name": "mine", "scopes": ["read"], "lasts": "90"}
    assert post(client, "accounts:tokens", form).status_code == 201


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.77", "203.0.113.x"),
        ("2001:db8:12:34:56::78", "2001:db8:12:x"),
        ("2001:db8::1", "2001:db8:0:x"),
        ("::ffff:203.0.113.77", "203.0.113.x"),
        ("fe80::1%eth0", "fe80:0:0:x"),
        ("", ""),
        ("unknown", ""),
        ("203.0.113.77:443", "203.0.113.x"),
    ],
)
def test_of_an_address_the_network_alone_is_told(address: str, network: str) -> None:
    assert network_shown(address) == network


# -- a browser that is new -----------------------------------------------------------------------


def sign_in(browser: Client, login: str = "ada", password: str = PASSWORD) -> None:
    with committing():
        browser.post(reverse("account_login"), {"login": login, "password": password})
    assert "_auth_user_id" in browser.session


def test_signing_in_from_a_new_browser_is_told_and_from_a_known_one_is_not(ada: User) -> None:
    laptop, phone = (Client(headers={"User-Agent": each}) for each in (FIREFOX, PHONE))
    sign_in(laptop)
    assert letters() == []  # the very first
    sign_in(phone)
    said = letter()
    assert "new browser" in said.subject
    assert "Safari on an iPhone" in str(said.body)
    for browser in (laptop, phone):
        browser.post(reverse("account_logout"))
        sign_in(browser)
    assert letters() == []


def test_who_registers_is_told_nothing(db: None) -> None:
    browser = Client()
    form = {
        "username": "newcomer", "email": "newcomer@example.org",
        "password1": "swordfish-99", "password2": "swordfish-99",
    }  # fmt: skip
    post(browser, "account_signup", form)
    assert [each.subject for each in letters()] == ["[Gauntlet] Please confirm your address"]
    browser.post(reverse("account_logout"))
    sign_in(browser, "newcomer", "swordfish-99")
    assert letters() == []


def test_the_cookie_is_the_browsers_alone_and_speaks_for_nobody_else(ada: User) -> None:
    laptop = Client()
    sign_in(laptop)
    cookie = laptop.cookies["signed_in_before"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert str(ada.pk) not in cookie.value.partition(":")[0].split(".")
    other = Client()
    other.cookies["signed_in_before"] = cookie.value.replace(":", "x:", 1)  # not as it was signed
    sign_in(other)
    assert "new browser" in letter().subject
    eve = with_confirmed_address(made_person("eve"))
    User.objects.filter(pk=eve.pk).update(last_login="2026-01-01T00:00:00Z")
    laptop.post(reverse("account_logout"))
    sign_in(laptop, "eve")
    assert letter().to == ["eve@example.org"]
    laptop.post(reverse("account_logout"))
    sign_in(laptop)  # it knows both
    assert letters() == []


def test_a_wrong_password_is_not_told(ada: User) -> None:
    User.objects.filter(pk=ada.pk).update(last_login="2026-01-01T00:00:00Z")
    with committing():
        Client().post(reverse("account_login"), {"login": "ada", "password": "guess-work-11"})
    assert letters() == []
