"""What a season's lists can be filtered and ordered by."""

from __future__ import annotations

from typing import Any

from django.test import Client

from tests.seasons_api.conftest import Caller
from tests.seasons_api.test_automation import concede, made


def test_filters_and_orderings(olga: Caller) -> None:
    slug = made(olga, "single-elimination")

    def listed(path: str, field: str, **query: str) -> list[Any]:
        answer = Client().get(f"/api/v1/seasons/{path}", query)
        assert answer.status_code == 200, answer.content
        return [each[field] for each in answer.json()["results"]]

    def within(path: str, field: str, **query: str) -> list[Any]:
        return listed(f"{slug}/{path}/", field, **query)

    assert within("contestants", "seed", username="BOB") == [2]
    for pk in within("rounds", "death_matches")[0]:
        concede(pk["id"], 1)
    assert within("rounds", "number", ordering="-number") == [2, 1]
    assert within("rounds", "number", status="open") == [1, 2]
    assert within("rounds", "number", status="closed") == []

    events = list(zip(within("events", "id"), within("events", "at"), strict=True))
    assert within("events", "id", ordering="id") == [pk for pk, _at in reversed(events)]
    moment = events[3][1]
    assert within("events", "id", since=moment) == [pk for pk, at in events if at >= moment]
    assert within("events", "id", until=moment) == [pk for pk, at in events if at < moment]

    other = olga.post("/seasons/", {"name": "Later", "format": "swiss"}).json()["slug"]
    assert olga.post(f"/seasons/{other}/steps/", {"step": "list"}).status_code == 200
    assert listed("", "slug", ordering="created_at") == [slug, other]
    assert listed("", "slug", ordering="-started_at") == [slug, other]  # it has not begun
