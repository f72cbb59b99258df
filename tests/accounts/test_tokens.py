"""Personal tokens, and accounts of bots."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import IntegrityError, transaction
from django.test import Client, TestCase
from django.utils import timezone

from accounts import hooks
from accounts.models import ApiToken, AuditEntry, Sanction, User
from accounts.roles import Role
from accounts.tokens import services
from accounts.tokens.bearers import bearer_of
from accounts.tokens.services import register_bot_check, token_create, token_revoke, user_become_bot
from accounts.tokens.text import is_well_formed, new_token
from core.api.scopes import Scope
from core.refusals import Refusal

pytestmark = pytest.mark.django_db

MONTH = timedelta(days=30)
People = Callable[..., User]
PAGE = "/accounts/settings/tokens/"


def make(user: User, *scopes: str, lasts: timedelta = MONTH, name: str = "mine") -> tuple[Any, str]:
    return token_create(acting_user=user, name=name, scopes=scopes or ["read"], lasts=lasts)


def refused(code: str, call: Callable[..., Any], /, **arguments: Any) -> None:
    before = (ApiToken.objects.count(), AuditEntry.objects.count())
    with pytest.raises(Refusal) as caught:
        call(**arguments)
    assert caught.value.code == code
    assert caught.value.sentence.endswith(".")
    assert (ApiToken.objects.count(), AuditEntry.objects.count()) == before


# -- what a token looks like ---------------------------------------------------------------------


def test_tokens_can_be_told_from_other_words() -> None:
    made = {new_token() for _ in range(200)}
    assert len(made) == 200
    for token in made:
        assert re.fullmatch(r"gnt_[0-9A-Za-z]{36}", token)
        assert is_well_formed(token)
    token = made.pop()
    for position in (4, 20, 39):  # one character changed
        other = "a" if token[position] != "a" else "b"
        assert not is_well_formed(token[:position] + other + token[position + 1 :])
    for wrong in ("", "gnt_", token[:-1], token + "a", token.replace("gnt_", "gho_"), "gnt_é" * 8):
        assert not is_well_formed(wrong)


def test_only_a_digest_is_kept(person: People) -> None:
    row, text = make(person(), "play", "read")
    stored = ApiToken.objects.get(pk=row.pk)
    assert stored.digest == hashlib.sha256(text.encode()).hexdigest()
    assert text not in str(ApiToken.objects.filter(pk=row.pk).values().get())
    assert stored.scopes == ["play", "read"]
    entry = AuditEntry.objects.get(action="token.create")
    assert text not in str(entry.data)
    assert entry.target_id == str(row.pk)


# -- making and revoking -------------------------------------------------------------------------


def test_what_is_refused(person: People) -> None:
    user = person()
    good = {"acting_user": user, "name": "x", "scopes": ["read"], "lasts": MONTH}
    for name in ("", "  ", "x" * 61):
        refused("token.name", token_create, **{**good, "name": name})
    for scopes in ([], ["write"], ["read", "everything"]):
        refused("token.scopes", token_create, **{**good, "scopes": scopes})
    for lasts in (timedelta(0), -MONTH, timedelta(days=367)):
        refused("token.lasts", token_create, **{**good, "lasts": lasts})
    made = [make(user)[0] for _ in range(20)]
    refused("token.too-many", token_create, **good)
    token_revoke(acting_user=user, token=made[0])
    make(user)
    refused("token.none", token_revoke, acting_user=person(), token=made[1])
    refused("token.revoked", token_revoke, acting_user=user, token=made[0])


def test_expired_tokens_do_not_count(person: People) -> None:
    user = person()
    for _ in range(20):
        make(user)
    ApiToken.objects.update(
        created_at=timezone.now() - MONTH, expires_at=timezone.now() - timedelta(seconds=1)
    )
    make(user)


@pytest.mark.parametrize(
    "values",
    [{"scopes": ["all"]}, {"scopes": []}, {"name": ""}, {"digest": "x"}, {"digest": "A" * 64},
     {"expires_at": timezone.now() - timedelta(days=400)}],
)  # fmt: skip
def test_the_database_refuses_nonsense(values: dict[str, Any], person: People) -> None:
    row, _text = make(person())
    with pytest.raises(IntegrityError), transaction.atomic():
        ApiToken.objects.filter(pk=row.pk).update(**values)


# -- who has come --------------------------------------------------------------------------------


def test_a_token_speaks_for_its_owner(person: People) -> None:
    user = person()
    row, text = make(user, "read", "play")
    bearer = bearer_of(text)
    assert bearer is not None
    assert bearer.user == user
    assert bearer.credential.scopes == {Scope.READ, Scope.PLAY}
    assert bearer.credential.expires_at == row.expires_at
    assert not bearer.credential.bot


@pytest.mark.parametrize("why", ["revoked", "expired", "closed", "suspended", "unknown", "gone"])
def test_tokens_that_are_no_good(why: str, person: People) -> None:
    user = person()
    row, text = make(user)
    assert bearer_of(text) is not None
    match why:
        case "revoked":
            token_revoke(acting_user=user, token=row)
        case "expired":
            now = timezone.now()
            ApiToken.objects.update(created_at=now - MONTH, expires_at=now)
        case "closed":
            User.objects.filter(pk=user.pk).update(is_active=False)
        case "suspended":
            Sanction.objects.create(
                user=user, by=person(), kind=Sanction.Kind.SUSPENSION, reason="Because."
            )
        case "unknown":
            text = new_token()
        case "gone":
            row.delete()
    assert bearer_of(text) is None


def test_the_last_use_is_noted_once_a_minute(person: People) -> None:
    row, text = make(person())
    start = timezone.now()
    noted = []
    for seconds in (0, 30, 59, 61, 100, 122):
        with time_machine.travel(start + timedelta(seconds=seconds), tick=False):
            assert bearer_of(text) is not None
        row.refresh_from_db()
        noted.append(round((row.last_used_at - start).total_seconds()))
    assert noted == [0, 0, 0, 61, 61, 122]


# -- bots ----------------------------------------------------------------------------------------


@pytest.fixture
def checks() -> Iterator[list[Any]]:
    before = list(services._bot_checks)
    yield services._bot_checks
    services._bot_checks[:] = before


def test_becoming_a_bot_is_for_good(person: People, checks: list[Any]) -> None:
    user = person()
    told: list[int] = []

    def hear(user_id: int, **_more: Any) -> None:
        told.append(user_id)

    hooks.rights_changed.connect(hear)
    with TestCase.captureOnCommitCallbacks(execute=True):
        bot = user_become_bot(acting_user=user)
    hooks.rights_changed.disconnect(hear)
    assert bot.is_bot
    assert told == [user.pk]
    assert AuditEntry.objects.get(action="user.become_bot").who == user
    refused("bot.already", user_become_bot, acting_user=user)


def test_who_cannot_become_a_bot(person: People, checks: list[Any]) -> None:
    refused("bot.privileged", user_become_bot, acting_user=person("olga", Role.ORGANISER))
    refused("bot.privileged", user_become_bot, acting_user=person("sue", is_staff=True))
    user = person()

    def must_be_another(who: User) -> None:
        if who == user:
            raise Refusal("bot.has-played", "No.")

    register_bot_check(must_be_another)
    refused("bot.has-played", user_become_bot, acting_user=user)
    user_become_bot(acting_user=person())


def test_the_database_keeps_bots_powerless(person: People) -> None:
    user = person(is_bot=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.filter(pk=user.pk).update(is_superuser=True)


def test_a_bot_plays_with_the_scope_for_it(person: People) -> None:
    bot = person(is_bot=True)
    for scopes, missing in ((["play"], Scope.BOT), (["bot"], None)):
        bearer = bearer_of(make(bot, *scopes)[1])
        assert bearer is not None
        assert bearer.credential.missing(Scope.PLAY) is missing
        assert bearer.credential.missing(Scope.READ) is None


# -- pages ---------------------------------------------------------------------------------------


@pytest.fixture
def client(person: People) -> Client:
    client = Client()
    client.force_login(person("ada"))
    return client


def test_a_token_is_shown_once(client: Client) -> None:
    assert b"You have no tokens" in client.get(PAGE).content
    body = {"name": "My bot", "scopes": ["play", "read"], "lasts": "30"}
    answer = client.post(PAGE, body)
    assert answer.status_code == 201
    assert "no-store" in answer["Cache-Control"]
    found = re.findall(r"gnt_[0-9A-Za-z]{36}", answer.content.decode())
    assert len(found) == 1
    assert "Never used" in answer.content.decode()
    bearer = bearer_of(found[0])
    assert bearer is not None
    assert bearer.user.username == "ada"
    again = client.get(PAGE).content.decode()
    assert "gnt_" not in again
    assert "My bot" in again
    row = ApiToken.objects.get()
    used = f"{row.last_used_at:%Y-%m-%dT%H:%M:%SZ}"
    assert f'Last used <time datetime="{used}" data-style="relative">' in again
    assert round((row.expires_at - row.created_at).days) == 30


def test_scopes_are_named_as_everywhere(client: Client) -> None:
    page = client.get(PAGE).content.decode()
    for scope in Scope:
        assert f"<span><code>{scope.value}</code>: " in page


@pytest.mark.parametrize(
    "body",
    [{}, {"name": "x", "lasts": "30"}, {"name": "x", "scopes": ["all"], "lasts": "30"},
     {"name": "x", "scopes": ["read"], "lasts": "9999"},
     {"name": "x" * 61, "scopes": ["read"], "lasts": "30"}],
)  # fmt: skip
def test_a_form_that_is_wrong(body: dict[str, Any], client: Client) -> None:
    answer = client.post(PAGE, body)
    assert answer.status_code == 422
    assert b"field__errors" in answer.content
    assert not ApiToken.objects.exists()


def test_revoking_ones_own(client: Client, person: People) -> None:
    ada = User.objects.get(username="ada")
    own, _text = make(ada)
    other, _text = make(person())
    assert client.post(f"{PAGE}{other.pk}/revoke/").status_code == 404
    assert client.get(f"{PAGE}{own.pk}/revoke/").status_code == 405
    assert client.post(f"{PAGE}{own.pk}/revoke/").url == PAGE  # type: ignore[attr-defined]
    assert ApiToken.objects.get(pk=own.pk).standing == "revoked"
    assert b"revoked" in client.get(PAGE).content
    client.post(f"{PAGE}{own.pk}/revoke/")
    assert b"is revoked already" in client.get(PAGE).content


def test_pages_are_for_people_who_are_signed_in() -> None:
    for path in (PAGE, f"{PAGE}1/revoke/", "/accounts/settings/bot/"):
        answer = Client().post(path)
        assert answer.status_code == 302
        assert answer.url.startswith("/accounts/login/")  # type: ignore[attr-defined]


def test_becoming_a_bot_takes_a_confirmation(client: Client) -> None:
    page = "/accounts/settings/bot/"
    assert b"cannot be undone" in client.get(page).content
    assert client.post(page, {"username": "ben"}).status_code == 422
    assert not User.objects.get(username="ada").is_bot
    assert client.post(page, {"username": "Ada"}).status_code == 302
    assert User.objects.get(username="ada").is_bot
    assert b"one already" in client.get(page).content
    assert client.post(page, {"username": "ada"}).status_code == 422


def test_a_bot_is_called_one(client: Client, person: People) -> None:
    from accounts.templatetags.site import user_link

    bot = person(is_bot=True)
    for link in (True, False):
        assert ">BOT</span>" in user_link(bot, link)
        assert "BOT" not in user_link(User.objects.get(username="ada"), link)
