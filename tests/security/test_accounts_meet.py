"""Where second factors, sessions, the audit log and deletions of accounts meet: what goes with an
account, what holds without it, and whom the pages about it are for."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from allauth.account.adapter import get_adapter
from allauth.core import context
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal import auth as webauthn
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts import hooks
from accounts.auditing.sealing import audit_fault, audit_lines, audit_seal
from accounts.guests import BACKEND
from accounts.leaving import services
from accounts.models import (
    AccountDeletion,
    AuditEntry,
    AuditLink,
    Block,
    Sanction,
    User,
    UserSession,
    WayIn,
)
from accounts.moderation.merging import merge_preview, user_merge
from accounts.services import audit_record, guest_create, user_close, user_update_profile
from accounts.tokens.services import user_become_bot
from core.clock import now_utc
from games.ratings.models import PairRuling
from script.lib.console import ROOT
from tests.accounts.conftest import (  # noqa: F401  (fixtures)
    PASSWORD,
    made_person,
    mona,
    own_cache,
    person,
    with_confirmed_address,
)
from tests.accounts.factors import app_code, with_app
from tests.games.support import committing
from tests.security.support import FIREFOX, later, letter

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(db: None) -> User:
    user = made_person("zyxwanda")
    return with_confirmed_address(user)


def browser_of(user: User) -> Client:
    browser = Client(headers={"User-Agent": FIREFOX}, REMOTE_ADDR="203.0.113.77")
    browser.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    assert "_auth_user_id" in browser.session
    return browser


def erased(user: User) -> User:
    with committing():
        return services.user_erase(user=user)


# -- what goes, and what stays -------------------------------------------------------------------


def test_sessions_ways_and_factors_go_with_the_account(ada: User) -> None:
    browsers = [browser_of(ada), browser_of(ada)]
    with_app(ada)
    Authenticator.objects.create(user=ada, type="recovery_codes", data={"seed": "x"})
    keys = list(UserSession.objects.values_list("session_key", flat=True))
    assert len(keys) == 2
    assert WayIn.objects.filter(user=ada).exists()
    told: list[int] = []

    def hear(*, user_id: int, **_more: Any) -> None:
        told.append(user_id)

    hooks.rights_changed.connect(hear)
    try:
        # Not only after the commit: nothing of it may be left where that is all that is done.
        services.user_erase(user=ada)
        assert not Session.objects.filter(session_key__in=keys).exists()
        assert not told
    finally:
        hooks.rights_changed.disconnect(hear)
    for model in (UserSession, WayIn, Authenticator):
        assert not model.objects.exists(), model
    for browser in browsers:
        assert browser.get(reverse("accounts:settings")).status_code == 302


def test_what_is_open_closes_with_a_deletion(ada: User) -> None:
    told: list[int] = []

    def hear(*, user_id: int, **_more: Any) -> None:
        told.append(user_id)

    hooks.rights_changed.connect(hear)
    try:
        erased(ada)
    finally:
        hooks.rights_changed.disconnect(hear)
    assert ada.pk in told


def test_nothing_comes_back_with_what_a_browser_of_theirs_asks_afterwards(ada: User) -> None:
    here, elsewhere = browser_of(ada), browser_of(ada)
    here.post(reverse("accounts:deletion"), {"username": "zyxwanda"})
    erased(ada)
    assert here.get(reverse("accounts:settings")).status_code == 302
    assert User.objects.get(pk=ada.pk).is_former
    assert elsewhere.get(reverse("accounts:settings")).status_code == 302
    for model in (UserSession, WayIn):
        assert not model.objects.exists(), model
    for session in Session.objects.all():
        assert str(ada.pk) != session.get_decoded().get("_auth_user_id")


def test_a_ruling_on_two_players_stays_without_the_name(ada: User, mona: User) -> None:  # noqa: F811
    ben = made_person("ben")
    ruling = PairRuling.objects.create(first=ada, second=ben, why="farmed", by=mona, matches=[7])
    erased(ada)
    ruling.refresh_from_db()
    assert ruling.first.shown_name == "Former player"
    moderator = Client()
    moderator.force_login(made_person("root", is_staff=True, is_superuser=True))
    shown = moderator.get(reverse("admin:games_pairruling_changelist")).content.decode()
    assert ruling.first.username in shown
    assert "zyxwanda" not in shown


OWN_ACTS = (
    "user.register", "user.set_password", "user.confirm_email", "user.export", "session.end",
    "user.second_factor_add", "user.keep",
)  # fmt: skip


def test_who_has_only_seen_to_their_account_waits_for_a_day(ada: User) -> None:
    for action in OWN_ACTS:
        audit_record(acting_user=ada, action=action, target=ada)
    asked = services.deletion_ask(acting_user=ada)
    assert asked.due_at - asked.asked_at == services.WAIT_UNUSED
    eve = made_person("eve")
    audit_record(acting_user=eve, action="season.create", target=eve.groups.model(pk=1))
    asked = services.deletion_ask(acting_user=eve)
    assert asked.due_at - asked.asked_at == services.WAIT


# -- merging -------------------------------------------------------------------------------------


def test_nothing_that_signs_in_is_left_of_a_merged_account(ada: User, mona: User) -> None:  # noqa: F811
    twin = made_person("twin")
    browser = browser_of(twin)
    for user in (ada, twin):
        with_app(user)
    AccountDeletion.objects.create(user=twin, due_at=now_utc() + timedelta(days=7))
    AccountDeletion.objects.create(user=ada, due_at=now_utc() + timedelta(days=7))
    merge_preview(acting_user=mona, keep=ada, duplicate=twin)
    assert Authenticator.objects.count() == AccountDeletion.objects.count() == 2
    assert browser.get(reverse("accounts:settings")).status_code == 200
    with committing():
        user_merge(acting_user=mona, keep=ada, duplicate=twin, reason="one person")
    for model in (Authenticator, AccountDeletion):
        assert [row.user_id for row in model.objects.all()] == [ada.pk], model
    assert not UserSession.objects.filter(user=twin).exists()
    assert {way.user_id for way in WayIn.objects.all()} == {ada.pk}
    assert browser.get(reverse("accounts:settings")).status_code == 302


# -- the audit log -------------------------------------------------------------------------------


def test_the_chain_holds_when_an_account_goes(
    ada: User,
    mona: User,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
) -> None:
    user_update_profile(acting_user=ada, user=ada, display_name="Zyxwanda Quill")
    twin = made_person("twin")
    with committing():
        user_merge(acting_user=mona, keep=ada, duplicate=twin, reason="one person")
    audit_seal(everything=True)
    before = {
        each["id"]: each for each in AuditEntry.objects.values("id", "who_id", "data", "target_id")
    }
    erased(ada)
    after = AuditEntry.objects.filter(pk__in=before).values("id", "who_id", "data", "target_id")
    assert {each["id"]: each for each in after} == before
    audit_seal(everything=True)
    assert audit_fault()[1] is None
    assert AuditLink.objects.count() == AuditEntry.objects.count()
    call_command("audit", "verify")
    assert "entries hold" in capsys.readouterr().out


def test_what_the_log_shows_of_a_former_player(ada: User) -> None:
    """Its file names people by numbers alone; what stands in the details is what the page of the
    deletion says: the display names that they had."""
    user_update_profile(acting_user=ada, user=ada, display_name="Quill")
    gone = erased(ada)
    audit_seal(everything=True)
    lines = [json.loads(line)["sealed"] for line in audit_lines()]
    theirs = [line for line in lines if str(gone.pk) in (str(line["who"]), line["target_id"])]
    assert {line["action"] for line in theirs} >= {"user.update_profile", "user.delete"}
    text = json.dumps(lines).lower()
    assert "quill" in text
    assert "zyxwanda" not in text
    assert "example.org" not in text
    keeper = Client()
    keeper.force_login(made_person("root", is_staff=True, is_superuser=True))
    shown = keeper.get(reverse("admin:accounts_auditentry_changelist")).content.decode()
    assert gone.username in shown
    assert "zyxwanda" not in shown


# -- letters -------------------------------------------------------------------------------------

LETTERS = ROOT / "templates"
# Those that are to somebody who has asked for them, or who is nobody yet.
ASKED_FOR = {
    "account_already_exists", "email_confirmation", "password_reset_key", "unknown_account",
}  # fmt: skip


def notices() -> list[str]:
    found = [
        path
        for room in ("account", "mfa")
        for path in (LETTERS / room / "email").glob("*_message.txt")
        if path.name not in {"base_message.txt"}
    ]
    names = [str(path.relative_to(LETTERS)).removesuffix("_message.txt") for path in found]
    return sorted(each for each in names if Path(each).name not in ASKED_FOR)


def test_the_librarys_letters_are_ours() -> None:
    """Whatever it sends of second factors, there is a letter of ours for it."""
    import allauth

    library = Path(allauth.__file__).parent / "templates/mfa/email"
    theirs = {path.name for path in library.iterdir()}
    assert theirs
    assert theirs <= {path.name for path in (LETTERS / "mfa/email").iterdir()}


@pytest.mark.parametrize("name", notices())
def test_every_letter_says_when_whence_and_what_to_do(name: str, ada: User) -> None:
    request = RequestFactory(headers={"user-agent": FIREFOX}).get("/", REMOTE_ADDR="203.0.113.77")
    request.session = {}  # type: ignore[assignment]
    request.user = ada
    with context.request_context(request):
        get_adapter(request).send_notification_mail(name, ada, {"name": "It", "scopes": "read"})
    said = letter()
    text = str(said.body)
    assert said.subject.startswith("[Gauntlet] ")
    assert text.startswith("Hello zyxwanda,")
    assert "- time: " in text
    assert "- browser: Firefox on Linux\n" in text
    assert "- network: 203.0.113.x\n" in text
    assert "Was it not you?" in text
    if name.rpartition("/")[2] in {"deletion_done", "address_changed", "address_put_back"}:
        return  # nobody gets in from there any more, but by undoing: test_undoing.py
    assert reverse("account_reset_password") in text
    assert f"{settings.GAUNTLET_ORIGIN}{reverse('accounts:sessions')}" in text
    if name.startswith("mfa/"):
        # A new password alone would leave in place what a thief has set up.
        assert f"{settings.GAUNTLET_ORIGIN}{reverse('mfa_index')}" in text


# -- whom the pages are for ----------------------------------------------------------------------

PAGES: dict[str, list[Any]] = {
    "mfa_index": [], "mfa_activate_totp": [], "mfa_deactivate_totp": [],
    "mfa_view_recovery_codes": [], "mfa_generate_recovery_codes": [],
    "mfa_download_recovery_codes": [], "mfa_add_webauthn": [], "mfa_edit_webauthn": [1],
    "mfa_remove_webauthn": [1], "mfa_reauthenticate": [], "mfa_reauthenticate_webauthn": [],
    "accounts:sessions": [], "accounts:sessions_end": [], "accounts:session_end": [1],
    "accounts:data": [], "accounts:export": [], "accounts:deletion": [], "accounts:blocks": [],
}  # fmt: skip


def _suspend(user: User, by: User) -> None:
    Sanction.objects.create(user=user, kind="suspension", reason="be kind", by=by)


def _merge(user: User, by: User) -> None:
    user_merge(acting_user=by, keep=made_person("keep"), duplicate=user, reason="one person")


OUTSIDE: dict[str, Callable[[User, User], object]] = {
    "closed": lambda user, by: user_close(acting_user=by, user=user, reason="rude"),
    "suspended": _suspend,
    "merged": _merge,
    "deleted": lambda user, _by: services.user_erase(user=user),
}


def _all_lead_to_signing_in(browser: Client) -> None:
    before = _written()
    for name, args in PAGES.items():
        address = reverse(name, args=args)
        for answer in (browser.get(address), browser.post(address, {"username": "zyxwanda"})):
            if answer.status_code == 405:
                continue
            assert answer.status_code == 302, (name, answer.status_code)
            where = answer["Location"].partition("?")[0]
            assert where in (reverse("account_login"), reverse("accounts:suspended")), name
    assert _written() == before


def _written() -> tuple[int, ...]:
    models = (AuditEntry, Authenticator, AccountDeletion, Block)
    return tuple(model.objects.count() for model in models)


@pytest.mark.parametrize("state", OUTSIDE)
def test_whoever_may_not_come_in_finds_none_of_it(state: str, ada: User, mona: User) -> None:  # noqa: F811
    browser = browser_of(ada)
    with_app(ada)
    with committing():
        OUTSIDE[state](ada, mona)
    _all_lead_to_signing_in(browser)


@pytest.mark.parametrize("state", OUTSIDE)
def test_whoever_stands_at_the_second_step_stays_outside(
    state: str,
    ada: User,
    mona: User,  # noqa: F811
) -> None:
    """They gave the password while they still might come in."""
    secret = with_app(ada)
    browser = Client()
    browser.post(reverse("account_login"), {"login": ada.username, "password": PASSWORD})
    with committing():
        OUTSIDE[state](ada, mona)
    browser.post(reverse("mfa_authenticate"), {"code": app_code(secret)})
    assert browser.get(reverse("accounts:settings")).status_code == 302
    assert not UserSession.objects.filter(user=ada).exists()


def test_a_passkey_that_is_not_right_leads_nobody_away(ada: User, monkeypatch: Any) -> None:
    """Whoever confirms by it can try again, and comes back to what they wanted."""
    # What a browser is asked for would hold its public key, of which this one has none.
    monkeypatch.setattr(webauthn, "get_credentials", lambda _user: [])
    Authenticator.objects.create(user=ada, type="webauthn", data={"name": "Phone"})
    browser = browser_of_factor(ada)
    page = reverse("accounts:tokens")
    again = browser.post(
        reverse("mfa_reauthenticate_webauthn"), {"credential": "[1]", "next": page}
    )
    assert again["Location"].partition("?")[0] == reverse("mfa_reauthenticate_webauthn")
    shown = browser.get(again["Location"]).content.decode()
    assert "That was not right" in shown
    assert f'name="next" value="{page}"' in shown
    assert "passkey-options" in shown
    assert browser.get(page).status_code == 302


def browser_of_factor(user: User) -> Client:
    """A browser in which somebody was signed in a while ago, by whatever factor."""
    browser = Client()
    browser.force_login(user)
    later(browser)
    return browser


def test_guests_have_no_account_to_look_after(db: None) -> None:
    browser = Client()
    browser.force_login(guest_create(), backend=BACKEND)
    assert "_auth_user_id" in browser.session
    _all_lead_to_signing_in(browser)
    _all_lead_to_signing_in(Client())


def test_the_owner_of_a_bot_looks_after_its_account(ada: User) -> None:
    user_become_bot(acting_user=ada)
    browser = browser_of(ada)
    for name in ("mfa_index", "accounts:sessions", "accounts:data", "accounts:deletion"):
        assert browser.get(reverse(name)).status_code == 200, name
    later(browser)
    for name in ("mfa_activate_totp", "mfa_add_webauthn"):
        assert browser.get(reverse(name)).status_code == 302, name
    later(browser, timedelta())
    assert browser.get(reverse("mfa_activate_totp")).status_code == 200
