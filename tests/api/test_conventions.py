"""What every endpoint does, shown on endpoints made for it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType, SimpleNamespace
from typing import Any, ClassVar

import pytest
import time_machine
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client, override_settings
from django.urls import include, path
from django.utils import timezone
from django_filters import rest_framework as filters
from redis.exceptions import ConnectionError as RedisConnectionError
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from accounts.models import User
from accounts.tokens.services import token_create
from core.api import limits, problems
from core.api.idempotency import idempotent
from core.api.lists import Filters
from core.api.models import IdempotencyKey
from core.api.scopes import Credential, Scope, ScopeMissing, require_scope, scopes_in
from core.api.views import ApiView, DetailView, FieldsView, ListView, SignedInView
from core.refusals import Forbidden, Refusal
from games.models import SavedMove

pytestmark = pytest.mark.django_db

PROBLEM = "application/problem+json"
CHANGED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class MoveSerializer(serializers.ModelSerializer[SavedMove]):
    class Meta:
        model = SavedMove
        fields = ("id", "ruleset", "name", "text", "saved_at")


class MoveFilters(Filters):
    ruleset = filters.CharFilter()
    since = filters.IsoDateTimeFilter(field_name="saved_at", lookup_expr="gte")
    number = filters.NumberFilter(field_name="id")


class MovesView(ListView):
    queryset = SavedMove.objects.all()
    serializer_class = MoveSerializer
    filterset_class = MoveFilters
    orderings: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType(
        {
            "-saved_at": ("-saved_at", "-id"),
            "ruleset": ("ruleset", "-saved_at", "id"),
            "last_login": ("user__last_login", "id"),
            "-last_login": ("-user__last_login", "-id"),
        }
    )
    scopes = MappingProxyType({"POST": Scope.PLAY})

    @idempotent
    def post(self, request: Request) -> Response:
        """Save a move, or be refused."""
        body: Any = request.data
        name = body["name"]
        if name == "refused":
            raise Refusal("saved.name-missing", "No.", ("a1",))
        if name == "late":
            SavedMove.objects.create(user=signed_in(request), ruleset="r", name=name, text="t")
            return problems.refused(Refusal("saved.full", "No."))
        move = SavedMove.objects.create(user=signed_in(request), ruleset="r", name=name, text="t")
        return Response({"id": move.pk}, status=201, headers={"Location": f"/moves/{move.pk}/"})


class MoveView(DetailView):
    queryset = SavedMove.objects.all()
    serializer_class = MoveSerializer
    none = ("saved.none", "There is no such move.")


class VersionedView(ApiView):
    worked: ClassVar[list[int]] = []
    query = ("at",)
    max_age = 60

    def get(self, request: Request) -> Response:
        """Something with a version."""
        self.fresh("thing", 7, changed_at=CHANGED)
        self.worked.append(1)
        return Response({"at": request.query_params.get("at")})


class UnsharedView(VersionedView):
    shared = False


class TableView(FieldsView):
    serializer_class = MoveSerializer
    within = "rows"

    def get(self, request: Request) -> Response:
        """The same moves twice: as they are stored, and put together by hand."""
        rows = list(SavedMove.objects.order_by("id"))
        by_hand = ({**row.__dict__, "secret": 1} for row in rows)
        return Response(
            {"rows": self.get_serializer(rows, many=True).data, "made": self.only(*by_hand)}
        )


class NumberView(ApiView):
    query = ("number",)

    def get(self, request: Request) -> Response:
        """A number, if it is one."""
        return Response(self.query_value("number", serializers.IntegerField(max_value=9), 7))


class OwnView(SignedInView):
    def get(self, request: Request) -> Response:
        """The caller's own."""
        raise Forbidden("account.not-yours", "Only its owner may.", field="owner")


