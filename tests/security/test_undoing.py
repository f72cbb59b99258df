"""What would let somebody in for longer is undone by what its owner's letter says."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core import mail
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from oauth2_provider.models import get_access_token_model, get_refresh_token_model

from accounts.discord.services import discord_link
from accounts.models import AccountDeletion, ApiToken, DiscordLink, User, UserSession
from accounts.oauth.services import application_register, authorisations_of
from accounts.services import password_given
from accounts.signin.sessions import sessions_end
from accounts.tokens.services import token_create
from core.clock import now_utc
from tests.accounts.conftest import PASSWORD, made_person, own_cache, with_confirmed_address  # noqa: F401
from tests.accounts.factors import set_up_app, with_app, with_passkey
from tests.games.support import committing
from tests.security.support import letters

pytestmark = pytest.mark.django_db

NEW = {"password1": "new-swordfish-88", "password2": "new-swordfish-88"}
ADDRESS = {"email": "evil@example.org", "action_add": ""}


@pytest.fixture
def ada() -> User:
    return with_confirmed_address(made_person("ada"))


@pytest.fixture
def thief(ada: User) -> Client:
    """A browser with a session of hers, in which it was just confirmed that it is she."""
    browser = Client()
    browser.force_login(ada)
    return browser


def post(browser: Client, path: str, form: dict[str, Any] | None = None) -> Any:
    with committing():
        return browser.post(path, form or {})


def link(address: str, beginning: str) -> str:
    """The path of the newest link of a kind that was mailed to an address; read once."""
    bodies = [str(each.body) for each in letters() if each.to == [address]]
    found = [path for body in bodies for path in re.findall(rf"(/accounts/{beginning}/\S+)", body)]
    assert found, (address, bodies)
    return str(found[-1])


def reset(address: str) -> Any:
    """A new password by mail, by whoever reads it."""
    browser = Client()
    letters()
    post(browser, reverse("account_reset_password"), {"email": address})
    page = browser.get(link(address, "password/reset/key"), follow=True)
    with committing():
        return browser.post(page.request["PATH_INFO"], NEW | {"end_tokens": "on",
                            "end_applications": "on"}, follow=True)  # fmt: skip


def address_of(user: User) -> str:
    """The one that the account has; there is always just one such."""
    (primary,) = EmailAddress.objects.filter(user=user, primary=True)
    assert User.objects.get(pk=user.pk).email == primary.email
    return str(primary.email)


def is_in(browser: Client) -> bool:
    return browser.get(reverse("accounts:settings")).status_code == 200


# -- a change that is not confirmed yet ----------------------------------------------------------


def by_change(ada: User) -> None:
    browser = Client()
    browser.force_login(ada)
    form = {"oldpassword": PASSWORD, **NEW, "end_sessions": "on"}
    assert post(browser, reverse("account_change_password"), form).status_code == 302


def everywhere_else(ada: User) -> None:
    browser = Client()
    browser.force_login(ada)
    shown = browser.post(reverse("accounts:sessions_end"), {"others": "1"}, follow=True)
    assert "ask for it again" in shown.content.decode()


WAYS: dict[str, Callable[[User], object]] = {
    "changed": by_change,
    "reset": lambda ada: reset("ada@example.org"),
    "given": lambda ada: password_given(acting_user=made_person("root"), user=ada),
    "everywhere": lambda ada: sessions_end(acting_user=ada),
    "everywhere else": everywhere_else,
}


@pytest.mark.parametrize("way", WAYS)
def test_a_change_of_address_that_waits_is_dropped(way: str, ada: User, thief: Client) -> None:
    post(thief, reverse("account_email"), ADDRESS)
    key = link("evil@example.org", "confirm-email")
    WAYS[way](ada)
    post(Client(), key)
    assert address_of(ada) == "ada@example.org"
    assert not EmailAddress.objects.filter(email="evil@example.org").exists()


def test_an_address_that_was_dropped_while_its_link_was_followed_stays_dropped(
    ada: User, thief: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    post(thief, reverse("account_email"), ADDRESS)
    key = link("evil@example.org", "confirm-email")
    confirm = "accounts.signin.adapter.AccountAdapter.confirm_email"
    from accounts.signin.adapter import AccountAdapter

    inner = AccountAdapter.confirm_email

    def late(*args: Any, **more: Any) -> bool:
        sessions_end(acting_user=ada)
        return inner(*args, **more)

    monkeypatch.setattr(confirm, late)
    post(Client(), key)
    assert address_of(ada) == "ada@example.org"


# -- undoing it ----------------------------------------------------------------------------------


def changed(thief: Client, address: str = "evil@example.org") -> None:
    post(thief, reverse("account_email"), {"email": address, "action_add": ""})
    asked = [*mail.outbox]
    post(Client(), link(address, "confirm-email"))
    mail.outbox[:0] = asked


def test_the_letter_before_stops_the_change(ada: User, thief: Client) -> None:
    post(thief, reverse("account_email"), ADDRESS)
    sent = [*mail.outbox]
    key = link("evil@example.org", "confirm-email")
    mail.outbox.extend(sent)
    page = link("ada@example.org", "undo-change")
    shown = Client().get(page)
    assert "stays ada@example.org" in shown.content.decode()
    assert shown["Referrer-Policy"] == "no-referrer"
    assert "no-store" in shown["Cache-Control"]
    assert is_in(thief)  # to look changes nothing
    done = post(Client(), page)
    assert reverse("account_reset_password") in done.content.decode()
    assert not is_in(thief)
    post(Client(), key)
    assert address_of(ada) == "ada@example.org"
    assert Client().get(page).status_code == 404  # there is nothing left to undo
    assert post(Client(), page).status_code == 404


def test_the_letter_afterwards_puts_the_old_address_back(ada: User, thief: Client) -> None:
    token_create(acting_user=ada, name="mine", scopes=["read"], lasts=timedelta(days=1))
    changed(thief)
    assert address_of(ada) == "evil@example.org"
    page = link("ada@example.org", "undo-change")
    with_passkey(ada)  # of which only the thief was told
    done = post(thief, page)
    assert "ada@example.org again" in done.content.decode()
    assert address_of(ada) == "ada@example.org"
    assert not is_in(thief)
    assert not ApiToken.objects.good().filter(user=ada).exists()
    assert not Authenticator.objects.filter(user=ada).exists()
    assert not User.objects.get(pk=ada.pk).has_usable_password()
    assert reset("ada@example.org").status_code == 200
    assert User.objects.get(pk=ada.pk).check_password(NEW["password1"])


def test_a_thief_undoes_nothing_with_letters_of_their_own(ada: User, thief: Client) -> None:
    changed(thief)
    own = link("ada@example.org", "undo-change")
    changed(thief, "evil2@example.org")
    theirs = link("evil@example.org", "undo-change")
    assert Client().get(theirs).status_code == 200
    post(Client(), own)
    assert address_of(ada) == "ada@example.org"
    assert Client().get(theirs).status_code == 404
    assert post(Client(), theirs).status_code == 404
    assert address_of(ada) == "ada@example.org"


def test_nor_is_the_owners_letter_spent_by_theirs(ada: User, thief: Client) -> None:
    changed(thief)
    own = link("ada@example.org", "undo-change")
    changed(thief, "evil2@example.org")
    post(Client(), link("evil@example.org", "undo-change"))
    assert address_of(ada) == "evil@example.org"
    post(Client(), own)
    assert address_of(ada) == "ada@example.org"


def test_it_is_good_for_a_week_and_only_as_it_was_signed(ada: User, thief: Client) -> None:
    changed(thief)
    page = link("ada@example.org", "undo-change")
    for wrong in (page[:-2] + "x/", page.replace("undo-change/", "undo-change/x")):
        assert Client().get(wrong).status_code == 404
    with time_machine.travel(now_utc() + timedelta(days=6, hours=23), tick=True):
        assert Client().get(page).status_code == 200
    with time_machine.travel(now_utc() + timedelta(days=7, minutes=1), tick=True):
        assert post(Client(), page).status_code == 404
    assert address_of(ada) == "evil@example.org"


def test_an_address_that_is_anothers_by_now_is_not_taken_from_them(
    ada: User, thief: Client
) -> None:
    changed(thief)
    page = link("ada@example.org", "undo-change")
    with_confirmed_address(made_person("eve", email="ada@example.org"))
    done = post(Client(), page)
    assert done.status_code == 422
    assert "another account" in done.content.decode()
    assert address_of(ada) == "evil@example.org"


# -- an address that was never confirmed ---------------------------------------------------------


@pytest.fixture
def xenia() -> tuple[User, Client]:
    browser = Client()
    form = {"username": "xenia", "email": "xenia@example.org", **NEW}
    post(browser, reverse("account_signup"), form)
    letters()
    return User.objects.get(username="xenia"), browser


def test_an_unconfirmed_address_stays_until_the_new_one_is_confirmed(
    xenia: tuple[User, Client],
) -> None:
    user, browser = xenia
    post(browser, reverse("account_email"), ADDRESS)
    told = {each.to[0]: str(each.body) for each in letters()}
    assert set(told) == {"xenia@example.org", "evil@example.org"}
    assert "undo-change" not in told["xenia@example.org"]  # it may be a stranger's
    assert address_of(user) == "xenia@example.org"
    shown = browser.get(reverse("account_email")).content.decode()
    assert "not confirmed" in shown
    assert "evil@example.org" in shown
    # Letters still go there, and nobody gets a new password by the other.
    post(browser, reverse("accounts:tokens"), {"name": "a", "scopes": ["read"], "lasts": "90"})
    assert [each.to for each in letters()] == [["xenia@example.org"]]
    post(Client(), reverse("account_reset_password"), {"email": "evil@example.org"})
    assert "reset/key" not in "".join(str(each.body) for each in letters())
    post(browser, reverse("account_email"), {"email": "new@example.org", "action_add": ""})
    assert not EmailAddress.objects.filter(email="evil@example.org").exists()
    post(Client(), link("new@example.org", "confirm-email"))
    (told_last,) = letters()
    assert told_last.to == ["xenia@example.org"]
    assert "undo-change" not in str(told_last.body)
    assert address_of(user) == "new@example.org"


def test_an_address_that_was_noted_otherwise_is_the_primary_one(xenia: tuple[User, Client]) -> None:
    user, browser = xenia
    EmailAddress.objects.filter(user=user).delete()  # made in the admin site
    post(browser, reverse("account_email"), ADDRESS)
    assert address_of(user) == "xenia@example.org"
    assert {each.to[0] for each in letters()} == {"xenia@example.org", "evil@example.org"}


# -- a second factor -----------------------------------------------------------------------------


def test_a_new_app_is_undone_without_it(ada: User, thief: Client) -> None:
    kept = with_passkey(ada)
    with committing():
        set_up_app(thief)
    page = link("ada@example.org", "undo-change")
    assert "authenticator app is taken off" in Client().get(page).content.decode()
    post(Client(), page)
    left = Authenticator.objects.filter(user=ada).exclude(type="recovery_codes")
    assert [each.pk for each in left] == [kept.pk]  # just that one
    assert not is_in(thief)
    assert not User.objects.get(pk=ada.pk).has_usable_password()
    assert Client().get(page).status_code == 404


def told_of_passkey(ada: User, thief: Client) -> str:
    """The letter's page, as the library has it sent when a browser has made one."""
    from accounts.signin.adapter import AccountAdapter

    with_passkey(ada)
    request = thief.get(reverse("mfa_index")).wsgi_request
    AccountAdapter(request).send_notification_mail("mfa/email/webauthn_added", ada)
    return link("ada@example.org", "undo-change")


