"""Every endpoint, asked for things that are there: answers are as the schema says.

The things are made once, in a transaction that is never committed, and looked at by all tests here.
A whole run thinks of twice as much to ask each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from typing import Any
from urllib.parse import urlencode

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.test import Client
from django.urls import resolve
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings, strategies
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from accounts.blocking.services import block_create
from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant
from accounts.tokens.services import token_create
from core.api.index import schema
from core.clock import now_ms
from games.engine.teaching import step_of
from games.models import ChatMessage, Match, Seek
from games.puzzles.models import Puzzle
from games.puzzles.services import puzzles_load
from games.ratings.services import match_rate
from games.rulesets import REGISTRY
from games.services.challenges import challenge_create
from games.services.chat import chat_post
from games.services.hosting import hosted_create
from games.services.saved import saved_move_save
from games.services.studies import study_comment_post
from tests.api.schema import Operation, is_as_described, operations
from tests.api.test_schema import SCOPES, WHOLE, holder, is_problem
from tests.games.support import committing, started, user_named
from tests.support import depth
from tests.tournaments.support import GAME, begun, conceded, organiser_named
from tournaments.formats.elimination.choice import dmo_choose
from tournaments.formats.elimination.main_match import Placing, placements_record
from tournaments.models import DeathMatch, Episode, Season, SeasonFollow
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.items.gifts import item_give
from tournaments.services.results.settlement import leg_settle
from tournaments.services.seasons import season_create, season_list
from tournaments.services.starts import season_start
from tournaments.webhooks.services import webhook_create, webhook_test

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def people(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, User]]:
    """Three of them."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield {name: user_named(name, display_name=name.title()) for name in ("ada", "ben", "cleo")}
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def ada(people: dict[str, User]) -> User:
    return people["ada"]


@pytest.fixture(scope="module")
def things(people: dict[str, User], django_db_blocker: Any) -> dict[str, Any]:
    """Things to find by the parameters of addresses: two matches, and two seasons that Ada runs,
    one of which is on."""
    with django_db_blocker.unblock():
        return _made(*people.values())


def _made(ada: User, ben: User, cleo: User) -> dict[str, Any]:
    play = started((ada, ben))
    over = started((ada, cleo))
    over.move(0, "concede", 1)
    role_grant(acting_user=User.objects.create_superuser("root"), user=ada, role=Role.ORGANISER)
    played, draft = (
        season_create(
            acting_user=ada, name=name, format="elimination", settings={"repertoire": [GAME]}
        )
        for name in ("Played", "Draft")
    )
    played = season_list(acting_user=ada, season=played)
    entered = [
        contestant_enrol(acting_user=ada, season=played, user=user) for user in (ada, ben, cleo)
    ]
    played = season_start(acting_user=ada, season=played)
    first = Episode.objects.get(round__season=played)
    placements = [Placing(each, place, False) for place, each in enumerate(entered, start=1)]
    first = placements_record(acting_user=ada, episode=first, placements=placements)
    met = dmo_choose(acting_user=ada, episode=first, contestant=entered[1])
    gift = item_give(acting_user=ada, season=played, item="copy", receiver=entered[1])
    webhook = webhook_create(
        acting_user=ada, season=played, name="w", url="http://127.0.0.1:9/", flavour="json",
        kinds=["ruling"],
    ).webhook  # fmt: skip
    delivery = webhook_test(acting_user=ada, webhook=webhook)
    game: dict[str, Any] = {"ruleset_id": "tetronogo", "variant": "standard"}
    hosted = hosted_create(acting_user=ada, first=ben, second=cleo, **game)
    link = challenge_create(acting_user=ben, by_link=True, **game)
    puzzles_load()
    puzzle = Puzzle.objects.filter(ruleset="domino-wars").earliest("pk")
    return {
        "match_id": [play.pk, over.pk],
        "puzzle_id": [puzzle.pk],
        "username": ["ada", "nobody"],
        "ruleset_id": ["domain", "chess"],
        "variant_id": ["standard", "chess"],
        "ruleset": ["tetronogo"],
        "ladder": ["overall", "domain"],
        "slug": [played.slug, draft.slug],
        "number": [1, 2],
        "death_match_id": [met.pk],
        "contestant_id": [each.pk for each in entered],
        "gift_id": [gift.pk],
        "webhook_id": [webhook.pk],
        "delivery_id": [delivery.pk],
        "hosted_id": [hosted.pk],
        "token": [link.token],
    }


