"""Where somebody is signed in: the list, and ending it, wherever that is."""

from __future__ import annotations

import threading
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore as DBStore
from django.contrib.sessions.models import Session
from django.core.cache import caches
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts import hooks
from accounts.connections.validity import session_stands
from accounts.models import ApiToken, AuditEntry, PushSubscription, User, UserSession
from accounts.oauth.services import application_register, authorisations_of
from accounts.services import guest_create, user_update_profile
from accounts.signin import sessions
from accounts.signin.sessions import session_end, sessions_end, sessions_prune
from accounts.signin.store import UNDER_WAY_S
from accounts.tokens.bearers import bearer_of
from accounts.tokens.services import token_create
from core.clock import now_utc
from tests.accounts.conftest import PASSWORD, made_person, own_cache  # noqa: F401
from tests.accounts.test_new_password import at, devices_of
from tests.accounts.test_oauth import Dance
from tests.games.support import committing, refused
from tests.security.support import FIREFOX, PHONE, later
from tests.support.locks import own_pid, somebody_waits_for
from tests.support.site import wait_for

pytestmark = pytest.mark.django_db

PAGE = "/accounts/settings/sessions/"
NEW = {"password1": "new-swordfish-88", "password2": "new-swordfish-88"}


@pytest.fixture
def ada() -> User:
    return made_person("ada")


def browser_of(user: User, agent: str = FIREFOX, address: str = "203.0.113.77") -> Client:
    browser = Client(headers={"User-Agent": agent}, REMOTE_ADDR=address)
    browser.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    assert "_auth_user_id" in browser.session
    return browser


def is_in(browser: Client) -> bool:
    return bool(browser.get("/accounts/settings/").status_code == 200)


def row_of(browser: Client) -> UserSession:
    return UserSession.objects.get(session_key=browser.session.session_key)


def forget_noted() -> None:
    """As a process that has just begun."""
    sessions._Noted.at.clear()


@pytest.fixture
def told() -> Any:
    """Whose open sockets were told to ask again."""
    heard: list[int] = []

    def hear(*, user_id: int, **_more: Any) -> None:
        heard.append(user_id)

    hooks.rights_changed.connect(hear)
    yield heard
    hooks.rights_changed.disconnect(hear)


# -- the list ------------------------------------------------------------------------------------


def test_the_list_says_where_and_marks_this_one(ada: User) -> None:
    laptop = browser_of(ada)
    browser_of(ada, PHONE, "2001:db8:12:34::1")
    browser_of(made_person("eve"))
    page = laptop.get(PAGE).content.decode()
    assert page.count("this one") == 1
    assert (
        page.index("Firefox on Linux") < page.index("this one") < page.index("Safari on an iPhone")
    )
    assert "203.0.113.x" in page
    assert "2001:db8:12:x" in page
    assert "203.0.113.77" not in page
    assert page.count("/end/") == 3  # two rows, and everywhere
    for row in UserSession.objects.all():
        assert row.session_key not in page


def test_nothing_but_a_few_words_is_kept_of_a_browser(ada: User) -> None:
    row = row_of(browser_of(ada))
    kept = {field.attname: str(getattr(row, field.attname)) for field in row._meta.fields}
    assert "203.0.113.77" not in str(kept)
    assert "Gecko" not in str(kept)


def test_a_session_that_is_gone_is_not_listed(ada: User) -> None:
    laptop, phone, tablet = (browser_of(ada) for _ in range(3))
    Session.objects.filter(pk=phone.session.session_key).delete()
    Session.objects.filter(pk=tablet.session.session_key).update(
        expire_date=now_utc() - timedelta(seconds=1)
    )
    assert [each for each, _here in laptop.get(PAGE).context["sessions"]] == [row_of(laptop)]


def test_guests_and_strangers_are_noted_nowhere(db: None) -> None:
    browser = Client()
    browser.force_login(guest_create(), backend="accounts.signin.backends.NameBackend")
    forget_noted()
    browser.get("/")
    Client().get("/")
    assert not UserSession.objects.exists()


