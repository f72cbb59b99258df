"""The API's page, and its examples: run, and compared with what is written down.

With GAUNTLET_REWRITE_EXAMPLES=1 in the environment, docs/api-examples.json is written anew.
"""

from __future__ import annotations

import json
import os
import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant
from accounts.tokens.services import token_create
from core.api.pages import EXAMPLES, examples, groups
from games.ratings.services import match_rate
from games.services.challenges import challenge_create
from games.services.hosting import hosted_create
from tests.api.schema import is_as_described, operations
from tests.games.support import committing, started
from tests.tournaments.support import GAME, account, begun, conceded, running, who
from tournaments.models import DeathMatch
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.items.gifts import item_give
from tournaments.services.seasons import season_create, season_list
from tournaments.services.starts import season_start

pytestmark = pytest.mark.django_db

SITE = "http://testserver"

# What is asked, by operation and in this order: `{match}` runs, `{over}` is over, `{offer}` and
# `{other}` are challenges to Ada, who is invited to `{hosted}` and `{also_hosted}` and hosts
# `{own_hosted}`.
ASKED: dict[str, dict[str, Any]] = {
    "index": {"path": "/api/v1/"},
    "users": {"path": "/api/v1/users/?search=ad&fields=username,name,is_bot"},
    "user": {"path": "/api/v1/users/ada/"},
    "me": {"path": "/api/v1/me/"},
    "rulesets": {"path": "/api/v1/rulesets/"},
    "ruleset": {"path": "/api/v1/rulesets/tetronogo/"},
    "matches": {"path": "/api/v1/matches/?status=running&limit=1"},
    "match": {"path": "/api/v1/matches/{match}/"},
    "match_log": {"path": "/api/v1/matches/{over}/log/"},
    "match_chat": {"path": "/api/v1/matches/{match}/chat/?room=players"},
    "record": {"path": "/api/v1/matches/{over}/record/"},
    "submit": {
        "path": "/api/v1/matches/{match}/submissions/",
        "body": {"id": "my-first-move", "text": "pick T", "version": 1},
    },
    "ready": {"path": "/api/v1/matches/{match}/ready/"},
    "challenges": {"path": "/api/v1/challenges/?status=open&limit=1"},
    "challenge": {"path": "/api/v1/challenges/{offer}/"},
    "challenge_create": {
        "path": "/api/v1/challenges/",
        "body": {
            "ruleset": "tetronogo",
            "variant": "standard",
            "options": {"turn_time": 30},
            "lasts_s": 3600,
        },
    },
    "challenge_accept": {"path": "/api/v1/challenges/{offer}/accept/"},
    "challenge_decline": {"path": "/api/v1/challenges/{other}/decline/"},
    "hosted_matches": {"path": "/api/v1/hosted/?status=open&limit=1"},
    "hosted_match": {"path": "/api/v1/hosted/{hosted}/"},
    "hosted_match_create": {
        "path": "/api/v1/hosted/",
        "body": {
            "first": "player1",
            "second": "player2",
            "ruleset": "tetronogo",
            "variant": "standard",
            "lasts_s": 3600,
        },
    },
    "hosted_match_accept": {"path": "/api/v1/hosted/{hosted}/accept/"},
    "hosted_match_decline": {"path": "/api/v1/hosted/{also_hosted}/decline/"},
    "hosted_match_cancel": {"path": "/api/v1/hosted/{own_hosted}/cancel/"},
    "seasons": {"path": "/api/v1/seasons/?status=running&limit=1"},
    "season": {"path": "/api/v1/seasons/autumn/?fields=name,format,status,organisers"},
    "season_contestants": {"path": "/api/v1/seasons/autumn/contestants/?limit=2"},
    "season_standings": {"path": "/api/v1/seasons/autumn/standings/"},
    "season_rounds": {"path": "/api/v1/seasons/autumn/rounds/?limit=1"},
    "season_events": {"path": "/api/v1/seasons/autumn/events/?kind=season.started"},
    "season_leaderboard": {"path": "/api/v1/seasons/autumn/leaderboard/"},
    "season_bracket": {"path": "/api/v1/seasons/cup/bracket/"},
    "season_predictions": {"path": "/api/v1/seasons/autumn/predictions/"},
    "death_matches": {"path": "/api/v1/death-matches/?season=autumn&limit=1"},
    "death_match": {"path": "/api/v1/death-matches/{met}/"},
    "items": {"path": "/api/v1/items/"},
    "leaderboards": {"path": "/api/v1/leaderboards/"},
    "leaderboard": {"path": "/api/v1/leaderboards/tetronogo/?games=1&limit=1"},
    "season_create": {
        "path": "/api/v1/seasons/",
        "body": {
            "name": "Winter",
            "format": "swiss",
            "repertoire": [{"ruleset": "tetronogo", "variant": "standard"}],
        },
    },
    "season_step": {"path": "/api/v1/seasons/winter/steps/", "body": {"step": "list"}},
    "season_enrol": {
        "path": "/api/v1/seasons/winter/contestants/",
        "body": {"contestants": [{"username": "player1", "seed": 1}, {"username": "player2"}]},
    },
    "season_items": {"path": "/api/v1/seasons/autumn/items/"},
}


