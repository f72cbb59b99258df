"""What is read of a row beside it stands beside it: no row has an attribute that its model does not
declare, on any page, and no code asks the type checker to look away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from inspect import get_annotations
from typing import Any

import pytest
from django.db.models import Model
from django.db.models.signals import post_init
from django.urls import reverse

from accounts.models import User
from script.lib.console import ROOT
from tests.accessibility.places import Place, of_row, of_season, places
from tests.permissions.world import Savepoint, World
from tests.support.sources import PACKAGES, sources
from tournaments.models import LedgerEntry, Season

# What Django keeps on rows for itself, by the beginning of its names.
DJANGO = ("_state", "_prefetch")
# What a query counts besides, and its own function hands on beside the row: Django has no other
# place for it.
COUNTED: dict[type[Model], set[str]] = {
    Season: {"entered", "left"}, User: {"best"}, LedgerEntry: {"number"},
}  # fmt: skip
# Made for these alone by `tests.accessibility.places.furnished`.
FURNISHED = {
    "accounts:appeal", "accounts:discord_asked", "games:puzzle", "games:replay", "games:study",
    "oauth2_provider:authorize",
}  # fmt: skip
FURNISHED_SCENES = {"robins", "cup", "voided", "invited", "asked", "queued"}

API = ("season", "season_standings", "season_bracket", "season_rounds", "season_items",
       "season_events", "season_contestants", "season_leaderboard",
       "season_predictions")  # fmt: skip


def asked() -> Iterator[Place]:
    for place in places():
        if place.name not in FURNISHED and place.scene not in FURNISHED_SCENES:
            yield place
    for scene in ("decided", "ladder"):
        for name in API:
            yield Place(f"api:{name}", scene, args=of_season)
        yield Place("tournaments:calendar", scene, args=of_season)
        yield Place("tournaments:feed", scene, args=of_season)
        yield Place("tournaments:share", scene, args=of_season)
    yield Place("api:death_match", "decided", args=lambda scene: of_row(scene)[1:])
    for name in ("seasons", "death_matches", "leaderboards", "matches"):
        yield Place(f"api:{name}", "decided")


@contextmanager
def rows_made() -> Iterator[list[Model]]:
    """Every row that is made meanwhile, of models of ours."""
    rows: list[Model] = []

    def note(instance: Model, **_more: Any) -> None:
        if type(instance).__module__.partition(".")[0] in PACKAGES:
            rows.append(instance)

    post_init.connect(note)
    try:
        yield rows
    finally:
        post_init.disconnect(note)


@cache
def declared(kind: type[Model]) -> frozenset[str]:
    """Names of attributes that rows of a model may have."""
    own = (name for each in kind.__mro__ for name in (*vars(each), *get_annotations(each)))
    return frozenset(own) | COUNTED.get(kind, set())


def undeclared(row: Model) -> set[str]:
    """Names of attributes that a row has and its model does not."""
    return {name for name in vars(row) if not name.startswith(DJANGO)} - declared(type(row))


@pytest.mark.django_db
@pytest.mark.slow
def test_no_page_glues_anything_to_a_row(world: World) -> None:
    found: dict[str, set[str]] = {}
    shown = 0
    for place in asked():
        scene = world.scene(place.scene)
        path = reverse(place.name, args=place.args(scene))
        with Savepoint(), rows_made() as rows:
            world.become(place.who, scene)
            answer = world.clients[place.who].get(path)
            answer.getvalue()
        assert answer.status_code < 500, path
        shown += answer.status_code == 200
        for row in rows:
            if names := undeclared(row):
                found.setdefault(f"{place.name}: {type(row).__name__}", set()).update(names)
    assert found == {}
    assert shown > 100


def test_what_is_glued_to_a_row_would_be_found() -> None:
    season = Season()
    assert undeclared(season) == set()
    vars(season)["left"] = 2
    assert undeclared(season) == set()
    vars(season)["told"] = None
    assert undeclared(season) == {"told"}


IGNORED = re.compile(r"type: ignore\[[\w, -]*\battr-defined\b[\w, -]*\](.*)")


def test_the_type_checker_looks_away_only_where_a_library_has_no_types() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sources()
        for line in path.read_text().splitlines()
        if (ignored := IGNORED.search(line)) and "stubs" not in ignored[1]
    ]
    assert found == []


def test_nothing_is_set_by_a_name_that_stands_there() -> None:
    named = re.compile(r"\bsetattr\([^,]+, [rbf]?[\"']")
    found = [path for path in sources() if named.search(path.read_text())]
    assert found == []
