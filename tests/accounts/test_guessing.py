"""Guessing passwords: one way in, limited by account and address together, and nobody's owner is
locked out by a stranger's tries."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.models import User
from accounts.roles import Role
from tests.accounts.conftest import PASSWORD, with_confirmed_address

People = Callable[..., User]
HOME, CAFE, STRANGER = "192.0.2.1", "192.0.2.2", "198.51.100.9"


def signs_in(address: str, password: str = PASSWORD, login: str = "ada", **more: Any) -> str:
    """Try a password from an address: an empty string where it was right, else what was said."""
    client = Client(REMOTE_ADDR=address)
    page = client.post("/accounts/login/", {"login": login, "password": password, **more})
    if page.status_code == 302:
        assert client.session["_auth_user_id"]
        return ""
    return " ".join(page.content.decode().split())


def locked(address: str, **more: Any) -> bool:
    """Whether the right password is refused from an address."""
    said = signs_in(address, **more)
    assert not said or "Too many failed attempts" in said or "is guessing" in said, said
    return bool(said)


@pytest.fixture
def ada(person: People) -> User:
    return with_confirmed_address(person("ada"))


def test_a_strangers_tries_lock_the_stranger_out_and_nobody_else(ada: User, person: People) -> None:
    person("ben")
    for _try in range(5):
        assert "do not belong together" in signs_in(STRANGER, "guess-1234")
    assert locked(STRANGER)
    assert not locked(HOME)
    assert not locked(STRANGER, login="ben")


def test_all_names_of_an_account_count_together(ada: User) -> None:
    for login in ("ada", "ada@example.org", "ADA", "Ada@Example.org", "ada"):
        assert "do not belong together" in signs_in(STRANGER, "guess-1234", login=login)
    for login in ("ada", "ada@example.org", "aDa"):
        assert locked(STRANGER, login=login)


def test_many_addresses_together_are_bounded_and_the_owner_comes_in(ada: User) -> None:
    assert not locked(HOME)
    for number in range(50):
        said = signs_in(f"203.0.113.{number}", "guess-1234")
        assert "do not belong together" in said, number
    # An address more gets no answer, right or wrong; one that is known does.
    assert "from many places" in signs_in("203.0.113.77", "guess-1234")
    assert locked("203.0.113.78")
    assert not locked(HOME)
    # Whoever reads the account's mail comes in from anywhere.
    assert locked(CAFE)
    owner = Client(REMOTE_ADDR=CAFE)
    owner.post("/accounts/password/reset/", {"email": "ada@example.org"})
    link = re.search(r"/accounts/password/reset/key/\S+", str(mail.outbox[-1].body))
    assert link is not None
    form = owner.get(link[0])["Location"]
    owner.post(form, {"password1": "octopus-88", "password2": "octopus-88"})
    assert not locked(CAFE, password="octopus-88")
    assert locked("203.0.113.79", password="octopus-88")


def test_the_right_password_is_not_counted(ada: User) -> None:
    for _try in range(4):
        assert "do not belong together" in signs_in(STRANGER, "guess-1234")
    for _time in range(3):
        assert not locked(STRANGER)
    assert "do not belong together" in signs_in(STRANGER, "guess-1234")
    assert locked(STRANGER)


def test_nobodys_name_is_limited_alike(ada: User) -> None:
    """Else the answers would tell whose name is known."""
    for login in ("ada", "nobody1", "nobody@example.org"):
        said = [signs_in(f"203.0.113.{len(login)}", "guess-1234", login=login) for _n in range(6)]
        assert all("do not belong together" in each for each in said[:5])
        assert "Too many failed attempts" in said[5]


# -- one way in ----------------------------------------------------------------------------------


def test_the_admin_site_leads_to_the_sites_own_page(
    client: Client, person: People, ada: User
) -> None:
    person("mona", Role.MODERATOR)
    first = client.get("/admin/accounts/report/", follow=True)
    assert first.redirect_chain[-1][0] == "/accounts/login/?next=/admin/accounts/report/" or (
        first.redirect_chain[-1][0] == "/accounts/login/?next=%2Fadmin%2Faccounts%2Freport%2F"
    )
    assert first.status_code == 200
    form = {"username": "mona", "login": "mona", "password": PASSWORD, "next": "/admin/"}
    tried = client.post("/admin/login/?next=/admin/", form)
    assert (tried.status_code, tried["Location"]) == (302, "/accounts/login/?next=%2Fadmin%2F")
    assert "_auth_user_id" not in client.session
    inside = client.post("/accounts/login/?next=%2Fadmin%2F", form)
    assert inside["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200
    assert client.get("/admin/login/")["Location"] == "/admin/"
    assert client.get("/admin/password_change/")["Location"] == "/accounts/password/change/"
    evil = Client().get("/admin/login/?next=https://evil.example/", follow=True)
    done = evil.client.post(evil.redirect_chain[-1][0], form | {"next": "https://evil.example/"})
    assert done["Location"] == "/"


def test_who_has_no_business_there_is_told_so(client: Client, ada: User) -> None:
    client.force_login(ada)
    page = client.get("/admin/", follow=True)
    assert page.status_code == 403
    assert len(page.redirect_chain) == 1


def addresses() -> list[str]:
    """Every address of the site in which nothing has to be filled in."""
    found = []

    def within(resolver: URLResolver, names: tuple[str, ...]) -> None:
        if set(resolver.pattern.converters) | set(resolver.pattern.regex.groupindex):
            return
        for each in resolver.url_patterns:
            if isinstance(each, URLResolver):
                within(each, (*names, each.namespace) if each.namespace else names)
            elif isinstance(each, URLPattern) and each.name:
                taken = set(each.pattern.converters) | set(each.pattern.regex.groupindex)
                if not taken:
                    found.append(reverse(":".join([*names, each.name])))

    within(get_resolver(), ())
    # Some stand there twice: ours in place of the library's.
    return list(dict.fromkeys(found))


def _noted(tried: list[str]) -> Callable[[User, str], bool]:
    def check(_user: User, raw: str) -> bool:
        tried.append(raw)
        return False

    return check


def test_no_other_address_takes_a_password(person: People, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nowhere else can one be tried, whatever it is called there: not signed in."""
    person("mona", Role.MODERATOR)
    tried: list[str] = []
    monkeypatch.setattr(User, "check_password", _noted(tried))
    form = {
        "login": "mona", "username": "mona", "email": "mona@example.org", "password": "guess-1234",
        "oldpassword": "guess-1234", "old_password": "guess-1234", "grant_type": "password",
        "client_id": "x", "password1": "guess-1234", "password2": "guess-1234",
    }  # fmt: skip
    all_of_them = addresses()
    assert len(all_of_them) > 60
    taking = []
    for address in all_of_them:
        tried.clear()
        Client(raise_request_exception=False).post(
            address, form, headers={"authorization": "Basic bW9uYTpzd29yZGZpc2gtNzc="}
        )
        if tried:
            taking.append(address)
    assert taking == ["/accounts/login/"]