def test_a_new_passkey_is_undone_within_three_days(ada: User, thief: Client) -> None:
    page = told_of_passkey(ada, thief)
    with time_machine.travel(now_utc() + timedelta(days=3, minutes=1), tick=True):
        assert post(Client(), page).status_code == 404
    with time_machine.travel(now_utc() + timedelta(days=2, hours=23), tick=True):
        assert "“Phone”" in post(Client(), page).content.decode()
    assert not Authenticator.objects.filter(user=ada).exists()
    assert not UserSession.objects.filter(user=ada).exists()


def test_an_address_that_was_not_confirmed_undoes_no_factor(ada: User, thief: Client) -> None:
    EmailAddress.objects.filter(user=ada).update(verified=False)
    with pytest.raises(AssertionError):
        told_of_passkey(ada, thief)


# -- a deletion ----------------------------------------------------------------------------------


def test_a_deletion_is_seen_and_a_new_password_by_mail_ends_it(ada: User, thief: Client) -> None:
    post(thief, reverse("accounts:deletion"), {"username": "ada"})
    assert AccountDeletion.objects.filter(user=ada).exists()
    owner = Client()
    owner.force_login(ada)
    for page in ("/", reverse("accounts:settings")):
        assert "Your account is to be deleted after" in owner.get(page).content.decode()
    page = reset("ada@example.org").content.decode()
    assert "The account was to be deleted. It stays." in page
    assert not AccountDeletion.objects.filter(user=ada).exists()
    owner.force_login(User.objects.get(pk=ada.pk))
    assert "to be deleted after" not in owner.get("/").content.decode()


