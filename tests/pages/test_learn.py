"""Learning on pages and over the API: open to all, judged by the rules, and nothing is kept."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from games.engine.capabilities import teaches_of
from games.reading.lessons import Game, cards_of, game_of, games
from games.rulesets import REGISTRY
from tests.games.support import GAMES, nothing_changes

pytestmark = pytest.mark.django_db
each_game = pytest.mark.parametrize("game", GAMES, ids="/".join)


def api(client: Client, game: tuple[str, str], rest: str = "", **query: str) -> Any:
    path = f"/api/v1/rulesets/{game[0]}/variants/{game[1]}/lesson/{rest}"
    return client.get(path, query, headers={"accept": "application/json"})


def test_everything_that_is_played_can_be_learned() -> None:
    assert {(game.ruleset, game.variant) for game in games()} == set(GAMES)


@pytest.mark.parametrize("path", ["/", "/rules/", "/practice/", "/lobby/"])
def test_the_ways_to_it(client: Client, path: str) -> None:
    page = client.get(path)
    assert b'href="/learn/"' in page.content


@each_game
def test_a_visitor_finds_lesson_and_cards(client: Client, game: tuple[str, str]) -> None:
    ruleset, variant = game
    for path in ("/learn/", "/practice/", f"/rules/{ruleset}/"):
        assert f'href="/learn/{ruleset}/{variant}/lesson/"' in client.get(path).content.decode()
    found = game_of(ruleset, variant)
    page = client.get(f"/learn/{ruleset}/{variant}/").content.decode()
    assert found.name.replace("&", "&amp;") in page
    assert f'href="/rules/{ruleset}/"' in page
    assert f'name="game" value="{ruleset}/{variant}"' in page
    for card in cards_of(found):
        assert f"/rules/{ruleset}/figures/{card.figure}.svg" in page
    assert not User.objects.exists()


@each_game
def test_the_page_of_a_lesson_has_all_of_it(client: Client, game: tuple[str, str]) -> None:
    page = client.get("/learn/{}/{}/lesson/".format(*game))
    assert page.status_code == 200
    assert page.context["lesson"] == api(client, game).json()
    assert b"data-board=" in page.content
    assert b"<noscript>" in page.content


@each_game
def test_a_lesson_is_taken_without_an_account(client: Client, game: tuple[str, str]) -> None:
    ruleset = REGISTRY.get(game[0])
    teaches = teaches_of(ruleset)
    assert teaches is not None
    with nothing_changes():
        for number, step in enumerate(teaches.lesson(game[1]), start=1):
            answer = api(client, game, f"{number}/", text=step.solution)
            assert answer.status_code == 200, answer.content
            told = answer.json()
            assert (told["reached"], told["sentence"]) == (True, step.reached)
            if step.miss is not None:
                told = api(client, game, f"{number}/", text=step.miss).json()
                assert not told["reached"]
                assert told["sentence"] not in ("", step.reached)


def test_refusals_change_nothing(client: Client) -> None:
    game = GAMES[0]
    cases = [
        (api(client, game, "1/", text="no such move"), 409, "notation.unreadable"),
        (api(client, game, "1/"), 400, "request.invalid"),
        (api(client, game, "1/", text="x" * 2001), 400, "request.invalid"),
        (api(client, game, "99/", text="x"), 404, "lesson.step"),
        (api(client, (game[0], "no-such")), 404, "lesson.none"),
        (api(client, ("chess", "standard")), 404, "setup.ruleset"),
    ]
    for answer, status, code in cases:
        assert answer.status_code == status
        assert answer.json()["sentence"]
        if code != "notation.unreadable":
            assert answer.json()["code"] == code


@pytest.mark.parametrize("path", ["chess/standard/", f"{GAMES[0][0]}/no-such/"])
@pytest.mark.parametrize("rest", ["", "lesson/"])
def test_what_is_not_there(client: Client, path: str, rest: str) -> None:
    assert client.get(f"/learn/{path}{rest}").status_code == 404


def test_what_games_are_called() -> None:
    for game in games():
        assert isinstance(game, Game)
        assert game.key == f"{game.ruleset}/{game.variant}"
        assert game.summary