@pytest.fixture
def world(things: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The test's own copy: rows are as they were after each test anyway. Connections that requests
    leave open stay open; Django's own client puts that right for itself only."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield {name: list(values) for name, values in things.items()}
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


# -- addresses -----------------------------------------------------------------------------------


def test_links_lead_somewhere(world: dict[str, Any], ada: User) -> None:
    """What has a page has its address, and that of itself in the API; and they are there."""
    client = holder(ada, *SCOPES)
    challenge_create(acting_user=ada, ruleset_id="tetronogo", variant="standard")
    season, met = world["slug"][0], world["death_match_id"][0]
    asked = ("matches", "challenges", "users", "rulesets", "leaderboards")
    shown = {path: client.get(f"/api/v1/{path}/").json()["results"][0] for path in asked}
    for path in (f"seasons/{season}", f"death-matches/{met}"):
        shown[path] = client.get(f"/api/v1/{path}/").json()
    for path, thing in shown.items():
        links = thing.get("links", thing)
        here, page = links.get("view") or links["url"], links.get("page") or links["rules"]
        assert here.startswith(f"http://testserver/api/v1/{path}"), path
        assert not page.startswith("http://testserver/api/"), path
        for name, address in links.items():
            found = str(address).removeprefix("http://testserver")
            if name == "records":
                assert resolve(found).view_name == "api:season_records"  # a stream
            elif found.startswith("/"):
                assert Client().get(found).status_code == 200, (path, name)


# -- Schemathesis ----

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)


@pytest.fixture(scope="module")
def callers(ada: User, django_db_blocker: Any) -> list[dict[str, str]]:
    """The headers of nobody, and of Ada with each scope and with all."""
    found: list[dict[str, str]] = [{}]
    with django_db_blocker.unblock():
        for scopes in (*((scope,) for scope in SCOPES), SCOPES):
            _row, text = token_create(
                acting_user=ada, name="test", scopes=scopes, lasts=timedelta(hours=1)
            )
            found.append({"Authorization": f"Bearer {text}"})
    return found


@cache
def api() -> Any:
    """The schema with the whole site behind it, in this process."""
    loaded = schemathesis.openapi.from_dict(schema())
    loaded.app = get_wsgi_application()
    return loaded


# What members of a body name, by the parameters of addresses.
NAMES = {
    **dict.fromkeys(
        ("contestant", "home", "away", "receiver", "giver", "winner", "ec"), "contestant_id"
    ),
    "death_match": "death_match_id",
    "username": "username",
    **dict.fromkeys(("opponent", "first", "second"), "username"),
}


