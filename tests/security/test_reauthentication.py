"""A session that was stolen is good for nothing that would outlast it: whoever wants to change how
an account is come into shows first that they own it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group
from django.contrib.messages.storage.fallback import FallbackStorage
from django.core import mail
from django.test import Client, RequestFactory
from django.test.client import MULTIPART_CONTENT
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from oauth2_provider.models import Application, Grant, RefreshToken

from accounts.models import (
    AccountDeletion,
    AccountMerge,
    ApiToken,
    AuditEntry,
    DiscordLink,
    SecondFactorRule,
    User,
)
from accounts.moderation.actions import TABLES as MODERATION_TABLES
from accounts.roles import Role
from accounts.signin import recent
from accounts.site.actions import TABLES as SITE_TABLES
from core.actions import Action, Actions
from core.admin.actions import ActionsAdmin
from core.clock import now_utc
from games.actions import TABLES as GAME_TABLES
from games.puzzles.actions import TABLES as PUZZLE_TABLES
from games.ratings.actions import TABLES as RATING_TABLES
from tests.accounts.conftest import PASSWORD, made_person, own_cache, with_confirmed_address  # noqa: F401
from tests.accounts.factors import app_code, with_app
from tests.security.support import later
from tournaments.actions import TABLES as SEASON_TABLES

pytestmark = pytest.mark.django_db

ASKS = "/accounts/reauthenticate/"

# Those that ask first, each with what is posted there.
NEEDED: dict[str, dict[str, Any]] = {
    "account_email": {"email": "eve@example.com", "action_add": ""},
    "account_set_password": {"password1": "new-swordfish-88", "password2": "new-swordfish-88"},
    "accounts:tokens": {"name": "mine", "scopes": ["read"], "lasts": "90"},
    "accounts:bot": {"username": "ada"},
    "accounts:applications": {
        "name": "Mine",
        "redirect_uris": "https://e.example/",
        "public": "on",
    },
    "accounts:discord_link": {},
    "accounts:discord_unlink": {},
    "accounts:discord_asked": {},
    "oauth2_provider:authorize": {"allow": "true", "client_id": "one", "state": "s"},
    "api:become_bot": {},
    "mfa_activate_totp": {"code": "000000"}, "mfa_deactivate_totp": {},
    "mfa_view_recovery_codes": {}, "mfa_generate_recovery_codes": {},
    "mfa_download_recovery_codes": {},
    "mfa_add_webauthn": {"name": "Mine", "credential": "{}"},
    "mfa_edit_webauthn": {"name": "Mine"}, "mfa_remove_webauthn": {},
    "accounts:export": {}, "accounts:deletion": {"username": "ada"},
}  # fmt: skip
# What they show to whoever only looks is no secret, or they are only posted to.
LOOKED_AT = {
    "accounts:discord_link",
    "accounts:discord_unlink",
    "accounts:export",
    "accounts:deletion",
    "api:become_bot",
}
# In the admin site, to those who may write there.
NEEDED_IN_ADMIN = {
    "admin:auth_user_password_change", "admin:accounts_user_add", "admin:accounts_user_change",
    "admin:accounts_secondfactorrule_add",
    *(
        f"admin:{model}_{what}"
        for model in ("auth_group", "account_emailaddress", "oauth2_provider_application")
        for what in ("add", "change", "delete")
    ),
    *(
        f"admin:oauth2_provider_{model}_change"
        for model in ("accesstoken", "grant", "idtoken", "refreshtoken")
    ),
    "admin:oauth2_provider_grant_delete", "admin:oauth2_provider_idtoken_delete",
}  # fmt: skip
# What is done there on a page or a list, by class and name: whatever gives or takes power, a second
# factor, or a way into an account.
NEEDED_ACTIONS = {
    "UserAdmin make_organisers", "UserAdmin make_moderators", "UserAdmin unmake_organisers",
    "UserAdmin unmake_moderators", "UserAdmin reset_second_factor",
    # A closed account keeps its roles; a merge gives another one's seats away.
    "UserAdmin reopen", "UserAdmin merge",
    "SecondFactorRuleAdmin second_factor",
}  # fmt: skip
# What is not, and why.
FREE_ACTIONS = {
    **dict.fromkeys(
        (
            "UserAdmin warn", "UserAdmin mute", "UserAdmin suspend", "UserAdmin close",
            "UserAdmin warn_several", "UserAdmin mute_several", "UserAdmin suspend_several",
        ),
        "a sanction: it lets nobody in, its owner is told, and it can be taken back",
    ),
    **dict.fromkeys(
        ("SanctionAdmin lift", "SanctionAdmin lift_several", "AppealAdmin claim",
         "AppealAdmin release", "AppealAdmin grant", "AppealAdmin deny"),
        "what moderators do every day; the person signs in as before the sanction",
    ),
    **dict.fromkeys(
        ("ReportAdmin claim", "ReportAdmin resolve", "ReportAdmin release"),
        "what moderators do every day",
    ),
    **dict.fromkeys(
        ("SiteAnnouncementAdmin announce", "SiteAnnouncementAdmin end",
         "RegistrationChangeAdmin registration"),
        "is shown to everybody, and gives nobody anything",
    ),
    **dict.fromkeys(
        ("ChatMessageAdmin remove", "ChatMessageAdmin restore", "ChatMessageAdmin remove_messages",
         "PictureAdmin take-away", "PuzzleAdmin withdraw"),
        "is of what somebody has written, and of nobody's rights",
    ),
    "SetAsideAdmin try_again": "has the site do again what it could not",
    **dict.fromkeys(
        ("SeasonAdmin archive", "SeasonAdmin list", "SeasonAdmin cancel",
         "SeasonAdmin archive_seasons", "RatingRulingAdmin rule", "PairRulingAdmin unrate",
         "PairRulingAdmin rate_again"),
        "is only of seasons and results",
    ),
}  # fmt: skip
# Nobody may, whatever they have confirmed.
CLOSED_IN_ADMIN = {
    f"admin:oauth2_provider_{model}_add"
    for model in ("accesstoken", "grant", "idtoken", "refreshtoken")
} | {"admin:oauth2_provider_accesstoken_delete", "admin:oauth2_provider_refreshtoken_delete"}
# Those that do not, and why.
FREE = {
    "account_change_password": "asks for the old password itself",
    "account_reauthenticate": "is where one shows it",
    "accounts:discord_confirm": "is where one shows it",
    "account_login": "signs in", "account_signup": "makes an account",
    "account_confirm_login_code": "signs in; not offered",
    "account_logout": "ends the session",
    "account_inactive": "reads", "account_email_verification_sent": "reads",
    "account_reset_password": "sends a mail to the account's address",
    "account_reset_password_done": "reads", "account_reset_password_from_key_done": "reads",
    "account_reset_password_from_key": "whoever reads the account's mail",
    "account_confirm_email": "whoever reads the mail to the new address, which was asked for",
    "discord_login": "signs in", "socialaccount_signup": "makes an account",
    "discord_callback": "goes on with what was begun from a page that asks",
    "oauth2_provider:token": "applications, with codes that were asked for",
    "oauth2_provider:revoke-token": "ends",
    "oauth2_provider:oauth-server-metadata": "reads",
    "accounts:token_revoke": "ends", "accounts:application_delete": "ends",
    "accounts:authorisation_revoke": "ends", "accounts:session_end": "ends",
    "accounts:sessions_end": "ends", "accounts:sessions": "reads",
    "mfa_index": "reads", "mfa_list_webauthn": "leads elsewhere",
    "mfa_authenticate": "signs in", "mfa_login_webauthn": "signs in",
    "mfa_reauthenticate": "is where one shows it",
    "mfa_reauthenticate_webauthn": "is where one shows it",
    "accounts:data": "reads",
    "accounts:block": "lets nobody in", "accounts:unblock": "lets nobody in",
    "accounts:blocks": "reads",
    "accounts:discord_settings": "chooses who is mentioned",
    "accounts:discord": "reads",
    "accounts:announcement_choices": "chooses what is told", "accounts:announcements": "reads",
    "accounts:direct_test": "sends a test to the account's own Discord",
    "accounts:device_set": "a browser that is told of announcements; the owner sees it",
    "accounts:device_renew": "as above", "accounts:device_test": "as above",
    "accounts:device_remove": "ends",
    "accounts:mail_stop": "ends mail, by the letter",
    "accounts:undo": "undoes and ends, by the letter, for whoever has nothing else any more",
    "accounts:settings": "what is shown of oneself; the username never changes",
    "accounts:preferences": "colours and sound",
    "accounts:conduct": "reads", "accounts:acknowledge": "lets nobody in",
    "accounts:appeal": "lets nobody in", "accounts:appeal_withdraw": "lets nobody in",
    "accounts:suspended": "of those who are not signed in", "accounts:report": "lets nobody in",
    "api:me": "reads", "api:users": "reads", "api:user": "reads",
    "api:blocks": "reads", "api:block": "lets nobody in",
}  # fmt: skip
# Of a whole account; what is only of matches and seasons is not.
OF_ACCOUNTS = re.compile(
    r"account|discord_|socialaccount_|oauth2_provider:|mfa_|headless|usersessions"
    r"|api:(?:me$|me_|users?$|blocks?$|become_bot$|token|session)"
)
# In the admin site: what is done to others has its own rules (tests/accounts), but for forms.
IN_ADMIN = re.compile(
    r"admin:(?:account|auth|oauth2_provider|mfa)\w*_(?:add|change|delete|password_change)$"
)


def _named(resolver: URLResolver, space: str = "") -> Iterator[tuple[str, Any]]:
    for each in resolver.url_patterns:
        if isinstance(each, URLResolver):
            inner = f"{space}{each.namespace}:" if each.namespace else space
            yield from _named(each, inner)
        elif isinstance(each, URLPattern) and each.name:
            yield f"{space}{each.name}", each.callback


ROUTES: dict[str, Any] = {}
for _name, _view in _named(get_resolver()):
    ROUTES.setdefault(_name, _view)  # the first is the one that answers


def _address(name: str) -> str:
    args: dict[str, list[Any]] = {
        "accounts:discord_asked": ["none"], "mfa_edit_webauthn": [1], "mfa_remove_webauthn": [1],
    }  # fmt: skip
    return reverse(name, args=args.get(name, []))


@pytest.fixture
def ada() -> User:
    return with_confirmed_address(made_person("ada"))


@pytest.fixture
def client(ada: User) -> Client:
    """A browser in which she has signed in a while ago."""
    browser = Client()
    browser.force_login(ada)
    later(browser)
    return browser


@pytest.fixture(autouse=True)
def discord(settings: Any) -> None:
    """There is an application at Discord."""
    settings.GAUNTLET_DISCORD_CLIENT_ID = "1100000000000000001"
    settings.GAUNTLET_DISCORD_CLIENT_SECRET = "hush"


def leads_to_confirm(answer: Any) -> bool:
    return bool(answer.status_code == 302 and urlsplit(answer["Location"]).path == ASKS)


def back_of(answer: Any) -> str:
    return str(parse_qs(urlsplit(answer["Location"]).query)["next"][0])


# -- the table -----------------------------------------------------------------------------------


def test_every_route_of_an_account_is_decided() -> None:
    ours = {name for name in ROUTES if OF_ACCOUNTS.match(name)}
    ours |= {name for name in ROUTES if IN_ADMIN.match(name)}
    moderation = {
        f"admin:accounts_{model}_{what}"
        for model in (
            "appeal", "auditentry", "accountmerge", "report", "sanction", "siteannouncement",
            "registrationchange",
        )
        for what in ("add", "change", "delete")
    } | {
        # Nobody may: rows are added, or accounts closed.
        "admin:accounts_secondfactorrule_change", "admin:accounts_secondfactorrule_delete",
        "admin:accounts_user_delete",
    }  # fmt: skip
    decided = set(NEEDED) | set(FREE) | NEEDED_IN_ADMIN | CLOSED_IN_ADMIN | moderation
    assert ours - decided == set(), "may a stolen session do this? then NEEDED, or else FREE"
    assert decided - set(ROUTES) == set(), "there is no such route any more"
    assert not set(NEEDED) & set(FREE)


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_what_needs_it_asks_and_does_nothing(name: str, client: Client, ada: User) -> None:
    if name == "account_set_password":
        # Who has a password is led elsewhere; who has none shows it at Discord: below.
        assert getattr(ROUTES[name], recent.MARK)
        return
    if name.startswith("mfa_") and name != "mfa_activate_totp":
        with_app(ada)
        for kind, data in (("recovery_codes", {"seed": "x"}), ("webauthn", {"name": "Phone"})):
            Authenticator.objects.create(user=ada, type=kind, data=data)
    before = _state(ada)
    kind = "application/json" if name.startswith("api:") else MULTIPART_CONTENT
    answers = [client.post(_address(name), NEEDED[name], content_type=kind)]
    if name not in LOOKED_AT:
        answers.append(client.get(_address(name)))
    for answer in answers:
        if name == "api:become_bot":
            assert answer.status_code == 403
            assert answer.json()["code"] == "account.not-confirmed"
        else:
            assert leads_to_confirm(answer), name
    assert _state(ada) == before
    assert mail.outbox == []


def _state(user: User) -> tuple[Any, ...]:
    """What a stolen session could have changed."""
    return (
        User.objects.values_list("password", "is_bot", "email", "deleted_at").get(pk=user.pk),
        list(EmailAddress.objects.values("email", "primary")), ApiToken.objects.count(),
        Application.objects.count(), DiscordLink.objects.count(), Grant.objects.count(),
        list(Authenticator.objects.order_by("pk").values("pk", "data")),
        AccountDeletion.objects.count(), AuditEntry.objects.count(),
    )  # fmt: skip


@pytest.mark.parametrize("name", sorted(NEEDED_IN_ADMIN))
def test_an_administrator_is_asked_as_well(name: str) -> None:
    root = made_person("root", is_staff=True, is_superuser=True)
    browser = Client()
    browser.force_login(root)
    args = [] if name.endswith("_add") else [root.pk]
    if name.startswith("admin:auth_group_") and args:
        args = [Group.objects.get_or_create(name=Role.MODERATOR.value)[0].pk]
    path = reverse(name, args=args)
    assert not leads_to_confirm(browser.get(path))
    later(browser)
    assert leads_to_confirm(browser.get(path))
    assert leads_to_confirm(browser.post(path, {}))
    if not name.endswith("_add"):
        root.refresh_from_db()
        assert root.check_password(PASSWORD)


@pytest.mark.parametrize("name", sorted(CLOSED_IN_ADMIN))
def test_nobody_makes_a_token_of_oauth_by_hand_or_leaves_half_of_one(name: str) -> None:
    root = made_person("root", is_staff=True, is_superuser=True)
    browser = Client()
    browser.force_login(root)
    args: list[Any] = []
    if name.endswith("_delete"):
        model: Any = apps.get_model("oauth2_provider", name.split("_")[-2])
        ours: dict[str, Any] = {"user": root, "token": "t", "expires": now_utc()}
        if model is RefreshToken:
            del ours["expires"]
            ours["application"] = Application.objects.create(user=root, name="One")
        row = model.objects.create(**ours)
        args = [row.pk]
    assert browser.post(reverse(name, args=args), {}).status_code == 403


# -- what is done in the admin site ----------------------------------------------------------------


def _offered() -> dict[str, tuple[Any, str, Action[Any]]]:
    """Every action that the admin site offers, with its class and where it is offered."""
    found: dict[str, tuple[Any, str, Action[Any]]] = {}
    for model_admin in admin.site._registry.values():
        called = type(model_admin).__name__
        tables = [
            (kind, getattr(model_admin, kind, ()))
            for kind in ("row_actions", "list_actions", "several_actions")
        ]
        adds = getattr(model_admin, "adds", None)
        for kind, table in [*tables, ("adds", [] if adds is None else [adds])]:
            for action in table:
                found[f"{called} {action.name}"] = (model_admin, kind, action)
    return found


def test_every_action_of_the_admin_site_is_decided() -> None:
    offered = _offered()
    assert not NEEDED_ACTIONS & set(FREE_ACTIONS)
    undecided = set(offered) - NEEDED_ACTIONS - set(FREE_ACTIONS)
    assert undecided == set(), "may a stolen session do this? then NEEDED_ACTIONS, or FREE_ACTIONS"
    assert (NEEDED_ACTIONS | set(FREE_ACTIONS)) - set(offered) == set(), "there is none any more"
    asking = {name for name, (_admin, _kind, action) in offered.items() if action.confirmed}
    assert asking == NEEDED_ACTIONS


def test_what_asks_is_offered_where_it_is_asked() -> None:
    """Desks and matches offer actions too, and ask nothing."""
    of_admin = {id(action) for _admin, _kind, action in _offered().values()}
    tables = (
        *MODERATION_TABLES, *SITE_TABLES, *SEASON_TABLES, *GAME_TABLES, *RATING_TABLES,
        *PUZZLE_TABLES,
    )  # fmt: skip
    elsewhere = [
        action.name for table in tables for action in table
        if action.confirmed and id(action) not in of_admin
    ]  # fmt: skip
    assert elsewhere == []


@pytest.mark.parametrize("name", sorted(NEEDED_ACTIONS))
def test_who_gives_or_takes_power_is_asked_first(name: str) -> None:
    model_admin, kind, action = _offered()[name]
    meta = model_admin.model._meta
    start = f"admin:{meta.app_label}_{meta.model_name}"
    root = made_person("root", is_staff=True, is_superuser=True)
    eve = made_person("eve", Role.ORGANISER, is_active=action.name != "reopen")
    if action.name.startswith("unmake"):
        eve.groups.add(Group.objects.get_or_create(name=Role.MODERATOR.value)[0])
    with_app(eve)
    browser = Client()
    browser.force_login(root)
    form: dict[str, Any] = {"reason": "So", "typed": "eve", "of_organisers": "yes",
                            "keep": root.username}  # fmt: skip
    if kind == "list_actions":
        page = reverse(f"{start}_changelist")
        form = {"action": action.name, "_selected_action": [eve.pk]}
    elif kind == "adds":
        page = reverse(f"{start}_add")
    else:
        page = reverse(f"{start}_{action.name}", args=[eve.pk])
    assert not leads_to_confirm(browser.get(page))
    later(browser)
    before = _powers(eve)
    asked = browser.post(page, form)
    assert leads_to_confirm(asked)
    assert back_of(asked) == page
    if kind != "list_actions":
        assert leads_to_confirm(browser.get(page))
    assert _powers(eve) == before


def _powers(user: User) -> tuple[Any, ...]:
    """What an action could have changed."""
    return (
        User.objects.values_list("is_active", "is_staff", "is_superuser").get(pk=user.pk),
        sorted(user.groups.values_list("name", flat=True)),
        list(Authenticator.objects.order_by("pk").values_list("pk", flat=True)),
        SecondFactorRule.objects.count(), AccountMerge.objects.count(),
        AuditEntry.objects.exclude(action__startswith="look").count(),
    )  # fmt: skip


def test_once_confirmed_it_is_done() -> None:
    browser = Client()
    browser.force_login(made_person("root", is_staff=True, is_superuser=True))
    eve = made_person("eve")
    later(browser)
    people = reverse("admin:accounts_user_changelist")
    form = {"action": "make_moderators", "_selected_action": [eve.pk]}
    asked = browser.post(people, form)
    browser.post(asked["Location"], {"password": PASSWORD, "next": people})
    assert not eve.groups.exists()  # what was asked before is asked once more
    browser.post(people, form)
    assert [group.name for group in eve.groups.all()] == [Role.MODERATOR.value]


@pytest.mark.parametrize("way", ["page", "at once", "list", "several"])
def test_an_action_asks_in_every_way_that_it_can_be_offered(way: str, rf: RequestFactory) -> None:
    """Whatever class offers it, and if it is none of accounts."""
    done: list[object] = []
    action = Action[Any](
        name="crown", label="Crown", title="Crown", button="Crown", done="Crowned.",
        check=lambda _s: None, run=lambda s, _form: done.append(s), at_once=way == "at once",
        confirmed=True,
    )  # fmt: skip
    kind = {"list": "list_actions", "several": "several_actions"}.get(way, "row_actions")
    crown_admin: Any = type(
        "CrownAdmin",
        (ActionsAdmin, admin.ModelAdmin),
        {
            kind: Actions("crowns", (action,)),
            "subject_of": lambda _self, _request, row: row,
            "subject_of_several": lambda _self, _request, rows: rows,
        },
    )
    root = made_person("root", is_staff=True, is_superuser=True)
    model_admin = crown_admin(User, admin.site)
    crown: Any = next(
        each.callback for each in model_admin.get_urls() if each.name == "accounts_user_crown"
    ) if way != "list" else None  # fmt: skip

    def asked(confirmed_at: float) -> Any:
        request: Any = rf.post(f"/crown/?row={root.pk}")
        request.user, request.session = root, {"confirmed_at": confirmed_at}
        request._messages = FallbackStorage(request)
        request._dont_enforce_csrf_checks = True
        if way == "list":
            offered: Any = model_admin.actions
            return offered[0](model_admin, request, User.objects.filter(pk=root.pk))
        return crown(request, *([] if way == "several" else [str(root.pk)]))

    assert leads_to_confirm(asked(0.0))
    assert done == []
    asked(now_utc().timestamp())
    assert len(done) == 1


def test_who_does_several_rows_at_once_in_the_admin_site_is_asked() -> None:
    browser = Client()
    browser.force_login(made_person("root", is_staff=True, is_superuser=True))
    eve = EmailAddress.objects.create(
        user=made_person("eve"), email="eve@example.com", primary=True, verified=False
    )
    later(browser)
    form = {"action": "make_verified", "_selected_action": [eve.pk]}
    assert leads_to_confirm(browser.post(reverse("admin:account_emailaddress_changelist"), form))
    eve.refresh_from_db()
    assert not eve.verified


# -- there and back ------------------------------------------------------------------------------


def test_signing_in_counts_for_a_while(client: Client) -> None:
    page = reverse("accounts:tokens")
    later(client, recent.CONFIRMED_FOR - timedelta(seconds=30))
    assert client.get(page).status_code == 200
    later(client, recent.CONFIRMED_FOR + timedelta(seconds=1))
    assert leads_to_confirm(client.get(page))
    later(client, timedelta(seconds=-60))  # a clock that was wrong proves nothing
    assert leads_to_confirm(client.get(page))


def test_people_come_back_to_what_they_wanted(client: Client) -> None:
    page = reverse("accounts:tokens")
    asked = client.get(page)
    assert back_of(asked) == page
    wrong = client.post(asked["Location"], {"password": "guess-work-11"})
    assert wrong.status_code == 200
    assert leads_to_confirm(client.get(page))
    there = client.post(asked["Location"], {"password": PASSWORD, "next": page})
    assert there["Location"] == page
    assert client.get(page).status_code == 200


def test_what_was_typed_is_there_again_and_is_not_done(client: Client) -> None:
    page = reverse("accounts:tokens")
    typed = {"name": "The bot at home", "scopes": ["read", "play"], "lasts": "7"}
    asked = client.post(page, typed)
    back = back_of(asked)
    there = client.post(asked["Location"], {"password": PASSWORD, "next": back}, follow=True)
    form = there.context["form"]
    assert {name: form[name].value() for name in typed} == typed
    assert not ApiToken.objects.exists()
    # Only where it was typed, and once.
    assert client.get(back).context["form"]["name"].value() is None
    assert client.post(page, typed).status_code == 201


def test_a_deletion_that_was_asked_for_is_asked_for_once_more(client: Client, ada: User) -> None:
    page = reverse("accounts:deletion")
    asked = client.post(page, {"username": "Ada", "password": "hush-hush-1"})
    assert "hush-hush-1" not in str(dict(client.session.items()))
    there = client.post(
        asked["Location"], {"password": PASSWORD, "next": back_of(asked)}, follow=True
    )
    assert 'value="Ada"' in there.content.decode()
    ada.refresh_from_db()
    assert not ada.is_former
    assert not AccountDeletion.objects.exists()
    assert client.get(back_of(asked)).context["typed"] == ""


def test_thinking_again_asks_for_nothing(client: Client, ada: User) -> None:
    AccountDeletion.objects.create(user=ada, due_at=now_utc() + timedelta(days=7))
    answer = client.post(reverse("accounts:deletion"), {"keep": "yes"}, follow=True)
    assert "Your account stays." in answer.content.decode()
    assert not AccountDeletion.objects.exists()


def test_what_somebody_else_has_left_is_not_done_when_the_owner_confirms(client: Client) -> None:
    """Whoever has stolen the session posts; its owner confirms later, for the same page."""
    page = reverse("account_email")
    client.post(page, {"email": "thief@example.com", "action_add": ""})
    asked = client.get(page)
    there = client.post(asked["Location"], {"password": PASSWORD, "next": page}, follow=True)
    assert there.status_code == 200
    assert not EmailAddress.objects.filter(email="thief@example.com").exists()
    assert b"thief@example.com" not in there.content


def test_no_password_is_kept_in_a_session(client: Client) -> None:
    for name, form in NEEDED.items():
        if name != "api:become_bot":
            client.post(_address(name), {**form, "password1": "new-swordfish-88"})
            assert "new-swordfish-88" not in str(dict(client.session.items()))


def test_the_key_of_the_session_is_another_after_signing_in_and_after_confirming(
    ada: User,
) -> None:
    browser = Client()
    browser.get("/accounts/login/")
    keys = [browser.session.session_key]
    browser.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    keys.append(browser.session.session_key)
    browser.post(ASKS, {"password": PASSWORD})
    keys.append(browser.session.session_key)
    assert len(set(keys)) == len(keys)
    assert browser.get(reverse("accounts:settings")).status_code == 200
    stale = Client()
    stale.cookies["sessionid"] = keys[1] or ""
    assert stale.get(reverse("accounts:settings")).status_code == 302


def test_another_account_in_the_same_browser_has_shown_nothing(client: Client) -> None:
    client.post("/accounts/logout/")
    assert not client.get(reverse("accounts:tokens"))["Location"].startswith(ASKS)
    eve = Client()
    eve.force_login(made_person("eve"))
    later(eve)
    assert leads_to_confirm(eve.get(reverse("accounts:tokens")))


def test_an_application_finds_its_question_again(client: Client) -> None:
    asked = {"response_type": "code", "client_id": "one", "state": "s-1"}
    page = reverse("oauth2_provider:authorize")
    back = back_of(client.post(page, {**asked, "allow": "true", "password": "x"}))
    assert urlsplit(back).path == page
    assert parse_qs(urlsplit(back).query) == {name: [value] for name, value in asked.items()}


# -- those who sign in by Discord alone ----------------------------------------------------------


def test_who_has_no_password_shows_it_at_discord() -> None:
    nelly = made_person("nelly", password=None)
    DiscordLink.objects.create(user=nelly, discord_id="80351110224678912", name="nelly_b")
    browser = Client()
    browser.force_login(nelly)
    later(browser)
    for name in ("accounts:tokens", "account_set_password", "mfa_activate_totp"):
        asked = browser.get(reverse(name))
        assert urlsplit(asked["Location"]).path == reverse("accounts:discord_confirm")
        assert back_of(asked) == reverse(name)
    page = browser.get(asked["Location"])
    assert "nelly_b" in page.content.decode()
    sent = browser.post(asked["Location"], {"next": reverse("account_set_password")})
    assert urlsplit(sent["Location"]).path == "/oauth2/authorize"
    assert parse_qs(urlsplit(sent["Location"]).query)["prompt"] == ["consent"]


@pytest.mark.parametrize(
    "name", sorted(each for each in NEEDED if each.startswith(("mfa_", "accounts:deletion")))
)
def test_who_has_nothing_but_discord_is_asked_for_second_factors_too(name: str) -> None:
    """The library's own question lets everybody through who has neither password nor factor."""
    nelly = made_person("nelly", password=None)
    DiscordLink.objects.create(user=nelly, discord_id="80351110224678912", name="nelly_b")
    browser = Client()
    browser.force_login(nelly)
    later(browser)
    asked = browser.post(_address(name), NEEDED[name])
    assert urlsplit(asked["Location"]).path == reverse("accounts:discord_confirm")
    assert not Authenticator.objects.exists()
    # Signing in counts here as everywhere.
    later(browser, recent.CONFIRMED_FOR - timedelta(seconds=30))
    assert browser.get(reverse("mfa_activate_totp")).status_code == 200


