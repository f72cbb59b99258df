"""A sign-in that waits at its second step ends with what its first step was good for: whatever ends
sessions ends it, too. One that was begun since then comes in."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.core import mail
from django.test import Client

from accounts.models import User
from accounts.roles import Role
from accounts.services import password_given, user_close
from accounts.signin.sessions import sessions_end
from tests.accounts.conftest import PASSWORD, with_confirmed_address
from tests.accounts.factors import STEP, app_code, signed_in, with_app

People = Callable[..., User]
NEW = "octopus-88"
FORM = {"password1": NEW, "password2": NEW}


def _here(user: User) -> Client:
    """A browser of its owner's, in which they are signed in."""
    browser = Client()
    browser.force_login(user, backend="accounts.signin.backends.NameBackend")
    return browser


def resets(user: User, _people: People) -> str:
    """By mail; the owner goes on to the second step by themselves."""
    browser = Client()
    browser.post("/accounts/password/reset/", {"email": user.email})
    link = re.search(r"/accounts/password/reset/key/\S+", str(mail.outbox[-1].body))
    assert link is not None
    assert browser.post(browser.get(link[0])["Location"], FORM).status_code == 302
    return NEW


def changes(user: User, _people: People) -> str:
    answer = _here(user).post("/accounts/password/change/", {"oldpassword": PASSWORD, **FORM})
    assert answer.status_code == 302
    return NEW


def is_given_another(user: User, people: People) -> str:
    user.set_password(NEW)
    user.save(update_fields=["password"])
    password_given(acting_user=people("root", is_staff=True, is_superuser=True), user=user)
    return NEW


def signs_out_everywhere(user: User, _people: People) -> str:
    sessions_end(acting_user=user)
    return PASSWORD


ENDS = [resets, changes, is_given_another, signs_out_everywhere]


@pytest.fixture
def ada(person: People) -> User:
    return with_confirmed_address(person("ada"))


def waiting(password: str = PASSWORD) -> Client:
    """A browser in which the password was given."""
    browser = Client()
    led = browser.post("/accounts/login/", {"login": "ada", "password": password})
    assert led["Location"] == STEP
    return browser


@pytest.mark.parametrize("looks", [True, False], ids=["looks again", "has the page"])
@pytest.mark.parametrize("end", ENDS)
def test_what_ends_sessions_ends_a_sign_in_that_waits(
    ada: User, person: People, end: Callable[[User, People], str], looks: bool
) -> None:
    secret = with_app(ada)
    old = waiting()
    assert old.get(STEP).status_code == 200
    password = end(ada, person)
    if looks:
        assert old.get(STEP)["Location"] == "/accounts/login/"
    answer = old.post(STEP, {"code": app_code(secret)}, follow=True)
    assert not signed_in(old)
    assert answer.redirect_chain[-1][0] == "/accounts/login/"
    if not looks:
        assert "Please begin again" in answer.content.decode()
    # The code was not used up, and whoever begins anew comes in by it.
    fresh = waiting(password)
    assert fresh.post(STEP, {"code": app_code(secret)}).status_code == 302
    assert signed_in(fresh)


def test_whose_account_is_closed_meanwhile_stays_outside(ada: User, person: People) -> None:
    secret = with_app(ada)
    browser = waiting()
    user_close(acting_user=person("mona", Role.MODERATOR), user=ada, reason="because")
    browser.post(STEP, {"code": app_code(secret)})
    assert not signed_in(browser)


def test_a_sign_in_that_nothing_has_ended_comes_in(ada: User) -> None:
    secret = with_app(ada)
    browser = waiting()
    # Another's new password is nobody's business here.
    assert waiting().post(STEP, {"code": "000000"}).status_code == 200
    assert browser.post(STEP, {"code": app_code(secret)}).status_code == 302
    assert signed_in(browser)
