"""A ruleset that the site has never heard of, but for its folder and a line in the registry: it is
found everywhere, and a match of it is played from its creation to its replay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.template import engines
from django.templatetags.static import static
from django.test import Client

from accounts.models import User
from games.models import Match
from games.rulesets import REGISTRY
from tests.games.support import Play, record_holds, started
from tests.pages.support import challenge, links, words
from tests.toy.rules import TOY

Visitor = Callable[..., Client]


def _forget() -> None:
    """What is kept of the rulesets' folders, since they do not change while a site runs."""
    finders.get_finder.cache_clear()  # type: ignore[attr-defined]
    for loader in engines["django"].engine.template_loaders:  # type: ignore[attr-defined]
        loader.reset()


@pytest.fixture(autouse=True)
def line(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[None]:
    """The line in the registry. Static files are named as they are: none were collected for it."""
    monkeypatch.setitem(REGISTRY._by_id, TOY.id, TOY)
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": plain}}
    _forget()
    yield
    _forget()


@pytest.fixture
def toy(ada: User, ben: User) -> Play:
    return started((ada, ben), TOY.id)


def test_its_rules_are_a_page_with_its_figures(nobody: Client) -> None:
    assert "/rules/toy/" in links(nobody.get("/rules/"))
    page = nobody.get("/rules/toy/")
    assert "Take one to three from the heap" in words(page)
    assert b"/rules/toy/figures/heap.svg" in page.content
    assert nobody.get("/rules/toy/figures/heap.svg").status_code == 200


def test_the_api_has_all_of_it(nobody: Client) -> None:
    listed = nobody.get("/api/v1/rulesets/").json()["results"]
    assert TOY.id in [each["id"] for each in listed]
    found = nobody.get("/api/v1/rulesets/toy/").json()
    assert found["notation"][0]["examples"] == ["take 2"]
    assert "| `heap` |" in found["view_text"]
    assert [each["id"] for each in found["items"]] == [item.id for item in TOY.items]
    assert found["built_in"] == {}


def test_its_board_and_its_styles_are_found_and_loaded(
    toy: Play, ada: User, visitor: Visitor
) -> None:
    page = visitor(ada).get(f"/matches/{toy.pk}/").content.decode()
    for file in ("board.js", "board.css"):
        name = f"rulesets/toy/static/{file}"
        assert f'"{static(name)}"' in page
        assert finders.find(name) is not None


def test_a_challenge_leads_to_a_match_of_it(
    ada: User, ben: User, visitor: Visitor, nobody: Client
) -> None:
    assert "toy/standard" in visitor(ada).get("/challenges/new/").content.decode()
    open_one = challenge(ada, ben, ruleset_id=TOY.id)
    answer = visitor(ben).post(f"/challenges/{open_one.pk}/accept/")
    match = Match.objects.get(ruleset=TOY.id)
    assert answer["Location"] == f"/matches/{match.pk}/"
    assert "Toy: Standard" in words(nobody.get("/watch/"))


def test_it_is_played_to_its_end_and_told(
    toy: Play, ada: User, orla: User, visitor: Visitor, nobody: Client, rng: Any
) -> None:
    at = 0
    for seat in (0, 1):
        toy.move(seat, "ready", at := at + 1000)
    for seat in (0, 1):
        toy.move(seat, f"pick {3 + seat}", at := at + 1000)
    toy.move(0, "first", at := at + 1000)
    toy.move(0, "dare", at := at + 1000)
    toy.act(orla, "rule valid", at := at + 1000)
    shown = words(nobody.get(f"/matches/{toy.pk}/"))
    assert "The organiser took the dare." in shown
    toy.to_the_end(rng.random, at)

    match = toy.match
    told = TOY.reason(match.reason)
    assert told.how in words(nobody.get(f"/matches/{match.pk}/"))
    assert f"won {told.how}" in words(nobody.get(f"/matches/{match.pk}/replay/"))
    frame = nobody.get(f"/api/v1/matches/{match.pk}/").json()
    assert frame["view"]["told"]["room"] == told.room
    for picture in ("board.svg", "board.png", "share.png"):
        assert nobody.get(f"/matches/{match.pk}/{picture}").status_code == 200

    assert record_holds(match)["ruleset"] == TOY.id
