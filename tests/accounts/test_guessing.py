"""Guessing passwords and codes: one way in, limited by account and address together, and nobody's
owner is locked out by a stranger's tries."""

import importlib
import inspect
import json
import pkgutil
import re
from collections.abc import Callable
from typing import Any

import allauth.mfa
import pytest
from allauth.account import app_settings as account_settings
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.conf import settings
from django.core import mail
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils.module_loading import import_string
from fido2.utils import websafe_encode

from accounts.factors.guessing import ASKING
from accounts.models import User
from accounts.roles import Role
from accounts.signin.guessing import code_take
from tests.accounts.conftest import PASSWORD, with_confirmed_address
from tests.accounts.factors import (
    APP,
    INDEX,
    STEP,
    app_code,
    confirmed,
    with_app,
    with_passkey,
)

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


# -- guessing codes ------------------------------------------------------------------------------


def gives_code(address: str, code: str, browser: Client | None = None) -> str:
    """Give the right password and a code from an address; an empty string where it was right."""
    client = browser or Client()
    client.post("/accounts/login/", {"login": "ada", "password": PASSWORD}, REMOTE_ADDR=address)
    page = client.post(STEP, {"code": code}, REMOTE_ADDR=address)
    if page.status_code == 302:
        assert client.session["_auth_user_id"]
        return ""
    assert "_auth_user_id" not in client.session
    said = " ".join(page.content.decode().split())
    refused = "Too many failed attempts" in said or "is guessing its codes" in said
    assert (page.status_code == 429) is refused, page.status_code
    assert not refused or int(page["Retry-After"]) >= 300
    return said


