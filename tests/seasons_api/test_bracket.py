"""A bracket over HTTP: who meets whom, and where sides come from."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.seasons_api.conftest import Caller
from tests.seasons_api.test_automation import concede, made


def test_a_bracket_as_it_is_played(olga: Caller) -> None:
    slug = made(olga, "single-elimination", count=3)

    def bracket() -> list[list[object]]:
        found = Client().get(f"/api/v1/seasons/{slug}/bracket/").json()
        return [
            [
                found["champion"] and found["champion"]["username"],
                each["key"],
                each["round"],
                each["home_from"],
                each["away_from"],
                *(each[side] and each[side]["username"] for side in ("home", "away", "winner")),
            ]
            for each in found["matches"]
        ]

    def seed(number: int) -> dict[str, str]:
        return {"kind": "seed", "of": str(number)}

    winners = [{"kind": "winner", "of": key} for key in "12"]
    assert bracket() == [
        [None, "1", 1, seed(1), None, "ann", None, "ann"],
        [None, "2", 1, seed(2), seed(3), "bob", "cyd", None],
        [None, "3", 2, *winners, "ann", None, None],
    ]
    for seat in (0, 1):
        found = Client().get(f"/api/v1/seasons/{slug}/bracket/").json()["matches"]
        ready = next(each for each in found if each["away"] and not each["winner"])
        concede(ready["death_match"], seat)
    assert bracket()[1:] == [
        ["ann", "2", 1, seed(2), seed(3), "bob", "cyd", "cyd"],
        ["ann", "3", 2, *winners, "ann", "cyd", "ann"],
    ]


def test_other_formats_have_none(olga: Caller) -> None:
    slug = made(olga, "swiss")
    found = Client().get(f"/api/v1/seasons/{slug}/bracket/").json()
    assert found == {"champion": None, "matches": []}


@pytest.mark.parametrize(
    ("played_as", "table", "within", "fields"),
    [
        ("single-elimination", "bracket", "matches", ["key", "round"]),
        ("round-robin", "standings", "rows", ["rank"]),
    ],
)
def test_a_table_in_a_few_fields(
    played_as: str, table: str, within: str, fields: list[str], olga: Caller
) -> None:
    address = f"/api/v1/seasons/{made(olga, played_as)}/{table}/"
    whole = Client().get(address).json()
    found = Client().get(f"{address}?fields={','.join(fields)}").json()
    assert [list(row) for row in found[within]] == [fields] * len(whole[within])
    assert {**found, within: ()} == {**whole, within: ()}
    refused = Client().get(f"{address}?fields=nonsense")
    assert (refused.status_code, refused.json()["code"]) == (400, "fields.unknown")