class Urls:
    urlpatterns: ClassVar = [
        path("api/v1/moves/", MovesView.as_view()),
        path("api/v1/moves/<int:pk>/", MoveView.as_view()),
        path("api/v1/versioned/", VersionedView.as_view()),
        path("api/v1/unshared/", UnsharedView.as_view()),
        path("api/v1/table/", TableView.as_view()),
        path("api/v1/number/", NumberView.as_view()),
        path("api/v1/own/", OwnView.as_view()),
        path("", include("config.urls")),
    ]
    handler404 = "config.errors.not_found"


@pytest.fixture(autouse=True)
def urls() -> Iterator[None]:
    with override_settings(ROOT_URLCONF=Urls):
        yield


@pytest.fixture
def signed(ada: User) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def moves(user: User, count: int, *, start: int = 0) -> list[SavedMove]:
    return [
        SavedMove.objects.create(
            user=user,
            ruleset=f"r{number % 3}",
            name=f"m{number}",
            text="t",
            # Three share each instant: the id has to tell them apart.
            saved_at=CHANGED + timedelta(seconds=number // 3),
        )
        for number in range(start, start + count)
    ]


def walk(client: Client, address: str) -> Iterator[dict[str, Any]]:
    following: str | None = address
    while following:
        answer = client.get(following)
        assert answer.status_code == 200, answer.content
        yield answer.json()
        following = answer.json()["next"]


def is_problem(answer: Any, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == PROBLEM
    body: dict[str, Any] = json.loads(answer.content)
    assert (body["status"], body["code"]) == (status, code)
    assert body["sentence"]
    assert body["title"] == problems.title_of(code)  # the same each time
    assert "RateLimit-Remaining" in answer
    return body


# -- lists ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ordering", ["-saved_at", "ruleset", "last_login", "-last_login"])
@pytest.mark.parametrize("limit", [1, 4, 50])
def test_pages_forwards_and_back(
    ordering: str, limit: int, client: Client, ada: User, ben: User
) -> None:
    User.objects.filter(pk=ada.pk).update(last_login=CHANGED)  # Ben's is empty
    rows = [*moves(ada, 7), *moves(ben, 6, start=7)]
    names = [name.removeprefix("-") for name in MovesView.orderings[ordering]]
    assert names[-1] == "id"
    address = f"/api/v1/moves/?ordering={ordering}&limit={limit}"
    pages = list(walk(client, address))
    forwards = [row["id"] for page in pages for row in page["results"]]
    assert sorted(forwards) == [row.pk for row in rows]
    back: list[int] = []
    page = pages[-1]
    while True:
        back = [row["id"] for row in page["results"]] + back
        if page["previous"] is None:
            break
        page = client.get(page["previous"]).json()
    assert back == forwards
    if ordering == "-saved_at":
        assert forwards == [row.pk for row in sorted(rows, key=lambda r: (r.saved_at, r.pk))][::-1]
    if ordering == "ruleset":
        expected = sorted(rows, key=lambda r: (r.ruleset, -r.saved_at.timestamp(), r.pk))
        assert forwards == [row.pk for row in expected]
    if ordering.endswith("last_login"):  # empty values stand last in both
        assert set(forwards[:7]) == {row.pk for row in rows[:7]}


def test_pages_stand_while_rows_come_and_go(client: Client, ada: User) -> None:
    old = [row.pk for row in reversed(moves(ada, 9))]
    first = client.get("/api/v1/moves/?limit=3").json()
    moves(ada, 5, start=30)  # newer: before the first page
    SavedMove.objects.get(pk=old[2]).delete()  # the row behind which the next page begins
    second = client.get(first["next"]).json()
    assert [row["id"] for row in first["results"] + second["results"]] == old[:6]
    before = client.get(second["previous"]).json()
    assert [row["id"] for row in before["results"]][-2:] == old[:2]


def test_links_stand_in_the_header_too(client: Client, ada: User) -> None:
    moves(ada, 5)
    answer = client.get("/api/v1/moves/?limit=1&ruleset=r0")
    page = answer.json()
    assert answer["Link"] == f'<{page["next"]}>; rel="next"'
    assert page["previous"] is None
    assert "ruleset=r0" in page["next"]
    assert page["next"].startswith("http://testserver/api/v1/moves/?")
    assert "Link" not in client.get("/api/v1/moves/")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("limit=0", "limit.invalid"), ("limit=201", "limit.invalid"), ("limit=x", "limit.invalid"),
        ("limit=-1", "limit.invalid"), ("limit=", "limit.invalid"), ("limit=²", "limit.invalid"),
        ("cursor=", "cursor.invalid"), ("cursor=abc", "cursor.invalid"),
        ("cursor=a:b:c", "cursor.invalid"),
        ("ordering=name", "ordering.unknown"), ("ordering=", "ordering.unknown"),
        ("fields=id,password", "fields.unknown"), ("fields=", "fields.unknown"),
        ("page=2", "query.unknown"), ("format=json", "query.unknown"),
        ("limit=1&limit=2", "query.repeated"),
        ("since=yesterday", "request.invalid"), ("number=x", "request.invalid"),
    ],
)  # fmt: skip
def test_questions_that_make_no_sense(query: str, code: str, client: Client, ada: User) -> None:
    moves(ada, 2)
    is_problem(client.get(f"/api/v1/moves/?{query}"), 400, code)