def test_undoing_ends_a_deletion_too(ada: User, thief: Client) -> None:
    post(thief, reverse("accounts:deletion"), {"username": "ada"})
    changed(thief)
    post(Client(), link("ada@example.org", "undo-change"))
    assert not AccountDeletion.objects.filter(user=ada).exists()


# -- every letter --------------------------------------------------------------------------------

#: What each letter to an account's owner offers: the links in it. What the link to a new password
#: ends is in `HELD`; undoing is above; "keep" is the page on which the account is kept.
LETTERS = {
    "account/address_asked": {"undo", "sessions"},
    "account/address_changed": {"undo", "sessions"},
    "account/address_put_back": set(),  # it goes to who had taken the account, most likely
    "account/administrator_changed": {"reset", "sessions"},
    "account/application_let_in": {"reset", "sessions"},
    "account/application_made": {"reset", "sessions"},
    "account/became_bot": {"reset", "sessions"},
    "account/data_exported": {"reset", "sessions"},
    "account/deletion_asked": {"reset", "sessions", "keep"},
    "account/deletion_done": set(),  # nothing is left to be undone
    "account/discord_linked": {"reset", "sessions"},
    "account/discord_unlinked": {"reset", "sessions"},
    "account/email_confirm": {"reset", "sessions"},
    "account/email_deleted": {"reset", "sessions"},
    "account/password_changed": {"reset", "sessions"},
    "account/password_reset": {"reset", "sessions"},
    "account/password_set": {"reset", "sessions"},
    "account/signed_in": {"reset", "sessions"},
    "account/token_made": {"reset", "sessions"},
    "mfa/recovery_code_used": {"reset", "sessions", "factors"},
    "mfa/recovery_codes_generated": {"reset", "sessions", "factors"},
    "mfa/totp_activated": {"undo", "reset", "sessions", "factors"},
    "mfa/totp_deactivated": {"reset", "sessions", "factors"},
    "mfa/webauthn_added": {"undo", "reset", "sessions", "factors"},
    "mfa/webauthn_removed": {"reset", "sessions", "factors"},
}  # fmt: skip


