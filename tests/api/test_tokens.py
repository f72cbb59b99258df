"""Calling the API with a token."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.tokens.services import token_create, token_revoke
from core.clock import now_ms
from core.refusals import allowed, refusal_of
from games.models import MatchEntry
from games.receivers import must_never_have_played
from games.services.arrivals import match_ready
from games.services.challenges import challenge_create
from script.lib.console import ROOT
from tests.games.support import Play, committing, nothing_changes


def holder(user: User, *scopes: str) -> Client:
    """Somebody who calls with a new token."""
    _row, text = token_create(
        acting_user=user, name="test", scopes=scopes, lasts=timedelta(hours=1)
    )
    return Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {text}"})


def submit(client: Client, play: Play, client_id: str = "a") -> Any:
    body = json.dumps({"id": client_id, "text": "pick T", "version": 1})
    address = reverse("api:submissions", args=[play.pk])
    with committing():
        return client.post(address, body, content_type="application/json")


def test_a_token_sees_what_its_owner_sees(play: Play, ada: User) -> None:
    answer = holder(ada, "read").get(reverse("api:match", args=[play.pk]))
    assert answer.json()["you"] == 0
    # Another site's page may show the token that it was given.
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert answer["Cache-Control"].startswith("private")


def test_submitting_takes_the_scope(play: Play, ada: User) -> None:
    for scope in ("read", "organise"):
        client = holder(ada, scope)
        with nothing_changes():
            answer = submit(client, play)
        assert answer.status_code == 403
        problem = json.loads(answer.content)
        assert (problem["code"], problem["scope"]) == ("scope.missing", "play")
        assert "'play'" in problem["sentence"]
    assert submit(holder(ada, "play"), play).status_code == 201
    assert MatchEntry.objects.get(match=play.pk).by == ada


def test_the_way_that_the_guide_for_bots_describes(cleo: User, ada: User) -> None:
    """From an account to a bot that plays, with the one token that the guide has made first."""
    guide = (ROOT / "docs" / "bots.md").read_text()
    made, turned = guide.index("make a token that may `bot`"), guide.index("`POST /api/v1/me/bot/`")
    assert made < turned
    page = Client()
    page.force_login(cleo)
    form = {"name": "Bot", "scopes": ["bot"], "lasts": "90"}
    answer = page.post(reverse("accounts:tokens"), form)
    found = re.search(r"gnt_\w+", answer.content.decode())
    assert found
    bot = Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {found[0]}"})
    answer = bot.post(reverse("api:become_bot"), content_type="application/json")
    assert answer.status_code == 200, answer.content
    assert answer.json()["is_bot"] is True
    offer = challenge_create(
        acting_user=ada, ruleset_id="tetronogo", variant="standard", opponent=cleo,
        options={"turn_time": 7200},  # a pace at which they need not be there together
    )  # fmt: skip
    with committing():
        answer = bot.post(
            reverse("api:challenge_accept", args=[offer.pk]), "{}", "application/json"
        )
    assert answer.status_code == 201, answer.content
    match = answer.json()["id"]
    match_ready(match_id=match, acting_user=ada, seat=0, there=(False, False), at=now_ms())
    assert "moves" not in bot.get(reverse("api:match_hints", args=[match])).json()
    with committing():
        bot.post(reverse("api:ready", args=[match]), "{}", "application/json")
    hints = bot.get(reverse("api:match_hints", args=[match]))
    assert hints.json()["moves"]


def test_a_bot_needs_the_scope_for_bots(play: Play, ada: User) -> None:
    User.objects.filter(pk=ada.pk).update(is_bot=True)
    answer = submit(holder(ada, "play"), play)
    assert json.loads(answer.content)["scope"] == "bot"
    assert submit(holder(ada, "bot"), play).status_code == 201


@pytest.mark.usefixtures("within_a_minute")
def test_bots_have_a_limit_of_their_own(play: Play, ada: User, settings: Any) -> None:
    settings.GAUNTLET_API_LIMITS = {**settings.GAUNTLET_API_LIMITS, "bot": 3, "play": 1}
    User.objects.filter(pk=ada.pk).update(is_bot=True)
    client = holder(ada, "bot")
    assert submit(client, play)["RateLimit-Limit"] == "3"
    assert client.get(reverse("api:match", args=[play.pk]))["RateLimit-Remaining"] == "1"
    assert submit(client, play).status_code == 200
    assert submit(client, play).status_code == 429


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer ", "bearer nonsense", "Bearer é", "Bearer a b"]
)
def test_tokens_that_are_none(header: str, play: Play, ada: User) -> None:
    client = Client()
    client.force_login(ada)  # a bad token is not helped by a session
    answer = client.get(reverse("api:match", args=[play.pk]), headers={"Authorization": header})
    assert answer.status_code == 401
    assert json.loads(answer.content)["code"] == "token.refused"
    assert answer["WWW-Authenticate"] == 'Bearer realm="api", error="invalid_token"'


def test_other_schemes_are_not_ours(play: Play) -> None:
    headers = {"Authorization": "Basic YTpi"}
    assert Client().get(reverse("api:match", args=[play.pk]), headers=headers).status_code == 200


def test_a_revoked_token(play: Play, ada: User) -> None:
    row, text = token_create(
        acting_user=ada, name="test", scopes=["play"], lasts=timedelta(hours=1)
    )
    client = Client(headers={"Authorization": f"Bearer {text}"})
    token_revoke(acting_user=ada, token=row)
    with nothing_changes():
        assert submit(client, play).status_code == 401


def test_whoever_has_played_is_no_bot(play: Play, ada: User, cleo: User) -> None:
    refusal = refusal_of(must_never_have_played, ada)
    assert refusal is not None
    assert refusal.code == "bot.has-played"
    assert allowed(must_never_have_played, cleo)