@pytest.mark.parametrize("query", ["cursor=%00", "ruleset=%00"])
def test_a_character_that_no_text_has_is_refused_before_anything_is_asked(
    query: str, client: Client
) -> None:
    answer = client.get(f"/api/v1/moves/?{query}")
    assert (answer.status_code, json.loads(answer.content)["code"]) == (400, "request.bad")
    assert answer["Content-Type"] == PROBLEM


def test_a_cursor_of_another_ordering(client: Client, ada: User) -> None:
    moves(ada, 3)
    following = client.get("/api/v1/moves/?limit=1").json()["next"]
    is_problem(client.get(f"{following}&ordering=ruleset"), 400, "cursor.invalid")


def test_filters_and_fields(client: Client, ada: User) -> None:
    rows = moves(ada, 6)
    found = client.get("/api/v1/moves/?ruleset=r1&fields=name,id").json()["results"]
    assert found == [{"id": row.pk, "name": row.name} for row in (rows[4], rows[1])]
    since = (CHANGED + timedelta(seconds=1)).isoformat().replace("+00:00", "Z")
    assert len(client.get(f"/api/v1/moves/?since={since}").json()["results"]) == 3
    assert client.get(f"/api/v1/moves/{rows[0].pk}/?fields=name").json() == {"name": "m0"}
    is_problem(client.get("/api/v1/moves/0/"), 404, "saved.none")
    is_problem(client.get("/api/v1/moves/99999999999999999999/"), 404, "saved.none")


def test_fields_of_what_is_within_an_answer(client: Client, ada: User) -> None:
    (row,) = moves(ada, 1)
    whole = client.get("/api/v1/table/").json()
    assert set(whole["rows"][0]) == set(whole["made"][0]) == set(MoveSerializer.Meta.fields)
    cut = client.get("/api/v1/table/?fields=name,id").json()
    assert cut["rows"] == cut["made"] == [{"id": row.pk, "name": row.name}]
    assert list(cut["rows"][0]) == list(cut["made"][0]) == ["id", "name"]
    is_problem(client.get("/api/v1/table/?fields=secret"), 400, "fields.unknown")
    SavedMove.objects.all().delete()
    is_problem(client.get("/api/v1/table/?fields=secret"), 400, "fields.unknown")


# -- versions, caches, other sites ---------------------------------------------------------------