def seasons_run_by(ada: User) -> int:
    """A Swiss season "autumn" and a bracket "cup"; returns a death match of the first."""
    role_grant(acting_user=User.objects.create_superuser("root"), user=ada, role=Role.ORGANISER)
    autumn = running(ada, 4, "swiss")
    item_give(acting_user=ada, season=autumn, receiver=who(autumn, 1), item="copy", note="Enjoy!")
    cup = season_create(
        acting_user=ada, name="Cup", format="single-elimination", settings={"repertoire": [GAME]}
    )
    cup = season_list(acting_user=ada, season=cup)
    for number in (1, 2, 3):
        contestant_enrol(acting_user=ada, season=cup, user=account(autumn, number), seed=number)
    season_start(acting_user=ada, season=cup)
    met = DeathMatch.objects.filter(round__season=autumn).order_by("pk")[0]
    conceded(begun(ada, met), winner=0)
    return met.pk


def hosted_with(ada: User, ben: User) -> dict[str, int]:
    """Two matches to which Ada is invited, and one that she hosts."""
    olga = User.objects.create(username="olga")
    root = User.objects.get(username="root")
    role_grant(acting_user=root, user=olga, role=Role.ORGANISER)
    player = User.objects.create(username="eve")
    game: dict[str, Any] = {"ruleset_id": "tetronogo", "variant": "standard"}
    invited: dict[str, Any] = {"acting_user": olga, "first": ada, "second": ben, **game}
    own: dict[str, Any] = {"acting_user": ada, "first": ben, "second": player, **game}
    made = {"hosted": invited, "also_hosted": invited, "own_hosted": own}
    return {name: hosted_create(**given).pk for name, given in made.items()}


def answered(ada: User, ben: User) -> dict[str, dict[str, Any]]:
    """What the site answers to everything that is asked, ids as they are in the examples."""
    match, over = started((ada, ben)), started((ben, ada))
    over.move(0, "concede", 1)
    offer, other = (
        challenge_create(acting_user=ben, ruleset_id="tetronogo", variant="standard", opponent=ada)
        for _ in range(2)
    )
    ids = {
        "match": match.pk, "over": over.pk, "offer": offer.pk, "other": other.pk,
        "met": seasons_run_by(ada), **hosted_with(ada, ben),
    }  # fmt: skip
    for number in (match.pk, over.pk):
        match_rate(match_id=number)
    _row, text = token_create(
        acting_user=ada, name="x", scopes=["read", "play", "organise"], lasts=timedelta(hours=1)
    )
    client = Client(headers={"Authorization": f"Bearer {text}"})
    named = {op.described["operationId"]: op for op in operations()}
    found = {}
    for name, asked in ASKED.items():
        path = asked["path"].format(**ids)
        body = json.dumps(asked["body"]) if "body" in asked else ""
        with committing():
            answer = client.generic(
                named[name].method.upper(), path, body, content_type="application/json"
            )
        assert answer.status_code in (200, 201), (name, answer.content)
        found[name] = {**asked, "status": answer.status_code, "answer": json.loads(answer.content)}
        found[name]["path"] = path
        if "fields=" not in path:  # they leave out what is required
            is_as_described(named[name], answer)
    return found


def shape(value: Any) -> Any:
    """Keys and types, without what differs from run to run."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return "number" if isinstance(value, int | float) else type(value).__name__


def test_the_examples_are_what_the_site_answers(ada: User, ben: User) -> None:
    found = answered(ada, ben)
    if os.environ.get("GAUNTLET_REWRITE_EXAMPLES"):
        EXAMPLES.write_text(json.dumps(_tidy(found), indent=1, ensure_ascii=False) + "\n")
        examples.cache_clear()
    written = examples()
    assert set(written) == set(found)
    for name, example in found.items():
        assert written[name]["status"] == example["status"], name
        assert written[name].get("body") == example.get("body"), name
        assert shape(written[name]["answer"]) == shape(example["answer"]), (
            f"{name}: run this test with GAUNTLET_REWRITE_EXAMPLES=1"
        )


def _tidy(found: Any) -> Any:
    text = json.dumps(found, ensure_ascii=False).replace(SITE, "https://gauntlet.example")
    # Cursors are signed with a key of the test's own.
    return json.loads(re.sub(r"cursor=[\w:%.-]+", "cursor=eyJvIjoi…", text))


def test_the_page_names_every_operation() -> None:
    answer = Client().get("/api/")
    assert answer.status_code == 200
    page = answer.content.decode()
    for operation in operations():
        assert f'id="{operation.described["operationId"]}"' in page
        assert operation.path in page
    assert 'href="/api/v1/openapi.json"' in page
    assert "<script>" not in page
    assert "style=" not in page
    for name, number in settings.GAUNTLET_API_LIMITS.items():
        assert f"{name} {number}" in page


def test_examples_can_be_tried() -> None:
    shown = {each["id"]: each for _tag, each_tag in groups() for each in each_tag}
    assert shown["matches"]["curl"].endswith('"$SITE/api/v1/matches/?status=running&limit=1"')
    assert "Bearer" not in shown["matches"]["curl"]
    submit = shown["submit"]["curl"]
    assert "-X POST" in submit
    assert "Bearer $TOKEN" in submit
    assert '"text": "pick T"' in submit
    assert [field["name"] for field in shown["submit"]["body"]] == ["id", "text", "version"]
    assert '"type": "ack"' in shown["submit"]["answer"]
