"""What was ruled on a result is told wherever the match is: on pages, in the API and over sockets,
in words that need no pointer to be read."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from games.models import Match
from games.ratings.services import rating_correct, rating_exclude, rating_include
from games.reading import selectors
from tests.games.support import committing, started
from tests.pages.support import words

pytestmark = pytest.mark.django_db

WHY = "Both seats were one person's."


def over(ada: User, ben: User, **more: Any) -> Match:
    play = started((ada, ben), **more)
    play.move(1, "concede", 1000)
    return play.match


def rule(match: Match, how: str) -> str:
    """Have it count otherwise; returns what is to be read of it."""
    given: dict[str, Any] = {"match_id": match.pk, "acting_user": None, "why": WHY}
    with committing():
        if how == "nobody":
            rating_exclude(**given)
            return f"By a ruling it counts for no rating. The reason: {WHY}"
        rating_correct(**given, winner=1)
    return f"By a ruling it counts for ratings as won by Ben. The reason: {WHY}"


@pytest.mark.parametrize("how", ["nobody", "the other"])
def test_a_ruling_is_read_everywhere(ada: User, ben: User, how: str) -> None:
    match = over(ada, ben)
    client = Client()
    told = client.get("/api/v1/matches/").json()["results"][0]
    assert (told["rated"], told["terms"]) == (True, "")
    address = f"/api/v1/matches/{match.pk}/"
    first = client.get(address)
    tag = {"HTTP_IF_NONE_MATCH": first["ETag"]}
    assert first.json()["header"]["terms"] == ""
    assert client.get(address, **tag).status_code == 304  # type: ignore[arg-type]

    said = rule(match, how)
    told = client.get("/api/v1/matches/").json()["results"][0]
    assert (told["rated"], told["terms"]) == (how == "the other", said)
    again = client.get(address, **tag)  # type: ignore[arg-type]
    assert (again.status_code, again.json()["header"]["terms"]) == (200, said)
    for page in ("/u/ada/matches/", f"/matches/{match.pk}/replay/", f"/matches/{match.pk}/"):
        shown = client.get(page)
        assert said in words(shown).replace(" .", "."), page
        assert not re.search(r'title="[^"]*one person', shown.content.decode()), page

    rating_include(match_id=match.pk, acting_user=None, why="A mistake.")
    assert client.get("/api/v1/matches/").json()["results"][0]["terms"] == ""
    assert client.get(address).json()["header"]["terms"] == ""
    assert WHY not in words(client.get(f"/matches/{match.pk}/replay/"))


@pytest.mark.parametrize("how", ["nobody", "the other", "too short"])
def test_whoever_does_not_want_to_be_told_how_it_ended_reads_nothing_of_it(
    ada: User, ben: User, how: str
) -> None:
    match = over(ada, ben)
    said = "Too short to count for a rating"
    if how == "too short":
        Match.objects.filter(pk=match.pk).update(unrated=f"{said}: it ended before 6 decisions.")
    else:
        said = "By a ruling"
        rule(match, how)
    for page in ("/u/ada/matches/", f"/matches/{match.pk}/replay/"):
        assert said in Client().get(page).content.decode()
        assert said not in Client().get(f"{page}?result=hidden").content.decode(), page


def test_a_list_of_matches_asks_for_rulings_once(
    ada: User, ben: User, django_assert_max_num_queries: Any
) -> None:
    for _time in range(3):
        rule(over(ada, ben), "the other")
    with django_assert_max_num_queries(2):
        assert len([match.rating_ruling for match in selectors.matches_told_of(None)]) == 3
