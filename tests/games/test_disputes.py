"""A challenge that waits for the organiser: who sees what of it, and what the ruling leads to."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from core.refusals import Refusal
from games.reading.readers import reader_of
from games.services.turns import Ack
from tests.games.support import SECOND, Play, started

SQUARE = [[-50, -50], [50, -50], [50, 50], [-50, 50]]
POOL = {
    "name": "two",
    "version": "1",
    "shapes": [{"id": "01", "outline": SQUARE, "start": True}, {"id": "02", "outline": SQUARE}],
}


def challenged(players: tuple[User, User], placement: str) -> Play:
    """Ada has placed 01 like this, and Ben challenges it 60 s into his turn, at 65 s."""
    options = {"review": "organiser", "pool": POOL}
    play = started(players, "domain", options=options)
    said = [(0, "ready"), (1, "ready"), (0, "first"), (0, "take 01"), (1, "take 02")]
    for seat, text in [*said, (0, placement)]:
        play.move(seat, text, 5 * SECOND)
    play.move(1, "challenge", 65 * SECOND)
    return play


@pytest.fixture
def play(ada: User, ben: User) -> Play:
    return challenged((ada, ben), "01 > red 50,180 0")


def page(client: Client, play: Play, user: User | None) -> tuple[int, dict[str, str]]:
    if user is not None:
        client.force_login(user)
    answer = client.get(reverse("games:dispute", args=[play.pk]))
    json = answer["Content-Type"] == "application/json"
    return answer.status_code, answer.json() if json else {}


def test_no_seat_has_a_decision_and_everybody_is_told_why(play: Play, ada: User, ben: User) -> None:
    for user in (ada, ben, None):
        view = reader_of(play.pk, user).sync["view"]
        assert view["ruling"] is True
        assert view["decisions"] == []
    assert play.match.deadline_at is None


def test_the_organiser_sees_the_verdict_and_the_pixels(
    play: Play, orla: User, client: Client
) -> None:
    status, answer = page(client, play, orla)
    assert status == 200
    assert "01 > red 50,180 0 is not valid" in answer["words"]
    assert "purple frame" in answer["words"]
    picture = ET.fromstring(answer["picture"])  # noqa: S314 - our own
    assert picture.tag.endswith("svg")
    # A hundred pixels of the leftmost column.
    assert answer["picture"].count("h1v1h-1z") == 100


def test_a_valid_placement_is_said_to_be_valid(
    ada: User, ben: User, orla: User, client: Client
) -> None:
    play = challenged((ada, ben), "01 > red 100,180 0")
    _, answer = page(client, play, orla)
    assert answer["words"].endswith("is valid.")
    assert "h1v1h-1z" not in answer["picture"]


@pytest.mark.parametrize("who", ["ada", "ben", "cleo", None])
def test_nobody_else_learns_the_verdict(
    play: Play, client: Client, request: pytest.FixtureRequest, who: str | None
) -> None:
    user = None if who is None else request.getfixturevalue(who)
    status, answer = page(client, play, user)
    assert (status, answer) == (403, {})


def test_there_is_nothing_to_see_without_a_challenge(
    ada: User, ben: User, orla: User, client: Client
) -> None:
    client.force_login(orla)
    play = started((ada, ben), "domain", options={"review": "organiser"})
    assert client.get(reverse("games:dispute", args=[play.pk])).status_code == 409
    assert client.get(reverse("games:dispute", args=[0])).status_code == 404
    assert client.post(reverse("games:dispute", args=[play.pk])).status_code == 405


@pytest.mark.parametrize("ruling", ["valid", "invalid"])
def test_the_ruling_goes_on_with_the_challengers_clock(play: Play, orla: User, ruling: str) -> None:
    hour = 3600 * SECOND
    assert isinstance(play.organise(orla, f"rule {ruling}", hour), Ack)
    view = reader_of(play.pk, None).sync["view"]
    assert "ruling" not in view
    # The placement is on Ada's own domain, so the count does not tell what was ruled; turns do.
    assert view["game"]["scores"] == [172_800, 172_800]
    assert view["game"]["turns"][0]["struck"] is (ruling == "invalid")
    (decision,) = view["decisions"]
    assert (decision["seat"], decision["kind"]) == (1, "place")
    assert play.reading(1, hour + 4 * SECOND) == 64 * SECOND
    assert isinstance(play.organise(orla, "rule valid", hour + SECOND), Refusal)
