"""A season's own leaderboard, as data and as a page."""

from __future__ import annotations

from django.test import Client

from games.models import Match
from games.ratings.services import match_rate
from tests.games.support import committing, user_named
from tests.seasons_api.conftest import Caller
from tests.seasons_api.test_automation import concede, made
from tournaments.models import DeathMatch


def test_it_counts_the_seasons_matches_alone(olga: Caller) -> None:
    slug = made(olga, "round-robin")
    empty = Client().get(f"/api/v1/seasons/{slug}/leaderboard/")
    assert (empty.status_code, empty.json()["results"]) == (200, [])
    other = made_with(olga, "Other", ["eve", "fay"])
    for each in DeathMatch.objects.filter(round__season__slug__in=[slug, other], round__number=1):
        concede(each.pk, 1)
    with committing():  # as a worker does
        for match in Match.objects.finished():
            match_rate(match_id=match.pk)
    board = Client().get(f"/api/v1/seasons/{slug}/leaderboard/").json()
    names = {row["username"] for row in board["results"]}
    assert names == {"ann", "bob", "cyd", "dan"}
    assert board["name"] == "Spring"
    ratings = [row["rating"] for row in board["results"]]
    assert ratings == sorted(ratings, reverse=True)
    lines = Client().get(f"/api/v1/seasons/{slug}/leaderboard/?format=csv").content.decode()
    assert len(lines.splitlines()) == 5
    page = Client().get(f"/seasons/{slug}/leaderboard/")
    assert page.status_code == 200
    assert page.content.count(b"board__player") == 4
    again = Client().get(f"/seasons/{slug}/leaderboard/", headers={"if-none-match": page["ETag"]})
    assert again.status_code == 304
    # Everybody has played once: few enough to be left out of what is narrowed down.
    for query, left in (("games=1", 4), ("games=2", 0), ("days=30", 4), ("provisional=hide", 0)):
        found = page_of(slug, query)
        assert found.count(b"board__player") == left, query
        assert (b"Nobody fits" in found) == (left == 0), query
    assert b'<option value="30" selected>' in page_of(slug, "days=30")
    assert b"Enter a whole number." in page_of(slug, "games=x")


def page_of(slug: str, query: str) -> bytes:
    """The season's page, narrowed down."""
    return Client().get(f"/seasons/{slug}/leaderboard/?{query}").content


def made_with(olga: Caller, name: str, players: list[str]) -> str:
    """Another season that has begun."""
    slug = str(olga.post("/seasons/", {"name": name, "format": "ladder"}).json()["slug"])
    olga.post(f"/seasons/{slug}/steps/", {"step": "list"})
    for each in players:
        user_named(each)
    entries = [{"username": each, "seed": n} for n, each in enumerate(players, start=1)]
    olga.post(f"/seasons/{slug}/contestants/", {"contestants": entries})
    olga.post(f"/seasons/{slug}/steps/", {"step": "start"})
    ids = {
        row["username"]: row["id"]
        for row in olga.get(f"/seasons/{slug}/contestants/").json()["results"]
    }
    olga.patch(
        f"/seasons/{slug}/", {"repertoire": [{"ruleset": "tetronogo", "variant": "standard"}]}
    )
    answer = olga.post(
        f"/seasons/{slug}/rounds/",
        {"pairings": [{"home": ids[players[1]], "away": ids[players[0]]}]},
    )
    assert answer.status_code == 201, answer.json()
    return slug


def test_a_drafts_is_its_organisers(olga: Caller, rival: Caller) -> None:
    slug = olga.post("/seasons/", {"name": "Secret", "format": "swiss"}).json()["slug"]
    assert olga.get(f"/seasons/{slug}/leaderboard/").status_code == 200
    assert rival.get(f"/seasons/{slug}/leaderboard/").status_code == 404
    assert Client().get(f"/seasons/{slug}/leaderboard/").status_code == 404