def notices() -> set[str]:
    found = set()
    for folder in ("account", "mfa"):
        for each in (Path(settings.BASE_DIR) / "templates" / folder / "email").glob(
            "*_message.txt"
        ):
            if "email/base_notification.txt" in each.read_text():
                found.add(f"{folder}/{each.name.removesuffix('_message.txt')}")
    return found


def test_of_every_letter_it_is_said_what_it_offers() -> None:
    assert notices() == set(LETTERS)


@pytest.mark.parametrize("letter", sorted(LETTERS))
def test_a_letter_offers_what_it_should(letter: str, ada: User) -> None:
    folder, name = letter.split("/")
    given = {f"{each}_url": f"https://x.example/{each}" for each in
             ("undo", "reset", "sessions", "factors")}  # fmt: skip
    said = given | {"url": "https://x.example/keep", "user": ada, "undo_lasts": "7 days"}
    text = render_to_string(f"{folder}/email/{name}_message.txt", said)
    assert set(re.findall(r"https://x\.example/(\w+)", text)) == LETTERS[letter]


def let_in(ada: User) -> None:
    application = application_register(
        acting_user=ada, name="Boards", redirect_uris=["https://b.example/"], public=True
    )[0]
    token = get_access_token_model().objects.create(
        user=ada, application=application, token="t", scope="read",
        expires=timezone.now() + timedelta(days=1),
    )  # fmt: skip
    get_refresh_token_model().objects.create(
        user=ada, application=application, token="r", access_token=token
    )