def test_the_last_use_is_noted_now_and_then(ada: User) -> None:
    laptop = browser_of(ada)
    long_ago = now_utc() - timedelta(days=3)
    UserSession.objects.update(last_used_at=long_ago, signed_in_at=long_ago)
    with CaptureQueriesContext(connection) as asked:
        laptop.get("/accounts/settings/")
    assert not any("accounts_usersession" in each["sql"] for each in asked)  # this process knows
    forget_noted()
    laptop.get("/accounts/settings/", REMOTE_ADDR="198.51.100.9")
    row = row_of(laptop)
    assert row.last_used_at > long_ago
    assert row.network == "198.51.100.x"
    assert row.signed_in_at == long_ago
    forget_noted()
    laptop.get("/accounts/settings/", REMOTE_ADDR="192.0.2.9")
    assert row_of(laptop) == row
    assert row_of(laptop).network == "198.51.100.x"  # that was a moment ago


def test_a_session_from_before_the_list_comes_into_it(ada: User) -> None:
    laptop = browser_of(ada)
    UserSession.objects.all().delete()
    forget_noted()
    laptop.get("/accounts/settings/")
    assert row_of(laptop).device == "Firefox on Linux"


def test_a_session_under_another_key_is_the_same_one(ada: User) -> None:
    laptop = browser_of(ada)
    row = row_of(laptop)
    laptop.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert row_of(laptop).pk == row.pk
    assert row_of(laptop).session_key != row.session_key
    laptop.post(reverse("account_logout"))
    assert not UserSession.objects.exists()


def test_it_goes_with_the_session(ada: User) -> None:
    laptop, phone, tablet = (browser_of(ada) for _ in range(3))
    gone = [phone.session.session_key, tablet.session.session_key]
    Session.objects.filter(pk=gone[0]).delete()
    Session.objects.filter(pk=gone[1]).update(expire_date=now_utc() - timedelta(seconds=1))
    assert sessions_prune() == 3  # one that had run out, and two rows
    assert list(UserSession.objects.all()) == [row_of(laptop)]
    assert list(Session.objects.values_list("pk", flat=True)) == [laptop.session.session_key]
    assert is_in(laptop)


# -- under another key ---------------------------------------------------------------------------


def stale(browser: Client) -> Client:
    """A browser just before it has got the answer to its confirming: what it has sent is under way,
    with the old key."""
    other = Client(headers={"User-Agent": FIREFOX})
    other.cookies[settings.SESSION_COOKIE_NAME] = str(browser.session.session_key)
    answer = browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert settings.SESSION_COOKIE_NAME in answer.cookies
    return other


# That find nobody; and that would leave something in the session of nobody.
UNDER_WAY: dict[str, tuple[str, dict[str, str] | None]] = {
    "a page": ("/accounts/settings/", None),
    "what the API tells": ("/api/v1/me/", None),
    "a form": ("/accounts/settings/tokens/", {"name": "x"}),
    "a form that leaves a note": ("/accounts/password/reset/", {"email": "ada@example.org"}),
}


@pytest.mark.parametrize("what", UNDER_WAY)
def test_a_request_under_way_takes_the_new_key_from_nobody(ada: User, what: str) -> None:
    path, form = UNDER_WAY[what]
    old = stale(browser_of(ada))
    answer = old.get(path) if form is None else old.post(path, form)
    assert settings.SESSION_COOKIE_NAME not in answer.cookies
    assert b"ada" not in answer.content.replace(b"ada@example.org", b"")


def test_a_key_that_is_old_for_longer_is_taken_away(ada: User) -> None:
    with time_machine.travel("2026-11-30T10:00:00Z", tick=False) as clock:
        old = stale(browser_of(ada))
        clock.shift(UNDER_WAY_S)
        answer = old.get("/accounts/settings/")
        assert answer.cookies[settings.SESSION_COOKIE_NAME]["max-age"] == 0


def test_whoever_signs_in_meanwhile_is_signed_in(ada: User) -> None:
    old = stale(browser_of(ada))
    old.post(reverse("account_login"), {"login": "ada", "password": PASSWORD})
    assert is_in(old)


