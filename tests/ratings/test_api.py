"""Leaderboards over HTTP: forms, pages, what is refused, what is not sent again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from games.ratings.api import FIELDS
from games.ratings.services import match_rate, ratings_repair
from tests.games.support import committing, user_named
from tests.ratings.support import result_row
from tests.ratings.test_boards import rated

pytestmark = pytest.mark.django_db
OVERALL = "/api/v1/leaderboards/overall/"


@pytest.fixture
def nobody(visitor: Callable[..., Client]) -> Client:
    return visitor()


@pytest.fixture
def two(ada: User, ben: User) -> None:
    """Ada has beaten Ben."""
    match_rate(match_id=result_row((ada, ben)).pk)


def read(client: Client, query: str = "", **more: Any) -> Any:
    response = client.get(OVERALL + query, **more)
    assert response.status_code == 200, response.content
    return response


def test_all_leaderboards(nobody: Client, two: None) -> None:
    found = nobody.get("/api/v1/leaderboards/").json()
    assert (found["next"], found["previous"]) == (None, None)
    rows = {row["ladder"]: row for row in found["results"]}
    assert rows["overall"]["players"] == rows["tetronogo"]["players"] == 2
    assert (rows["domain"]["players"], rows["domain"]["changed_at"]) == (0, None)
    assert rows["overall"]["url"] == "http://testserver/api/v1/leaderboards/overall/"
    assert next(iter(rows)) == "overall"


def test_a_leaderboard(nobody: Client, two: None) -> None:
    found = read(nobody).json()
    assert {name: found[name] for name in ("ladder", "name", "total", "next", "previous")} == {
        "ladder": "overall",
        "name": "All games",
        "total": 2,
        "next": None,
        "previous": None,
    }
    first, second = found["results"]
    assert tuple(first) == FIELDS
    assert first == {
        "rank": 1,
        "shared": False,
        "username": "ada",
        "name": "Ada",
        "bot": False,
        "rating": 853,
        "estimate": 1579,
        "margin": 484,
        "provisional": True,
        "mu": pytest.approx(27.63539, abs=1e-5),
        "sigma": pytest.approx(8.0659, abs=1e-4),
        "games": 1,
        "wins": 1,
        "losses": 0,
        "opponents": 1,
        "peak": 853,
        "last_played": "2026-01-05T12:00:00Z",
        "trend": first["trend"],
        "form": "W",
        "course": [750, 853],
    }
    assert (second["username"], second["rating"], second["form"]) == ("ben", 695, "L")


def test_an_empty_leaderboard(nobody: Client) -> None:
    found = read(nobody).json()
    assert (found["total"], found["results"], found["changed_at"]) == (0, [], None)
    assert read(nobody, "?format=csv").content.decode() == ",".join(FIELDS) + "\r\n"
    assert read(nobody, "?format=ndjson").content == b""


@pytest.mark.parametrize("asked", [("?format=csv", {}), ("", {"HTTP_ACCEPT": "text/csv"})])
def test_csv(nobody: Client, two: None, asked: tuple[str, dict[str, str]]) -> None:
    query, headers = asked
    response = read(nobody, query, **headers)
    assert response["Content-Type"] == "text/csv; charset=utf-8; header=present"
    assert "leaderboard-overall.csv" in response["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [(row["username"], row["rating"], row["shared"]) for row in rows] == [
        ("ada", "853", "false"),
        ("ben", "695", "false"),
    ]
    assert rows[0]["course"] == "750 853"


def test_no_spreadsheet_runs_a_name(nobody: Client, two: None) -> None:
    User.objects.filter(username="ada").update(display_name='=HYPERLINK("x")')
    rows = list(csv.DictReader(io.StringIO(read(nobody, "?format=csv").content.decode())))
    assert rows[0]["name"] == '\'=HYPERLINK("x")'


@pytest.mark.parametrize(
    "asked", [("?format=ndjson", {}), ("", {"HTTP_ACCEPT": "application/x-ndjson"})]
)
def test_ndjson(nobody: Client, two: None, asked: tuple[str, dict[str, str]]) -> None:
    query, headers = asked
    response = read(nobody, query, **headers)
    assert response["Content-Type"] == "application/x-ndjson"
    rows = [json.loads(line) for line in response.content.splitlines()]
    assert rows == read(nobody).json()["results"]


def test_only_some_fields(nobody: Client, two: None) -> None:
    found = read(nobody, "?fields=rating,username").json()
    assert found["results"] == [
        {"username": "ada", "rating": 853},
        {"username": "ben", "rating": 695},
    ]
    csv_text = read(nobody, "?fields=rating,username&format=csv").content.decode()
    assert csv_text == "username,rating\r\nada,853\r\nben,695\r\n"


@pytest.mark.parametrize("form", ["json", "csv", "ndjson"])
def test_pages_follow_each_other(nobody: Client, form: str) -> None:
    for number in range(5):
        rated(f"user{number}", 1000 + number)
    address: str | None = f"?limit=2&fields=username&format={form}"
    seen: list[str] = []
    pages = 0
    while address:
        response = nobody.get(address if address.startswith("http") else OVERALL + address)
        pages += 1
        text = response.content.decode()
        if form == "json":
            seen += [row["username"] for row in response.json()["results"]]
        elif form == "csv":
            seen += text.split()[1:]
        else:
            seen += [json.loads(line)["username"] for line in text.splitlines()]
        relations: dict[str, str] = {}
        for link in filter(None, response.get("Link", "").split(", ")):
            target, _, relation = link.partition("; ")
            relations[relation] = target
        assert ('rel="prev"' in relations) is (pages > 1)
        following = relations.get('rel="next"')
        address = following.strip("<>") if following else None
        if form == "json":
            assert response.json()["next"] == address
    assert seen == [f"user{number}" for number in (4, 3, 2, 1, 0)]
    assert pages == 3


def test_filters(nobody: Client) -> None:
    rated("one", 1000, games=3, wins=1)
    rated("two", 900, sigma=8)
    User.objects.filter(username="two").update(is_bot=True)

    def found(query: str) -> list[str]:
        return [row["username"] for row in read(nobody, query).json()["results"]]

    assert found("?bots=show&provisional=show") == ["one", "two"]
    assert found("?bots=hide") == found("?provisional=hide") == ["one"]
    assert found("?games=4") == ["two"]
    assert found("?days=1") == ["one", "two"]


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ("?games=0", "request.invalid", "games"),
        ("?games=x", "request.invalid", "games"),
        ("?days=-1", "request.invalid", "days"),
        ("?bots=no", "request.invalid", "bots"),
        ("?limit=0", "limit.invalid", ""),
        ("?limit=201", "limit.invalid", ""),
        ("?limit=٣", "limit.invalid", ""),
        ("?cursor=zzz", "cursor.invalid", ""),
        ("?cursor=", "cursor.invalid", ""),
        ("?format=xml", "format.unknown", ""),
        ("?fields=password", "fields.unknown", ""),
        ("?ordering=name", "query.unknown", "ordering"),
        ("?games=1&games=2", "query.repeated", ""),
        ("?games=x&format=csv", "request.invalid", "games"),
    ],
)
def test_what_makes_no_sense_is_refused(nobody: Client, query: str, code: str, field: str) -> None:
    response = nobody.get(OVERALL + query)
    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"
    problem = response.json()
    assert problem["code"] == code
    if field:
        assert field in problem["fields"]


def test_there_is_no_such_leaderboard(nobody: Client) -> None:
    response = nobody.get("/api/v1/leaderboards/chess/")
    assert (response.status_code, response.json()["code"]) == (404, "leaderboard.none")


def test_it_is_only_read(nobody: Client) -> None:
    assert nobody.post(OVERALL).status_code in (401, 403, 405)
    assert nobody.get(OVERALL, HTTP_ACCEPT="image/png").status_code == 406


@pytest.mark.parametrize("query", ["", "?format=csv", "?limit=1&fields=name"])
def test_what_the_caller_has_is_not_sent_again(
    nobody: Client, ada: User, ben: User, query: str, django_assert_num_queries: Any
) -> None:
    with committing():
        match_rate(match_id=result_row((ada, ben)).pk)
    first = read(nobody, query)
    with django_assert_num_queries(0):
        again = nobody.get(OVERALL + query, HTTP_IF_NONE_MATCH=first["ETag"])
        assert (again.status_code, again.content) == (304, b"")
        assert read(nobody, query).content == first.content
    assert read(nobody, "?limit=7")["ETag"] != first["ETag"]
    with committing():
        match_rate(match_id=result_row((ben, ada), minutes=1).pk)
    assert nobody.get(OVERALL + query, HTTP_IF_NONE_MATCH=first["ETag"]).status_code == 200


def test_a_page_takes_a_bounded_number_of_queries(
    nobody: Client, django_assert_num_queries: Any
) -> None:
    users = [user_named(f"user{number}") for number in range(40)]
    for number in range(40):
        result_row((users[number], users[(number + 1) % 40]), minutes=number)
    ratings_repair()
    with django_assert_num_queries(5):
        read(nobody, "?limit=30")