def test_an_unchanged_answer_is_not_sent_again(client: Client, ada: User) -> None:
    moves(ada, 1)
    first = client.get("/api/v1/moves/")
    assert re.fullmatch(r'W/"[0-9a-f]{32}"', first["ETag"])
    again = client.get("/api/v1/moves/", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == first["ETag"]
    assert again["Cache-Control"] == first["Cache-Control"]
    assert again["Access-Control-Allow-Origin"] == "*"
    assert "RateLimit-Limit" in again
    moves(ada, 1, start=5)
    assert client.get("/api/v1/moves/", headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_a_page_with_neighbours_stays_the_same(client: Client, ada: User) -> None:
    moves(ada, 3)
    with time_machine.travel(CHANGED, tick=False) as clock:
        first = client.get("/api/v1/moves/?limit=1")
        second = client.get(first.json()["next"])
        clock.shift(timedelta(hours=1))
        for page in (first, second):
            address = page.wsgi_request.get_full_path()
            again = client.get(address, headers={"If-None-Match": page["ETag"]})
            assert again.status_code == 304


def test_a_declared_version_saves_the_work(client: Client) -> None:
    VersionedView.worked.clear()
    first = client.get("/api/v1/versioned/")
    assert first["Last-Modified"] == "Fri, 02 Jan 2026 03:04:05 GMT"
    for headers in (
        {"If-None-Match": first["ETag"]},
        {"If-Modified-Since": first["Last-Modified"]},
        {"If-None-Match": "*"},
    ):
        again = client.get("/api/v1/versioned/", headers=headers)
        assert (again.status_code, again.content) == (304, b"")
        assert again["Last-Modified"] == first["Last-Modified"]
        assert "RateLimit-Limit" in again
    assert len(VersionedView.worked) == 1
    other = client.get("/api/v1/versioned/?at=2", headers={"If-None-Match": first["ETag"]})
    assert other.status_code == 200
    old = {"If-Modified-Since": "Thu, 01 Jan 2026 00:00:00 GMT"}
    assert client.get("/api/v1/versioned/", headers=old).status_code == 200


def test_who_may_keep_an_answer(client: Client, signed: Client) -> None:
    public = client.get("/api/v1/versioned/")
    assert public["Cache-Control"] == "public, max-age=60, must-revalidate"
    named = set(public["Vary"].split(", "))
    assert named == {"Accept", "Accept-Encoding", "Authorization", "Cookie"}
    own = signed.get("/api/v1/versioned/")
    assert own["Cache-Control"] == "private, no-cache"
    assert own["ETag"] != public["ETag"]
    for answer in (signed.get("/api/v1/own/"), client.get("/api/v1/moves/0/")):
        assert answer["Cache-Control"] == "private, no-store"
    for reader in (client, signed):
        first = reader.get("/api/v1/unshared/")
        again = reader.get("/api/v1/unshared/", headers={"If-None-Match": first["ETag"]})
        assert (first.status_code, again.status_code) == (200, 304)
        assert first["Cache-Control"] == again["Cache-Control"] == "private, no-cache"


def test_other_sites_see_what_everybody_sees(client: Client, signed: Client) -> None:
    origin = {"Origin": "https://boards.example"}
    public = client.get("/api/v1/moves/", headers=origin)
    assert public["Access-Control-Allow-Origin"] == "*"
    assert "Retry-After" in public["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Credentials" not in public
    assert "Access-Control-Allow-Origin" not in signed.get("/api/v1/moves/", headers=origin)
    asked = {**origin, "Access-Control-Request-Method": "GET"}
    before = client.options("/api/v1/moves/", headers=asked)
    assert (before.status_code, before.content) == (204, b"")
    assert before["Access-Control-Allow-Origin"] == "*"
    assert before["Allow"] == before["Access-Control-Allow-Methods"] == "GET, POST, HEAD, OPTIONS"
    assert "Authorization" in before["Access-Control-Allow-Headers"]
    nowhere = client.get("/api/v1/nowhere/", headers=origin)
    assert nowhere["Access-Control-Allow-Origin"] == "*"
    assert json.loads(nowhere.content)["code"] == "request.not-found"


def test_head_is_get_without_a_body(client: Client, ada: User) -> None:
    moves(ada, 1)
    got, head = client.get("/api/v1/moves/"), client.head("/api/v1/moves/")
    assert (head.status_code, head.content, head["ETag"]) == (200, b"", got["ETag"])


def test_head_needs_what_get_needs(ada: User) -> None:
    _row, text = token_create(acting_user=ada, name="x", scopes=["read"], lasts=timedelta(hours=1))
    reader = Client(headers={"Authorization": f"Bearer {text}"})
    for method in (reader.get, reader.head):
        assert method("/api/v1/me/events/").status_code == 403


def test_a_stream_that_is_only_asked_about_is_none(signed: Client) -> None:
    head = signed.head("/api/v1/me/events/")
    assert (head.status_code, head.streaming, head.content) == (200, False, b"")
    assert head["Content-Type"] == "application/x-ndjson"
    assert head["Cache-Control"] == "private, no-store"
    assert not head.has_header("ETag")


# -- refusals ------------------------------------------------------------------------------------


def test_what_is_refused_says_what_it_is_about(signed: Client, client: Client) -> None:
    body = is_problem(signed.get("/api/v1/own/"), 403, "account.not-yours")
    told = {"code": "account.not-yours", "sentence": "Only its owner may."}
    assert body["fields"] == {"owner": [told]}
    answer = signed.post("/api/v1/moves/", {"name": "refused"}, content_type="application/json")
    assert is_problem(answer, 409, "saved.name-missing")["squares"] == ["a1"]
    unknown = is_problem(client.get("/api/v1/own/"), 401, "request.not-authenticated")
    assert "squares" not in unknown
    assert client.get("/api/v1/own/")["WWW-Authenticate"].startswith("Bearer")


def test_a_token_without_the_scope_is_told_so_in_the_header(ada: User) -> None:
    _row, text = token_create(acting_user=ada, name="x", scopes=["read"], lasts=timedelta(hours=1))
    reader = Client(headers={"Authorization": f"Bearer {text}"})
    for answer, scope in (
        (reader.post("/api/v1/moves/", {"name": "a"}, content_type="application/json"), "play"),
        (reader.get("/api/v1/me/events/"), "bot"),
        (reader.post("/api/v1/seasons/", {}, content_type="application/json"), "organise"),
    ):
        body = is_problem(answer, 403, "scope.missing")
        assert body["scope"] == scope
        assert "squares" not in body
        assert answer["WWW-Authenticate"] == (
            f'Bearer realm="api", error="insufficient_scope", scope="{scope}"'
        )


def test_the_sentence_says_what_is_wrong(client: Client, signed: Client) -> None:
    assert client.get("/api/v1/number/").json() == 7
    body = is_problem(client.get("/api/v1/number/?number=10"), 400, "request.invalid")
    assert body["sentence"] == "Some fields are missing or wrong: number."
    assert body["fields"] == {
        "number": [
            {
                "code": "field.max-value",
                "sentence": "Ensure this value is less than or equal to 9.",
            }
        ]
    }
    unknown = is_problem(client.get("/api/v1/own/"), 401, "request.not-authenticated")
    assert unknown["sentence"] == "This takes an account: please sign in, or send a token."
    answer = signed.post("/api/v1/challenges/", "[]", content_type="application/json")
    assert "must be an object" in is_problem(answer, 400, "request.invalid")["sentence"]


@pytest.mark.parametrize("debug", [False, True])
def test_what_is_sent_without_the_slash_is_not_read_instead(
    client: Client, settings: Any, debug: bool
) -> None:
    settings.DEBUG = debug
    answer = client.post("/api/v1/moves", {"name": "x"}, content_type="application/json")
    assert (answer.status_code, answer["Location"]) == (308, "/api/v1/moves/")


def test_the_way_to_the_slash_is_open_to_other_sites(client: Client) -> None:
    """A browser follows a redirect only where it carries the leave, and none of a question for
    leave."""
    origin = {"Origin": "https://boards.example"}
    for method in ("get", "head", "post", "put", "patch", "delete"):
        answer = getattr(client, method)("/api/v1/moves?limit=1", headers=origin)
        assert answer.status_code == 308, method
        assert answer["Access-Control-Allow-Origin"] == "*", method
    asked = {**origin, "Access-Control-Request-Method": "POST"}
    with_slash = client.options("/api/v1/moves/", headers=asked)
    before = client.options("/api/v1/moves", headers=asked)
    assert (before.status_code, before.content) == (204, b"")
    for name in ("Access-Control-Allow-Origin", "Access-Control-Allow-Headers"):
        assert before[name] == with_slash[name]
    assert "POST" in before["Access-Control-Allow-Methods"]
    # Pages are nobody's but ours.
    page = client.get("/lobby", headers=origin)
    assert page.status_code == 308
    assert "Access-Control-Allow-Origin" not in page


def test_a_method_that_is_not_there_is_said_before_anything_else(client: Client) -> None:
    for method in ("post", "put", "patch", "delete"):
        answer = getattr(client, method)("/api/v1/own/?x=1")
        is_problem(answer, 405, "request.method-not-allowed")
        assert answer["Allow"] == "GET, HEAD, OPTIONS"


def test_writing_takes_no_query(signed: Client) -> None:
    answer = signed.post("/api/v1/moves/?limit=1", {"name": "a"}, content_type="application/json")
    is_problem(answer, 400, "query.unknown")


# -- limits --------------------------------------------------------------------------------------


def test_limits_are_told_and_hold(
    client: Client, signed: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.clear()
    settings.GAUNTLET_API_LIMITS = {"anonymous": 3, "read": 5, "play": 2, "organise": 2, "bot": 2}
    monkeypatch.setattr(limits, "now_ms", lambda: 1_000_000_015_500)
    left = [client.get("/api/v1/versioned/")["RateLimit-Remaining"] for _ in range(3)]
    assert left == ["2", "1", "0"]
    answer = client.get("/api/v1/moves/0/")  # the limit is one for all addresses of the API
    body = is_problem(answer, 429, "request.throttled")
    wait = 60 - 1_000_000_015 % 60
    assert body["retry_after"] == wait
    assert str(wait) in body["sentence"]
    assert answer["Retry-After"] == answer["RateLimit-Reset"] == str(wait)
    assert (answer["RateLimit-Limit"], answer["RateLimit-Remaining"]) == ("3", "0")
    # Other limits are untouched: by account, and by what is done.
    reading = signed.get("/api/v1/versioned/")
    assert (reading["RateLimit-Limit"], reading["RateLimit-Remaining"]) == ("5", "4")
    wrong = signed.post("/api/v1/moves/", b"{", content_type="application/json")
    assert (wrong.status_code, wrong["RateLimit-Remaining"]) == (400, "1")
    monkeypatch.setattr(limits, "now_ms", lambda: 1_000_000_015_500 + 1000 * wait)
    assert client.get("/api/v1/versioned/").status_code == 200
    cache.clear()


def test_a_cache_that_is_away_limits_nobody(
    client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_key: str) -> int:
        raise RedisConnectionError

    settings.GAUNTLET_API_LIMITS = {**settings.GAUNTLET_API_LIMITS, "anonymous": 1}
    monkeypatch.setattr("core.api.limits.cache", SimpleNamespace(incr=away))
    for _ in range(2):
        answer = client.get("/api/v1/versioned/")
        assert (answer.status_code, answer["RateLimit-Remaining"]) == (200, "0")


@pytest.mark.usefixtures("within_a_minute")
def test_a_bad_token_counts_by_address(client: Client, settings: Any) -> None:
    settings.GAUNTLET_API_LIMITS = {**settings.GAUNTLET_API_LIMITS, "anonymous": 2}
    bad = {"Authorization": "Bearer nonsense"}
    for left in ("1", "0"):
        answer = client.get("/api/v1/versioned/", headers=bad)
        assert answer.status_code == 401
        assert answer["RateLimit-Remaining"] == left
        assert answer["WWW-Authenticate"].startswith("Bearer")
    refused = client.get("/api/v1/versioned/", headers=bad)
    is_problem(refused, 429, "request.throttled")
    assert refused["RateLimit-Remaining"] == "0"


# -- scopes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "bot", "needed", "missing"),
    [
        ("", False, "read", "read"), ("read", False, "read", None), ("read", False, "play", "play"),
        ("play", False, "read", None), ("play", False, "organise", "organise"),
        ("organise", False, "read", None), ("organise", False, "play", "play"),
        ("bot", False, "play", None), ("bot", False, "organise", "organise"),
        ("play", False, "bot", "bot"), ("play organise", True, "play", "bot"),
        ("play bot", True, "play", None), ("play", True, "read", None),
        ("nonsense", False, "read", "read"),
    ],
)  # fmt: skip
def test_what_scopes_allow(held: str, bot: bool, needed: str, missing: str | None) -> None:
    credential = Credential(scopes_in(held.split()), bot=bot)
    assert credential.missing(Scope(needed)) == missing
    if missing is None:
        require_scope(credential, Scope(needed))
    else:
        with pytest.raises(ScopeMissing) as caught:
            require_scope(credential, Scope(needed))
        assert caught.value.more == {"scope": missing}
    require_scope(None, Scope(needed))  # a session


# -- idempotency keys ----------------------------------------------------------------------------


def post(client: Client, name: str, key: str | None = "k-1") -> Any:
    headers = {} if key is None else {"Idempotency-Key": key}
    body = json.dumps({"name": name})
    return client.post("/api/v1/moves/", body, content_type="application/json", headers=headers)


def test_a_request_that_is_sent_again_counts_once(signed: Client, ada: User) -> None:
    first, again = post(signed, "a"), post(signed, "a")
    assert (first.status_code, again.status_code) == (201, 201)
    assert json.loads(first.content) == json.loads(again.content)
    assert first["Location"] == again["Location"]
    assert again["Content-Type"] == "application/json"
    assert "Idempotency-Replayed" not in first
    assert again["Idempotency-Replayed"] == "true"
    assert SavedMove.objects.count() == 1
    is_problem(post(signed, "b"), 409, "idempotency.reused")
    assert post(signed, "b", "k-2").status_code == 201
    assert post(signed, "c", None).status_code == 201
    assert SavedMove.objects.count() == 3


def test_keys_are_each_users_own(signed: Client, ben: User) -> None:
    other = Client()
    other.force_login(ben)
    assert post(signed, "a").status_code == post(other, "b").status_code == 201
    is_problem(post(Client(), "a"), 401, "request.not-authenticated")


@pytest.mark.parametrize("name", ["refused", "late"])
def test_what_was_refused_leaves_the_key_free(name: str, signed: Client) -> None:
    assert post(signed, name).status_code == 409
    assert not IdempotencyKey.objects.exists()
    assert post(signed, "good").status_code == 201


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 256, "é"])
def test_keys_that_are_none(key: str, signed: Client) -> None:
    is_problem(post(signed, "a", key), 400, "idempotency.malformed")


def test_a_key_is_forgotten_after_a_day(signed: Client, ada: User) -> None:
    post(signed, "a")
    IdempotencyKey.objects.update(at=timezone.now() - timedelta(hours=24, seconds=1))
    assert post(signed, "b").status_code == 201
    assert IdempotencyKey.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_at_once_count_once(ada: User) -> None:
    """The second waits for the first to commit, and gets its answer."""
    client = Client()
    client.force_login(ada)
    answers: list[Any] = []

    def send() -> None:
        answers.append(post(client, "a"))
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [201] * 4
    assert len({answer.content for answer in answers}) == 1
    assert SavedMove.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_first_request_that_takes_too_long(ada: User) -> None:
    client = Client()
    client.force_login(ada)
    answers: list[Any] = []

    def send() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = 200")
        answers.append(post(client, "a"))
        connection.close()

    with transaction.atomic():
        IdempotencyKey.objects.create(user=ada, key="k-1", request_hash="0" * 64)
        thread = threading.Thread(target=send)
        thread.start()
        thread.join()
    is_problem(answers[0], 409, "idempotency.busy")
    assert not SavedMove.objects.exists()
