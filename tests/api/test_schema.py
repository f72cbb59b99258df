"""The schema: up to date, complete, and true of every endpoint."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema

from accounts.models import User
from accounts.tokens.services import token_create
from core.api.declarations import DECLARATIONS, declarations_text
from core.api.index import SNAPSHOT, response_of, schema, schema_text
from tests.api.schema import Operation, operations

SCOPES = ("read", "play", "organise", "bot")
PROBLEM = "application/problem+json"

each = pytest.mark.parametrize("operation", operations(), ids=str)


def holder(user: User, *scopes: str) -> Client:
    """Somebody who calls with a new token."""
    _row, text = token_create(
        acting_user=user, name="test", scopes=scopes, lasts=timedelta(hours=1)
    )
    return Client(headers={"Authorization": f"Bearer {text}"})


def call(client: Client, operation: Operation, address: str = "", body: Any = None) -> Any:
    """Do it, with an empty object where it takes a body."""
    data = json.dumps({} if body is None else body)
    return client.generic(
        operation.method.upper(),
        address or operation.address(),
        data if operation.writes else "",
        content_type="application/json",
    )


def is_problem(answer: Any, status: int, code: str = "") -> None:
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == PROBLEM
    body = json.loads(answer.content)
    assert body["status"] == status
    assert body["sentence"]
    assert not code or body["code"] == code


# -- what is written down ------------------------------------------------------------------------


def test_the_snapshot_is_up_to_date() -> None:
    assert SNAPSHOT.read_text() == schema_text(), "run `manage.py api_schema`"


def test_what_scripts_are_told_of_it_is_up_to_date() -> None:
    assert DECLARATIONS.read_text() == declarations_text(), "run `manage.py api_schema`"


def test_the_schema_is_one() -> None:
    validate_schema(schema())
    assert schema()["openapi"].startswith("3.1")
    assert not GENERATOR_STATS, "views are described badly: run `manage.py api_schema`"


def test_the_site_serves_it(db: None) -> None:
    answer = Client().get("/api/v1/openapi.json")
    assert answer["Content-Type"] == "application/json"
    assert answer.content.decode() == schema_text()


def test_every_operation_says_what_it_is() -> None:
    ids = [operation.described["operationId"] for operation in operations()]
    assert len(ids) == len(set(ids))
    for operation in operations():
        described = operation.described
        assert described.get("summary"), operation
        assert described.get("description"), operation
        assert described.get("tags"), operation
        for parameter in described.get("parameters", []):
            if parameter["in"] == "query":
                assert parameter.get("description"), (str(operation), parameter["name"])
        for status, answer in described["responses"].items():
            if int(status) >= 400:
                content = response_of(answer)["content"]
                assert set(content) == {PROBLEM}, (str(operation), status)
        if operation.writes:
            assert operation.scope, operation
            # None of them takes any: see `ApiView.query_names`.
            places = {parameter["in"] for parameter in described.get("parameters", [])}
            assert "query" not in places, operation


def test_the_index_leads_to_every_entrance(db: None) -> None:
    found = Client().get("/api/v1/").json()
    plain = {op.path for op in operations() if op.method == "get" and "{" not in op.path}
    assert {address.removeprefix("http://testserver") for address in found.values()} >= plain


@pytest.mark.parametrize("page", ["api", "bots"])
def test_what_the_documentation_asks_for_is_there(page: str) -> None:
    text = (SNAPSHOT.parent / f"{page}.md").read_text()
    for method, path in re.findall(r"`(GET|POST|PUT|PATCH|DELETE) (/[^ `?]*)", text):
        parts = f"/api/v1{path.removeprefix('/api/v1')}".split("/")
        assert any(
            op.method == method.lower()
            and len(op.path.split("/")) == len(parts)
            and all(theirs in (ours, "{") for ours, theirs in _side_by_side(parts, op.path))
            for op in operations()
        ), (method, path)


def _side_by_side(parts: list[str], path: str) -> Iterator[tuple[str, str]]:
    """The parts of an address with those of an operation's, `{` for what may be anything."""
    for ours, theirs in zip(parts, path.split("/"), strict=True):
        yield ours, theirs[:1] if theirs.startswith("{") else theirs


# -- the checklist, for every endpoint -----------------------------------------------------------


@each
@pytest.mark.django_db
def test_other_methods(operation: Operation) -> None:
    here = {op.method for op in operations() if op.path == operation.path}
    for method in {"get", "post", "put", "patch", "delete"} - here:
        answer = call(Client(), operation._replace(method=method))
        is_problem(answer, 405, "request.method-not-allowed")
        assert operation.method.upper() in answer["Allow"]
    assert Client().options(operation.address()).status_code == 204


@each
@pytest.mark.django_db
def test_parameters_that_are_not_there(operation: Operation, ada: User) -> None:
    client = holder(ada, *SCOPES)
    is_problem(call(client, operation, operation.address() + "?nonsense=1"), 400, "query.unknown")


@each
def test_writing_takes_an_account(operation: Operation, db: None) -> None:
    if operation.scope is None:
        return
    is_problem(call(Client(), operation), 401, "request.not-authenticated")


@each
def test_a_token_needs_the_scope(operation: Operation, ada: User) -> None:
    implied = {"read": SCOPES, "play": ("play", "bot"), "organise": ("organise",), "bot": ("bot",)}
    if operation.scope is None:
        return
    for scope in SCOPES:
        if scope not in implied[operation.scope]:
            is_problem(call(holder(ada, scope), operation), 403, "scope.missing")


@each
def test_things_that_are_not_there(operation: Operation, ada: User) -> None:
    if "{" not in operation.path:
        return
    client = holder(ada, *SCOPES)
    for number in (0, 987654321, 2**63, 10**30):
        names = [p["name"] for p in operation.described["parameters"] if p["in"] == "path"]
        address = operation.address(**dict.fromkeys(names, number))
        if operation.writes:
            answer = call(client, operation, address)
            assert answer.status_code in (400, 403, 404, 409), answer.content
        else:
            answer = client.get(address)
            assert answer.status_code in (400, 403, 404), answer.content
        assert answer["Content-Type"] == PROBLEM


@each
def test_bodies_that_are_none(operation: Operation, ada: User) -> None:
    if "requestBody" not in operation.described:
        return
    client = holder(ada, *SCOPES)

    def sent(data: bytes, kind: str = "application/json") -> Any:
        return client.generic(operation.method.upper(), operation.address(), data, kind)

    for data in (b"{", b"\xff", b"[" * 9000):
        is_problem(sent(data), 400, "request.parse-error")
    for data in (b"null", b"[]", b"17", b'"x"'):
        answer = sent(data)
        assert 400 <= answer.status_code < 500, (data, answer.content)
        assert answer["Content-Type"] == PROBLEM
    is_problem(sent(b"x" * 2_000_000), 413, "request.too-large")
    is_problem(sent(b"a=b", "application/x-www-form-urlencoded"), 415)


@each
def test_every_answer_tells_the_limit(operation: Operation, db: None) -> None:
    answer = call(Client(), operation)
    for header in ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"):
        assert int(answer[header]) >= 0


# -- sparse fields -------------------------------------------------------------------------------

# What is no object with fields: addresses, this schema itself, a document, and streams.
WHOLE = {"index", "schema", "record", "season_records", "events_stream", "match_stream"}


def test_everything_that_can_be_read_has_sparse_fields() -> None:
    for operation in operations():
        names = [each["name"] for each in operation.described.get("parameters", [])]
        wanted = operation.method == "get" and operation.described["operationId"] not in WHOLE
        assert ("fields" in names) == wanted, operation
