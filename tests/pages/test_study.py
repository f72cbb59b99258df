"""Studies on pages and over the API: who may, and what they are told."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from games.models import ChatMessage, Match, Study
from games.services.practice import bot_move
from games.services.studies import study_work
from tests.games.support import Play, committing, nothing_changes, started, user_named
from tests.pages.test_practice import api, begin

pytestmark = pytest.mark.django_db


@pytest.fixture
def play() -> Play:
    """A match of Ada and Ben."""
    return started((user_named("ada", display_name="Ada"), user_named("ben", display_name="Ben")))


@pytest.fixture
def ended(play: Play) -> Match:
    """It is over."""
    play.move(0, "concede", 1_000)
    return play.match


def signed_in(name: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client


def page_of(match: Match) -> str:
    return f"/matches/{match.pk}/study/"


def of_api(match: Match, more: str = "") -> str:
    return f"matches/{match.pk}/study/{more}"


# -- who may ---------------------------------------------------------------------------------------


def test_anybody_has_a_match_studied_that_they_may_see(client: Client, ended: Match) -> None:
    page = client.get(page_of(ended))
    assert page.status_code == 200
    assert b"Have it studied" in page.content
    assert page["Cache-Control"] == "private, no-store"
    with committing():
        asked = client.post(page_of(ended))
    assert (asked.status_code, asked["Location"]) == (302, f"{page_of(ended)}#graph-title")
    assert Study.objects.filter(match=ended).count() == 1
    assert b"Have it studied" not in client.get(page_of(ended)).content
    assert not User.objects.filter(is_guest=True).exists()


def test_over_http(client: Client, ended: Match, settings: Any) -> None:
    settings.GAUNTLET_STUDY_TRIES = 4
    assert api(client, "get", of_api(ended)).json()["state"] == "none"
    assert api(client, "post", of_api(ended)).status_code in (401, 403)
    ada = signed_in("ada")
    told = api(ada, "post", of_api(ended)).json()
    assert told["state"] == "working"
    assert told["total"] == told["positions_total"] + told["answers_total"] > 0
    while Study.objects.filter(done_at=None).exists():
        study_work(match_id=ended.pk)
    told = api(client, "get", of_api(ended)).json()
    assert told["state"] == "done"
    assert told["positions"][-1]["share"] == 0.0  # Ada conceded
    assert api(ada, "post", of_api(ended)).json() == told


def test_nothing_is_told_of_a_running_match(client: Client, play: Play) -> None:
    """Neither to those who watch nor to those who play, on any surface."""
    for reader in (client, signed_in("ada"), signed_in("ben")):
        page = reader.get(page_of(play.match))
        assert page.status_code == 409
        assert b"studied once it is over" in page.content
        assert f'href="{play.match.get_absolute_url()}"'.encode() in page.content
        with nothing_changes():
            assert reader.post(page_of(play.match)).status_code == 409
        for more in ("", "comments/", "position/?at=1", "position/?at=1&line=0%20pick%20T"):
            answer = api(reader, "get", of_api(play.match, more))
            assert answer.status_code == 409, more
            assert answer.json()["code"] == "match.not-over"
            assert "views" not in answer.json()
    with nothing_changes():
        for more, body in (("", {}), ("comments/", {"id": "a", "step": 0, "text": "Hm."})):
            answer = api(signed_in("ada"), "post", of_api(play.match, more), **body)
            assert (answer.status_code, answer.json()["code"]) == (409, "match.not-over")
    assert (
        b"/study/" not in client.get(play.match.get_absolute_url()).content.split(b"<noscript")[0]
    )


def test_what_is_asked_wrongly_is_said(client: Client, ended: Match) -> None:
    for query, code, status in (
        ("", "study.step", 400),
        ("at=x", "study.step", 400),
        ("at=0&seat=2", "study.seat", 400),
        ("at=99", "study.position", 409),
        ("at=0&line=x", "study.line", 409),
        ("at=0&seat=0&text=nonsense", "notation.unreadable", 409),
        ("at=0&line=" + "x" * 4001, "study.line-too-long", 409),
    ):
        answer = api(client, "get", of_api(ended, f"position/?{query}"))
        assert (answer.status_code, answer.json()["code"]) == (status, code), query
    assert api(client, "get", of_api(ended, "position/?at=0&other=1")).status_code == 400
    assert client.get("/matches/999999/study/").status_code == 404
    assert client.get(f"{page_of(ended)}?at=nonsense").status_code == 200


def test_a_guest_studies_their_own_practice(client: Client) -> None:
    match = begin(client)
    for _ in range(5):
        bot_move(match_id=match.pk)
    version = api(client, "get", f"matches/{match.pk}/").json()["version"]
    given = {"id": "a", "text": "concede", "version": version}
    assert api(client, "post", f"matches/{match.pk}/submissions/", **given).status_code == 201
    page = client.get(page_of(match))
    assert page.status_code == 200
    assert b'data-part="comments"' not in page.content
    assert client.post(page_of(match)).status_code == 302
    assert api(client, "post", of_api(match)).status_code == 200
    said = api(client, "post", of_api(match, "comments/"), id="a", step=1, text="Hm.")
    assert (said.status_code, said.json()["code"]) == (409, "study.practice")
    assert not ChatMessage.objects.exists()
    other = Client()
    assert other.get(page_of(match)).status_code == 404
    for more in ("", "comments/", "position/?at=1"):
        assert api(other, "get", of_api(match, more)).status_code == 404


def test_the_match_and_its_replay_lead_here(client: Client, ended: Match) -> None:
    for path in (ended.get_absolute_url(), f"/matches/{ended.pk}/replay/"):
        assert f'href="{page_of(ended)}' in client.get(path).content.decode(), path
    hidden = client.get(f"/matches/{ended.pk}/replay/?result=hidden&move=0").content.decode()
    assert page_of(ended) not in hidden


# -- what is said ----------------------------------------------------------------------------------


def test_comments(client: Client, ended: Match) -> None:
    assert b"to comment" not in signed_in("ada").get(page_of(ended)).content
    path = of_api(ended, "comments/")
    assert api(client, "post", path, id="a", step=0, text="Hm.").status_code in (401, 403)
    said = api(signed_in("ben"), "post", path, id="a", step=0, text="Hm.")
    assert said.status_code == 201
    assert (said.json()["step"], said.json()["username"]) == (0, "ben")
    assert api(client, "get", path).json() == {"comments": [said.json()]}
    assert api(client, "get", f"{path}?fields=text").json() == {"comments": [{"text": "Hm."}]}
    for body, code in (
        ({"id": "b", "step": 99, "text": "Hm."}, "study.position"),
        ({"id": "b", "step": 0, "text": " "}, ""),
    ):
        answer = api(signed_in("ben"), "post", path, **body)
        assert answer.status_code in (400, 409)
        assert not code or answer.json()["code"] == code
    assert ChatMessage.objects.count() == 1


def test_who_is_silenced_reads_why(ended: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.views.studies.why_silent", lambda _user: "You are muted.")
    page = signed_in("ben").get(page_of(ended)).content.decode()
    assert 'data-silenced="You are muted."' in page


# -- what it costs ---------------------------------------------------------------------------------


def test_a_study_is_read_in_a_few_queries(
    client: Client, ended: Match, django_assert_max_num_queries: Any
) -> None:
    reader = signed_in("ada")
    reader.get(page_of(ended))  # what is kept is kept
    with django_assert_max_num_queries(16):
        reader.get(page_of(ended))
    with django_assert_max_num_queries(8):
        api(client, "get", of_api(ended))
    with django_assert_max_num_queries(8):
        api(client, "get", of_api(ended, "position/?at=0"))
    with django_assert_max_num_queries(8):
        api(client, "get", of_api(ended, "comments/"))
