"""Who may ask for what of a season, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.games.support import user_named
from tests.seasons_api.conftest import Caller
from tests.seasons_api.test_automation import made, people
from tests.tournaments.support import nothing_changes
from tournaments.models import DeathMatch, Season

READING = [
    "/seasons/{slug}/", "/seasons/{slug}/contestants/", "/seasons/{slug}/standings/",
    "/seasons/{slug}/rounds/", "/seasons/{slug}/bracket/", "/seasons/{slug}/items/",
    "/seasons/{slug}/events/",
]  # fmt: skip


@pytest.mark.parametrize("path", READING)
def test_a_draft_is_not_there_for_others(path: str, olga: Caller, rival: Caller) -> None:
    slug = olga.post("/seasons/", {"name": "Secret", "format": "swiss"}).json()["slug"]
    path = path.format(slug=slug)
    assert olga.get(path).status_code == 200
    for answer in (rival.get(path), Client().get(f"/api/v1{path}")):
        assert (answer.status_code, answer.json()["code"]) == (404, "season.none")
    assert Client().get("/api/v1/seasons/").json()["results"] == []
    assert [each["slug"] for each in olga.get("/seasons/").json()["results"]] == [slug]


@pytest.mark.parametrize("path", READING)
def test_what_is_listed_is_there_for_everybody(path: str, olga: Caller) -> None:
    slug = made(olga, "swiss")
    answer = Client().get("/api/v1" + path.format(slug=slug))
    assert answer.status_code == 200
    assert "ETag" in answer
    again = Client().get(
        "/api/v1" + path.format(slug=slug), headers={"if-none-match": answer["ETag"]}
    )
    assert again.status_code == 304


def test_names_are_found_in_any_case(olga: Caller) -> None:
    slug = made(olga, "swiss")
    for path, query in (
        ("/seasons/", {"organiser": "OLGA"}),
        ("/seasons/", {"contestant": "Ann"}),
        ("/death-matches/", {"contestant": "Ann", "season": slug}),
    ):
        found = olga.get(path, **query).json()["results"]
        assert len(found) == 1, (path, query)
        assert olga.get(path, **{**query, **dict.fromkeys(query, "eve")}).json()["results"] == []


def writes(slug: str, ids: dict[str, int], number: int) -> list[tuple[str, str, Any]]:
    """One good request for each thing that an organiser may do."""
    why = {"why": "because"}
    ann, bob = ids["ann"], ids["bob"]
    result = {"winner": ann, "how": "ruling", **why}
    return [
        ("patch", f"/seasons/{slug}/", {"summary": "New."}),
        ("post", f"/seasons/{slug}/steps/", {"step": "cancel", **why}),
        ("post", f"/seasons/{slug}/contestants/", {"contestants": [{"username": "eve"}]}),
        ("post", f"/seasons/{slug}/contestants/{ann}/withdraw/", why),
        ("post", f"/seasons/{slug}/contestants/{ann}/return/", why),
        ("post", f"/seasons/{slug}/contestants/{ann}/replace/", {"username": "eve", **why}),
        ("put", f"/seasons/{slug}/seeds/", {"draw": True}),
        ("post", f"/seasons/{slug}/rounds/", {"pairings": [{"home": bob, "away": ann}]}),
        (
            "put",
            f"/seasons/{slug}/rounds/1/schedule/",
            {"times": [{"death_match": number, "scheduled_at": None}]},
        ),
        ("post", f"/seasons/{slug}/items/", {"item": "copy", "receiver": ann}),
        ("patch", f"/death-matches/{number}/", {"scheduled_at": None}),
        ("post", f"/death-matches/{number}/result/", result),
        ("post", f"/death-matches/{number}/legs/1/replay/", why),
    ]


@pytest.mark.parametrize("number", range(13))
def test_only_its_organisers_change_a_season(number: int, olga: Caller, rival: Caller) -> None:
    slug = made(olga, "ladder")
    ids = people(olga, slug)
    olga.post(f"/seasons/{slug}/rounds/", {"pairings": [{"home": ids["cyd"], "away": ids["bob"]}]})
    match = DeathMatch.objects.latest("pk").pk
    user_named("eve")
    player = Caller(user_named("paul"), "play", "read")
    reader = Caller(olga.user, "read")
    method, path, body = writes(slug, ids, match)[number]
    with nothing_changes():
        # Contestants give their items themselves, so others are told that it is not theirs to give.
        own = (403, "item.giver") if path.endswith("items/") else (403, "season.not-organiser")
        for caller, expected in (
            (rival, own),
            (player, (403, "scope.missing")),
            (reader, (403, "scope.missing")),
        ):
            answer = getattr(caller, method)(path, body)
            assert (answer.status_code, answer.json()["code"]) == expected, answer.json()
        nobody = getattr(Client(), method)(f"/api/v1{path}", body, content_type="application/json")
        assert nobody.status_code == 401


def test_only_organisers_open_seasons(db: None) -> None:
    player = Caller(user_named("paul"), "organise")
    answer = player.post("/seasons/", {"name": "Mine", "format": "swiss"})
    assert (answer.status_code, answer.json()["code"]) == (403, "season.not-allowed")
    assert not Season.objects.exists()


def test_being_ready_is_the_players_own(olga: Caller) -> None:
    slug = made(olga, "ladder")
    ids = people(olga, slug)
    olga.post(f"/seasons/{slug}/rounds/", {"pairings": [{"home": ids["bob"], "away": ids["ann"]}]})
    match = DeathMatch.objects.latest("pk")
    path = f"/death-matches/{match.pk}/legs/1/ready/"
    assert match.home is not None
    assert match.home.user is not None
    assert match.away is not None
    assert match.away.user is not None
    bob, ann = Caller(match.home.user, "play"), Caller(match.away.user, "play")
    stranger = Caller(user_named("eve"), "play")
    with nothing_changes():
        answer = stranger.put(path, {"ready": True})
    assert answer.json()["code"] == "ready.not-yours"
    assert bob.put(path, {"ready": True}).json()["legs"][0]["ready"] == [True, False]
    assert bob.put(path, {"ready": False}).json()["legs"][0]["ready"] == [False, False]
    bob.put(path, {"ready": True})
    begun = ann.put(path, {"ready": True}).json()["legs"][0]
    assert begun["status"] == "running"
    assert begun["match"] is not None