def test_a_request_that_has_read_the_old_one_does_what_it_does(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had something to note for the next page, and is done all the same."""
    browser = browser_of(ada)
    old = Client()
    old.cookies[settings.SESSION_COOKIE_NAME] = str(browser.session.session_key)

    def meanwhile(**given: Any) -> User:
        stale(browser)
        return user_update_profile(**given)

    monkeypatch.setattr("accounts.views.user_update_profile", meanwhile)
    form = {"display_name": "Ada L.", "time_zone": "UTC", "theme": "auto"}
    answer = old.post("/accounts/settings/", form)
    assert answer.status_code == 302
    assert settings.SESSION_COOKIE_NAME not in answer.cookies
    ada.refresh_from_db()
    assert ada.display_name == "Ada L."
    # Somebody who signs out meanwhile is another matter.
    monkeypatch.setattr(
        "accounts.views.user_update_profile",
        lambda **_given: browser.post(reverse("account_logout")),
    )
    old.cookies[settings.SESSION_COOKIE_NAME] = str(browser.session.session_key)
    assert old.post("/accounts/settings/", form).status_code == 400


# -- ending --------------------------------------------------------------------------------------


def test_one_is_ended_at_once_and_what_it_has_open_closes(ada: User, told: list[int]) -> None:
    laptop, phone = browser_of(ada), browser_of(ada, PHONE)
    key = phone.session.session_key
    assert is_in(phone)
    assert session_stands(key, ada.pk)
    with committing():
        laptop.post(reverse("accounts:session_end", args=[row_of(phone).pk]))
    assert told == [ada.pk]
    assert not session_stands(key, ada.pk)
    assert not is_in(phone)
    assert is_in(laptop)
    entry = AuditEntry.objects.get(action="session.end")
    assert (entry.who, entry.data) == (ada, {"device": "Safari on an iPhone"})


def test_ending_this_one_is_signing_out(ada: User) -> None:
    laptop, phone = browser_of(ada), browser_of(ada)
    with committing():
        laptop.post(reverse("accounts:session_end", args=[row_of(laptop).pk]))
    assert not is_in(laptop)
    assert is_in(phone)


def test_a_cache_that_deletes_nothing_leaves_them_signed_in_as_before(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would be found there again: so nothing else of the session goes either."""
    browser = browser_of(ada)
    browser.raise_request_exception = False
    cache = type(caches[settings.SESSION_CACHE_ALIAS])

    def refuse(*_arguments: object, **_more: object) -> bool:
        raise ConnectionError("read only")

    with monkeypatch.context() as patch:
        patch.setattr(cache, "delete", refuse)
        assert browser.post(reverse("account_logout")).status_code == 500
    assert Session.objects.filter(session_key=browser.session.session_key).exists()
    form = {"display_name": "Ada", "motion": "on"}
    assert browser.get("/accounts/logout/").status_code == 200
    assert browser.post("/accounts/settings/", form).status_code != 400
    assert browser.post(reverse("account_logout")).status_code == 302
    assert not is_in(browser)


def test_who_reads_a_session_while_it_ends_keeps_nothing_of_it(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another request puts what it has read back where it is looked for first."""
    browser, other = browser_of(ada), Client()
    other.cookies[settings.SESSION_COOKIE_NAME] = str(browser.session.session_key)
    whole = DBStore.delete

    def meanwhile(store: DBStore, key: str | None = None) -> None:
        assert is_in(other)
        whole(store, key)

    with monkeypatch.context() as patch:
        patch.setattr(DBStore, "delete", meanwhile)
        browser.post(reverse("account_logout"))
    assert not is_in(other)


def test_nobody_ends_anothers(ada: User) -> None:
    laptop, eve = browser_of(ada), made_person("eve")
    answer = browser_of(eve).post(reverse("accounts:session_end", args=[row_of(laptop).pk]))
    assert answer.status_code == 404
    refused("session.none", session_end, acting_user=eve, session=row_of(laptop))
    assert is_in(laptop)


@pytest.mark.parametrize("others", [True, False])
def test_signing_out_everywhere(ada: User, told: list[int], others: bool) -> None:
    laptop, phone, unknown = (browser_of(ada) for _ in range(3))
    eve = browser_of(made_person("eve"))
    # No list knows of this one, and it is ended all the same.
    UserSession.objects.filter(session_key=unknown.session.session_key).delete()
    keys = [each.session.session_key for each in (laptop, phone, unknown)]
    with committing():
        laptop.post(reverse("accounts:sessions_end"), {"others": "on"} if others else {})
    assert ada.pk in told
    assert is_in(laptop) is others
    for browser in (phone, unknown):
        assert not is_in(browser)
    assert is_in(eve)
    assert not any(session_stands(key, ada.pk) for key in keys)
    entry = AuditEntry.objects.get(action="session.end_all")
    assert entry.data == {"ended": 1 if others else 2, "here": not others}
    if others:
        assert session_stands(laptop.session.session_key, ada.pk)
        assert [here for _each, here in laptop.get(PAGE).context["sessions"]] == [True]


@pytest.mark.parametrize("others", [True, False])
def test_it_ends_what_is_told_to_devices(ada: User, others: bool) -> None:
    """Whoever has a session switches a browser of their own on, and is not asked who it is."""
    here, there = devices_of(ada)
    devices_of(made_person("eve"))
    laptop = browser_of(ada)
    at(laptop, here)
    with committing():
        laptop.post(reverse("accounts:sessions_end"), {"others": "on"} if others else {})
    left = list(PushSubscription.objects.filter(user=ada))
    assert left == ([here] if others else []), there
    assert PushSubscription.objects.exclude(user=ada).count() == 2


def test_who_has_signed_out_everywhere_signs_in_as_before(ada: User) -> None:
    with committing():
        sessions_end(acting_user=ada)
    again = Client()
    again.post(reverse("account_login"), {"login": "ada", "password": PASSWORD})
    assert is_in(again)


# -- a new password ------------------------------------------------------------------------------


@pytest.fixture
def with_programs(ada: User) -> dict[str, Any]:
    """A token of hers, and an application that she has let in."""
    _row, token = token_create(
        acting_user=ada, name="mine", scopes=["read"], lasts=timedelta(days=1)
    )
    dance = Dance(made_person("olga"), ada)
    code = dance.code()
    return {"token": token, "access": dance.trade(code).json()["access_token"]}


def test_the_page_offers_to_end_what_there_is(ada: User, with_programs: dict[str, Any]) -> None:
    form = browser_of(ada).get(reverse("account_change_password")).context["form"]
    boxes = {name: form[name].value() for name in form.fields if name.startswith("end_")}
    assert boxes == {"end_sessions": True, "end_tokens": False, "end_applications": False}
    assert "(1)" in form["end_tokens"].label
    plain = browser_of(made_person("eve")).get(reverse("account_change_password")).context["form"]
    assert [name for name in plain.fields if name.startswith("end_")] == ["end_sessions"]


@pytest.mark.parametrize(
    "ticked", [(), ("end_sessions",), ("end_tokens",), ("end_applications",),
               ("end_sessions", "end_tokens", "end_applications")]
)  # fmt: skip
def test_a_password_change_ends_what_is_ticked_and_nothing_else(
    ada: User, told: list[int], with_programs: dict[str, Any], ticked: tuple[str, ...]
) -> None:
    laptop, phone = browser_of(ada), browser_of(ada, PHONE)
    key = phone.session.session_key
    form = {"oldpassword": PASSWORD, **NEW, **dict.fromkeys(ticked, "on")}
    with committing():
        assert laptop.post(reverse("account_change_password"), form).status_code == 302
    assert told
    assert is_in(laptop)
    assert is_in(phone) is ("end_sessions" not in ticked)
    assert session_stands(key, ada.pk) is ("end_sessions" not in ticked)
    assert (bearer_of(with_programs["token"]) is None) is ("end_tokens" in ticked)
    assert (bearer_of(with_programs["access"]) is None) is ("end_applications" in ticked)
    assert bool(authorisations_of(ada)) is ("end_applications" not in ticked)
    listed = [each.device for each, _here in laptop.get(PAGE).context["sessions"]]
    # The third is where she has let the application in.
    assert len(listed) == (1 if "end_sessions" in ticked else 3)


def test_what_stays_stays_no_longer_than_it_would_have(ada: User) -> None:
    laptop, phone = browser_of(ada), browser_of(ada, PHONE)
    key = phone.session.session_key
    soon = now_utc() + timedelta(hours=1)
    Session.objects.filter(pk=key).update(expire_date=soon)
    with committing():
        laptop.post(reverse("account_change_password"), {"oldpassword": PASSWORD, **NEW})
    assert Session.objects.get(pk=key).expire_date == soon
    assert is_in(phone)


@pytest.mark.django_db(transaction=True)
def test_a_sign_out_meanwhile_stays_one_and_disturbs_no_password_change() -> None:
    ada = made_person("ada")
    laptop, phone = browser_of(ada), browser_of(ada, PHONE)
    key = phone.session.session_key
    answers: list[int] = []

    def change() -> None:
        try:
            form = {"oldpassword": PASSWORD, **NEW}
            answers.append(laptop.post(reverse("account_change_password"), form).status_code)
        finally:
            connection.close()

    changing = threading.Thread(target=change)
    with transaction.atomic():
        Session.objects.filter(pk=key).delete()
        changing.start()
        wait_for(partial(somebody_waits_for, own_pid()), what="the password change to come to it")
    changing.join()
    assert answers == [302]
    ada.refresh_from_db()
    assert ada.check_password(NEW["password1"])
    assert is_in(laptop)
    caches["sessions"].clear()
    assert not is_in(phone)


def test_a_wrong_old_password_ends_nothing(ada: User, with_programs: dict[str, Any]) -> None:
    laptop, phone = browser_of(ada), browser_of(ada)
    boxes = dict.fromkeys(("end_sessions", "end_tokens", "end_applications"), "on")
    with committing():
        laptop.post(
            reverse("account_change_password"), {"oldpassword": "guess-work-11", **NEW, **boxes}
        )
    assert is_in(phone)
    assert bearer_of(with_programs["token"]) is not None


def test_a_password_reset_ends_every_session(
    ada: User, told: list[int], with_programs: dict[str, Any]
) -> None:
    from tests.accounts.test_new_password import forgotten

    laptop, phone = browser_of(ada), browser_of(ada)
    keys = [laptop.session.session_key, phone.session.session_key]
    with committing():
        forgotten(Client(), ada)
    assert ada.pk in told
    assert not is_in(laptop)
    assert not is_in(phone)
    assert not any(session_stands(key, ada.pk) for key in keys)
    assert not UserSession.objects.filter(user=ada).exists()
    # Its boxes are there to be ticked, and were not in what was sent.
    assert ApiToken.objects.good().filter(user=ada).exists()


def test_the_boxes_of_a_reset_are_ticked(ada: User, with_programs: dict[str, Any]) -> None:
    from accounts.forms import ResetPasswordKeyForm

    form = ResetPasswordKeyForm(user=ada, temp_key="x")
    boxes = {name: form[name].value() for name in form.fields if name.startswith("end_")}
    assert boxes == {"end_tokens": True, "end_applications": True}


def test_an_administrator_who_gives_another_password_ends_them_as_well(
    ada: User, admin_client: Client
) -> None:
    laptop = browser_of(ada)
    path = f"/admin/accounts/user/{ada.pk}/password/"
    with committing():
        admin_client.post(path, {"usable_password": "true", **NEW})
    assert not is_in(laptop)
    assert not UserSession.objects.filter(user=ada).exists()


def test_whoever_is_asked_to_confirm_is_still_signed_in(ada: User) -> None:
    laptop = browser_of(ada)
    later(laptop)
    laptop.get("/accounts/settings/tokens/")
    assert is_in(laptop)


def test_an_application_that_was_only_registered_is_not_ended(ada: User) -> None:
    application_register(
        acting_user=ada, name="Mine", redirect_uris=["https://m.example/"], public=True
    )
    form = browser_of(ada).get(reverse("account_change_password")).context["form"]
    assert "end_applications" not in form.fields