def test_discord_stands_in_for_no_second_factor() -> None:
    """Whoever has set one up shows that, and is not let off with Discord at its address."""
    nelly = made_person("nelly", password=None)
    DiscordLink.objects.create(user=nelly, discord_id="80351110224678912", name="nelly_b")
    secret = with_app(nelly)
    browser = Client()
    browser.force_login(nelly)
    later(browser)
    page = reverse("accounts:tokens")
    around = f"{reverse('accounts:discord_confirm')}?next={page}"
    for answer in (browser.get(page), browser.get(around), browser.post(around, {"next": page})):
        assert urlsplit(answer["Location"]).path == reverse("mfa_reauthenticate")
        assert back_of(answer) == page
    shown = browser.post(answer["Location"], {"code": app_code(secret), "next": page})
    assert shown["Location"] == page
    assert browser.get(page).status_code == 200


def test_who_has_no_way_at_all_is_led_to_a_mail() -> None:
    lost = made_person("lost", password=None)
    browser = Client()
    browser.force_login(lost)
    later(browser)
    asked = browser.get(reverse("accounts:tokens"))
    assert urlsplit(asked["Location"]).path == reverse("account_reset_password")


def test_a_token_makes_no_token_and_opens_no_page_of_settings(ada: User) -> None:
    from accounts.tokens.services import token_create

    _row, text = token_create(
        acting_user=ada, name="all", scopes=["read", "play", "organise", "bot"],
        lasts=timedelta(days=1),
    )  # fmt: skip
    mail.outbox.clear()
    program = Client(headers={"Authorization": f"Bearer {text}"})
    for name in itertools.chain(NEEDED, ["account_change_password"]):
        if name == "api:become_bot":
            continue
        answer = program.post(_address(name), NEEDED.get(name, {}))
        assert answer.status_code == 302
        assert urlsplit(answer["Location"]).path == "/accounts/login/"
    assert ApiToken.objects.count() == 1