class Codes:
    """What an app shows, each time a new one: no code is good twice."""

    def __init__(self, secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.secret, self.passed = secret, 0
        library = totp.yield_hotp_counters_from_time
        monkeypatch.setattr(
            totp, "yield_hotp_counters_from_time", lambda: (n + self.passed for n in library())
        )

    def __call__(self) -> str:
        self.passed += 3
        return app_code(self.secret, later=self.passed)


def test_whoever_has_the_password_does_not_keep_its_owner_out(ada: User) -> None:
    secret = with_app(ada)
    for _try in range(5):
        assert "That was not right" in gives_code(STRANGER, "000000")
    assert "Too many failed attempts" in gives_code(STRANGER, app_code(secret))
    assert gives_code(HOME, app_code(secret)) == ""


def test_codes_from_many_addresses_are_bounded_and_the_owner_comes_in(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = Codes(with_app(ada), monkeypatch)
    owner = Client()
    assert gives_code(HOME, code(), owner) == ""
    owner.post("/accounts/logout/")
    for number in range(50):
        assert "That was not right" in gives_code(f"203.0.113.{number}", "000000"), number
    # An address more gets no answer, nor does one from which the password was given.
    for address in ("203.0.113.77", "203.0.113.3", HOME):
        assert "is guessing its codes" in gives_code(address, code()), address
    # A browser in which the owner has signed in does, wherever it is.
    assert gives_code(CAFE, code(), owner) == ""
    # Whoever reads the account's mail comes in from anywhere.
    resetting = Client(REMOTE_ADDR="192.0.2.77")
    resetting.post("/accounts/password/reset/", {"email": "ada@example.org"})
    link = re.search(r"/accounts/password/reset/key/\S+", str(mail.outbox[-1].body))
    assert link is not None
    form = resetting.get(link[0])["Location"]
    resetting.post(form, {"password1": PASSWORD, "password2": PASSWORD})
    assert gives_code("192.0.2.77", code()) == ""
    assert "is guessing its codes" in gives_code("203.0.113.78", code())


def test_a_right_code_takes_back_nothing_that_was_tried_elsewhere(ada: User) -> None:
    """Else a stranger with an account of their own could guess without end."""
    secret = with_app(ada)
    for number in range(9):
        signs_in(STRANGER, "guess-1234", login=f"nobody{number}")
    assert gives_code(STRANGER, app_code(secret)) == ""
    assert "do not belong together" in signs_in(STRANGER, "guess-1234", login="nobody")
    assert "Too many failed attempts" in signs_in(STRANGER, "guess-1234", login="nobody")


def test_all_forms_of_the_library_count_as_we_do() -> None:
    asking = []
    for each in pkgutil.walk_packages(allauth.mfa.__path__, "allauth.mfa."):
        if ".tests" in each.name or ".migrations" in each.name:
            continue
        module = importlib.import_module(each.name)
        if hasattr(module, "check_rate_limit"):
            asking.append(module)
            assert module.check_rate_limit is code_take, each.name
    assert set(asking) == set(ASKING)


# -- what is answered, wherever a code is counted ------------------------------------------------


def no_passkey() -> str:
    """What a browser says of a passkey, in good form, of one that is not the account's."""
    said = b'{"type": "webauthn.get", "challenge": "YQ", "origin": "https://testserver"}'
    response = {
        "clientDataJSON": websafe_encode(said),
        "authenticatorData": websafe_encode(bytes(37)),
        "signature": websafe_encode(b"x"),
    }
    key = websafe_encode(b"n" * 16)
    return json.dumps(
        {"id": key, "rawId": key, "type": "public-key", "clientExtensionResults": {},
         "response": response}
    )  # fmt: skip


def second_step(ada: User, given: dict[str, str]) -> Callable[[], Any]:
    browser = Client(REMOTE_ADDR=STRANGER)
    browser.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    assert browser.get(STEP).status_code == 200
    return lambda: browser.post(STEP, given)


def is_it_you(ada: User, page: str, given: dict[str, str]) -> Callable[[], Any]:
    browser = session(ada, STRANGER)
    browser.get(page)
    return lambda: browser.post(page, given)


def sets_up(ada: User) -> Callable[[], Any]:
    Authenticator.objects.filter(type="totp").delete()
    browser = session(ada, STRANGER)
    confirmed(browser, APP)
    return lambda: browser.post(APP, {"code": "000000"})


def resets(ada: User) -> Callable[[], Any]:
    browser = Client(REMOTE_ADDR=STRANGER)
    browser.post("/accounts/password/reset/", {"email": "ada@example.org"})
    link = re.search(r"/accounts/password/reset/key/\S+", str(mail.outbox[-1].body))
    assert link is not None
    form = browser.get(link[0])["Location"]
    return lambda: browser.post(form, {**NEW, "end_apps": "on", "code": "000000"})


#: By the form that counts, what gives it something wrong.
COUNTING: dict[str, Callable[[User], Callable[[], Any]]] = {
    "authenticate": lambda ada: second_step(ada, {"code": "000000"}),
    "authenticate_webauthn": lambda ada: second_step(ada, {"credential": no_passkey()}),
    "reauthenticate": lambda ada: is_it_you(ada, f"{INDEX}is-it-you/", {"code": "000000"}),
    "reauthenticate_webauthn": lambda ada: is_it_you(
        ada, f"{INDEX}passkeys/is-it-you/", {"credential": no_passkey()}
    ),
    "activate_totp": sets_up,
    "reset": resets,
}


@pytest.mark.parametrize("place", COUNTING)
def test_too_many_codes_are_answered_alike_wherever_they_are_given(ada: User, place: str) -> None:
    with_app(ada)
    with_passkey(ada)
    gives = COUNTING[place](ada)
    for number in range(5):
        answer = gives()
        assert answer.status_code in (200, 302), number
    refused = gives()
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 300
    said = " ".join(refused.content.decode().split())
    assert "Code: <code>request.throttled</code>" in said
    assert re.search(r"Too many (failed attempts|wrong codes)[^<]* (wait|try again later)", said)
    assert "Hidden field" not in said


def test_every_form_that_counts_is_asked_what_it_answers() -> None:
    def counts(form: type) -> bool:
        return any("check_rate_limit(" in inspect.getsource(each) for each in form.__mro__[:-1])

    forms = {name: import_string(path) for name, path in settings.MFA_FORMS.items()}
    counting = {name for name, form in forms.items() if counts(form)}
    # Whoever signs in by a passkey alone has named nobody yet: it is limited by address.
    assert counting - {"login_webauthn"} == COUNTING.keys() - {"reset"}


# -- with somebody's session ---------------------------------------------------------------------

NEW = {"password1": "octopus-88", "password2": "octopus-88"}


def confirms(browser: Client, password: str) -> Any:
    return browser.post("/accounts/reauthenticate/", {"password": password})


def changes(browser: Client, password: str) -> Any:
    return browser.post("/accounts/password/change/", {"oldpassword": password, **NEW})


def confirms_by_code(browser: Client, code: str) -> Any:
    return browser.post("/accounts/second-factor/is-it-you/", {"code": code})


def session(user: User, address: str) -> Client:
    """A browser in which somebody is signed in."""
    browser = Client(REMOTE_ADDR=address)
    browser.force_login(user, backend="accounts.signin.backends.NameBackend")
    return browser


@pytest.mark.parametrize("does", [confirms, changes])
def test_a_stolen_session_does_not_keep_its_owner_from_showing_who_they_are(
    ada: User, does: Callable[[Client, str], Any]
) -> None:
    thief, owner = session(ada, STRANGER), session(ada, HOME)
    for _try in range(12):
        refused = does(thief, "guess-1234")
    assert refused.status_code == 429
    assert does(thief, PASSWORD).status_code == 429
    assert does(owner, PASSWORD).status_code == 302


def test_nor_by_a_code(ada: User) -> None:
    secret = with_app(ada)
    thief, owner = session(ada, STRANGER), session(ada, HOME)
    for _try in range(12):
        refused = confirms_by_code(thief, "000000")
    assert refused.status_code == 429
    assert confirms_by_code(owner, app_code(secret)).status_code == 302


def test_the_old_password_is_a_guess_like_any_other(ada: User) -> None:
    """Whoever holds a session has no second place to try passwords at."""
    thief = session(ada, STRANGER)
    for _try in range(5):
        assert confirms(thief, "guess-1234").status_code == 200
    page = changes(thief, PASSWORD)
    assert page.status_code == 429
    assert "Too many failed attempts" in page.content.decode()
    ada.refresh_from_db()
    assert ada.check_password(PASSWORD)


def test_an_address_that_was_given_twice_counts_for_its_owner_alone(
    ada: User, person: People
) -> None:
    squatter = person("sam", email="")
    EmailAddress.objects.create(user=squatter, email=ada.email, primary=True, verified=False)
    for number in range(50):
        confirms(session(squatter, f"203.0.113.{number}"), "guess-1234")
    assert "from many places" in signs_in("203.0.113.78", login="sam")
    assert not locked("203.0.113.77")


def test_no_limit_counts_by_account_alone() -> None:
    """But for what sends mail: however many sessions an account has, that is enough."""
    limits = account_settings.RATE_LIMITS.items()
    by_account = {action for action, rates in limits if rates and "/user" in rates}
    assert by_account - {"change_phone"} == {"manage_email"}  # the former has no page here


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