#: What somebody else may hold: how they get it, and whether they have it. Each has a letter that
#: leads to a new password, which ends it.
HELD: dict[str, tuple[Callable[[User], object], Callable[[User], bool]]] = {
    "account/token_made": (
        lambda ada: token_create(
            acting_user=ada, name="a", scopes=["read"], lasts=timedelta(days=1)
        ),
        lambda ada: ApiToken.objects.good().filter(user=ada).exists(),
    ),
    "account/application_let_in": (let_in, lambda ada: bool(authorisations_of(ada))),
    "account/discord_linked": (
        lambda ada: discord_link(
            acting_user=ada, discord_id="80351110224678912", discord_name="nelly"
        ),
        lambda ada: DiscordLink.objects.filter(user=ada).exists(),
    ),
    "account/password_changed": (
        lambda ada: User.objects.filter(pk=ada.pk).update(password=make_password("evil-word-11")),
        lambda ada: User.objects.get(pk=ada.pk).check_password("evil-word-11"),
    ),
    "account/signed_in": (
        lambda ada: Client().post(reverse("account_login"), {"login": "ada", "password": PASSWORD}),
        lambda ada: UserSession.objects.filter(user=ada).live().exists(),
    ),
    "account/deletion_asked": (
        lambda ada: AccountDeletion.objects.create(user=ada, due_at=now_utc() + timedelta(days=7)),
        lambda ada: AccountDeletion.objects.filter(user=ada).exists(),
    ),
}


@pytest.mark.parametrize("letter", sorted(HELD))
def test_a_new_password_ends_what_the_letter_tells_of(letter: str, ada: User) -> None:
    assert "reset" in LETTERS[letter]
    act, has = HELD[letter]
    act(ada)
    assert has(ada)
    reset("ada@example.org")
    assert not has(ada)


@pytest.mark.parametrize("letter", sorted(HELD))
def test_undoing_ends_it_as_well(letter: str, ada: User, thief: Client) -> None:
    act, has = HELD[letter]
    post(thief, reverse("account_email"), ADDRESS)
    act(ada)
    post(Client(), link("ada@example.org", "undo-change"))
    assert not has(ada)


def test_new_codes_alone_sign_nobody_in(ada: User) -> None:
    """So their letter need undo nothing: a new password keeps out whoever has made them."""
    with_app(ada)
    browser = Client()
    post(browser, reverse("account_login"), {"login": "ada", "password": "evil-word-11"})
    assert browser.get(reverse("mfa_authenticate")).status_code == 302
