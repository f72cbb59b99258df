"""Items of a match that has begun, as the schema describes them."""

from __future__ import annotations

from typing import Any

import jsonschema  # type: ignore[import-untyped]
from django.test import Client

from accounts.models import User
from core.api.index import schema
from tests.games.conftest import orla, root
from tests.games.support import user_named
from tests.seasons_api.conftest import Caller
from tests.tournaments.support import account, begun, nothing_changes, who
from tests.tournaments.test_items import brought, final, given, season
from tournaments.models import DeathMatch, Season

__all__ = ["final", "orla", "root", "season"]


def test_what_was_brought(orla: User, final: DeathMatch) -> None:
    repeat = given(orla, final, to=1)
    brought(final, repeat)
    block = given(orla, final, to=2, item="block")
    brought(final, block, target=repeat)
    begun(orla, final)
    found = Client().get(f"/api/v1/death-matches/{final.pk}/").json()
    jsonschema.validate(found, {**schema(), "$ref": "#/components/schemas/DeathMatch"})
    items = found["legs"][0]["items"]
    assert items["held"] == [[], []]
    assert [(use["gift"], use["seat"], use["target"]) for use in items["brought"]] == [
        (repeat.pk, 0, None),
        (block.pk, 1, repeat.pk),
    ]
    assert [(step["what"], step["gift"], step["by"]) for step in items["steps"]] == [
        ("blocked", repeat.pk, block.pk)
    ]
    assert found["legs"][1]["items"] is None


def test_a_faulty_gift_is_400_also_of_whoever_may_give_later(orla: User, season: Season) -> None:
    still_in = Caller(account(season, 1), "play")
    body: Any
    for body in ({"x": 1}, []):
        answer = still_in.post(f"/seasons/{season.slug}/items/", body)
        assert (answer.status_code, "fields" in answer.json()) == (400, True), answer.content
    stranger = Caller(user_named("stranger"), "play", "organise")
    answer = stranger.post(f"/seasons/{season.slug}/items/", {"x": 1})
    assert (answer.status_code, answer.json()["code"]) == (403, "item.giver")


def test_what_is_wrong_with_the_number_of_a_match_is_told_once(
    orla: User, season: Season, final: DeathMatch
) -> None:
    """A gift for a final of several matches is for one of them: that it is for none is not said of
    a number that is at fault."""
    organiser = Caller(orla, "organise")
    body = {
        "item": "domino-repeat", "ruleset": "domino-wars", "giver": who(season, 3).pk,
        "receiver": who(season, 1).pk, "death_match": final.pk,
    }  # fmt: skip
    numbers: list[tuple[dict[str, Any], str]] = [
        ({}, "item.leg"),
        ({"leg_number": None}, "item.leg"),
        ({"leg_number": 4}, "item.leg"),
        ({"leg_number": "1"}, "field.invalid"),
        ({"leg_number": 0}, "field.min-value"),
    ]
    with nothing_changes():
        for said, code in numbers:
            answer = organiser.post(f"/seasons/{season.slug}/items/", {**body, **said})
            assert answer.status_code == 400, (said, answer.content)
            fields = answer.json()["fields"]
            assert {name: [each["code"] for each in faults] for name, faults in fields.items()} == {
                "leg_number": [code]
            }, said