def naming(body: Any, world: dict[str, Any]) -> Any:
    """A body in which every other name or number is one that there is: those that were thought of
    never are."""
    if isinstance(body, list):
        return [naming(each, world) for each in body]
    if not isinstance(body, dict):
        return body
    named = {key: naming(value, world) for key, value in body.items()}
    for key in NAMES.keys() & body.keys():
        known, given = world[NAMES[key]], body[key]
        if isinstance(given, int | str) and len(str(given)) % 2:
            named[key] = known[len(str(given)) // 2 % len(known)]
    return named


def an_answer() -> str:
    """What asks for a step of a lesson to be judged, of the games that `worlds` names."""
    step = step_of(REGISTRY.get("domain"), "standard", 1)
    return urlencode({"text": step.solution})


# What has rows only where there are results, by the slug of a season that has some.
TABLES = {
    "leaderboard": "points",
    "leaderboards": "points",
    "season_bracket": "cup",
    "season_leaderboard": "points",
    "season_standings": "points",
}


def has_rows(operation: Operation) -> bool:
    return operation.described["operationId"] in TABLES


ASKED = [operation for operation in operations() if not operation.streams]


@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume")
@pytest.mark.parametrize("operation", [op for op in ASKED if not has_rows(op)], ids=str)
def test_whatever_may_be_thought_of(
    operation: Operation, world: dict[str, Any], callers: list[dict[str, str]]
) -> None:
    """No answer is a fault of ours, and none is undocumented, whoever asks. Streams have tests of
    their own: they never end."""
    look_into(operation, world, callers)


def look_into(operation: Operation, world: dict[str, Any], callers: list[dict[str, str]]) -> None:
    described = api()[operation.path][operation.method.upper()]
    names = re.findall(r"{(\w+)}", operation.path)
    known = {name: world[name] for name in names if name in world}
    cases = [described.as_strategy(mode) for mode in GenerationMode]
    for number in range(2 if known else 0):
        found = {name: values[number % len(values)] for name, values in known.items()}
        cases += [described.as_strategy(mode, path_parameters=found) for mode in GenerationMode]

    @given(case=strategies.one_of(cases), headers=strategies.sampled_from(callers))
    @settings(
        max_examples=12 if depth.whole else 6,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def check(case: Any, headers: dict[str, str]) -> None:
        case.body = naming(case.body, world)
        # Within the process, the library says that it takes what it does not unpack.
        response = case.call(headers={**headers, "Accept-Encoding": "identity"})
        case.validate_response(response, checks=CHECKS)

    check()


# -- with results --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tables(things: dict[str, Any], people: dict[str, User], django_db_blocker: Any) -> None:
    """A Swiss season and a bracket that are on, each with a bye and a result that is rated. They
    make every test slower that comes after, so these come last."""
    with django_db_blocker.unblock():
        _tables_made(people)


def _tables_made(people: dict[str, User]) -> None:
    olga = organiser_named("olga")
    for name, kind in (("Points", "swiss"), ("Cup", "single-elimination")):
        season = season_create(
            acting_user=olga, name=name, format=kind, settings={"repertoire": [GAME]}
        )
        season = season_list(acting_user=olga, season=season)
        for user in people.values():
            contestant_enrol(acting_user=olga, season=season, user=user)
        season = season_start(acting_user=olga, season=season)
        met = DeathMatch.objects.get(round__season=season, home__isnull=False, away__isnull=False)
        at = timezone.now()
        leg = begun(olga, met, at=at)
        conceded(leg, winner=0, at=at)
        # Jobs are done at once only within a test.
        assert leg.match is not None
        leg_settle(match_id=leg.match.pk)
    with committing():  # others have seen the ladders without anybody on them
        for match in Match.objects.finished():
            match_rate(match_id=match.pk)


@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume")
@pytest.mark.parametrize("operation", [op for op in ASKED if has_rows(op)], ids=str)
def test_whatever_may_be_thought_of_where_there_are_results(
    operation: Operation, tables: None, world: dict[str, Any], callers: list[dict[str, str]]
) -> None:
    world["slug"][0] = TABLES[operation.described["operationId"]]
    look_into(operation, world, callers)


# -- sparse fields ------------------------------------------------------------------------------


def objects_in(answer: Any, address: str) -> list[dict[str, Any]]:
    """What `fields` cuts down in an answer."""
    view: Any = resolve(address).func
    within = getattr(view.view_class, "within", "") or "results"
    found = answer.get(within, answer) if isinstance(answer, dict) else answer
    return found if isinstance(found, list) else [found]


def test_sparse_fields(tables: None, world: dict[str, Any], ada: User) -> None:
    """Everything that can be read, as it is described; one field of it, and none that is not
    there."""
    client, refused = holder(ada, *SCOPES), set()
    match = Match.objects.get(pk=world["match_id"][1])
    chat_post(acting_user=ada, match=match, room="players", client_id="hi", text="Hi.", at=0)
    ChatMessage.objects.create(
        match=match, room="commentary", author=user_named("voice"), client_id="a", text="Hm!", at=0
    )
    said = {"step": 0, "client_id": "s", "text": "Oh.", "at": 0}
    study_comment_post(acting_user=ada, match=match, **said)  # type: ignore[arg-type]
    match_rate(match_id=match.pk)
    offer = challenge_create(acting_user=ada, ruleset_id="tetronogo", variant="standard")
    there = {**world, "match_id": [match.pk], "id": [offer.pk]}
    saved_move_save(acting_user=ada, ruleset="tetronogo", name="first", text="pick T")
    block_create(acting_user=ada, user=user_named("dora"))
    SeasonFollow.objects.create(user=ada, season=Season.objects.get(slug=world["slug"][0]))
    # Who is in a match does not begin to wait; who waits may be in one by the time they ask.
    now = now_ms()
    Seek.objects.create(user=ada, pace="normal", rating=1500, since=now, until=now + 60_000)
    for operation in operations():
        name = operation.described["operationId"]
        if operation.method != "get" or name in WHOLE:
            continue
        known = re.findall(r"{(\w+)}", operation.path)
        values = {each: there[each][0] for each in known}
        if "slug" in values:
            values["slug"] = TABLES.get(name, values["slug"])
        address = operation.address(**values)
        query = {"season_preflight": "step=finish", "lesson_answer": an_answer()}.get(name, "")
        whole = client.get(f"{address}?{query}")
        if whole.status_code != 200:
            refused.add(name)
            continue
        is_as_described(operation, whole)
        is_problem(client.get(f"{address}?{query}&fields=no-such"), 400, "fields.unknown")
        shown = objects_in(whole.json(), address)
        assert shown, name
        field = min(set(shown[0]) - {"at"})
        answer = client.get(f"{address}?{query}&fields={field}")
        assert objects_in(answer.json(), address) == [{field: each[field]} for each in shown], name
    # For bots, in practice, and of a position that has to be named.
    assert refused == {"match_hints", "advice", "study_position"}
