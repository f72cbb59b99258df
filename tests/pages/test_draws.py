"""The pages about draws: what they are, one that takes a record, and the panel of a replay."""

from __future__ import annotations

import json
import re

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from accounts.models import User
from games.folders import draws_name
from games.models import Match
from games.rulesets import REGISTRY
from tests.games.test_records import drawn_record, put
from tests.pages.support import links, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def imported(orla: User) -> Match:
    """A match whose record holds a seed."""
    return put(orla, drawn_record())


def test_anybody_can_read_how_draws_are_verified(nobody: Client) -> None:
    page = nobody.get("/draws/")
    assert page.status_code == 200
    assert "/draws/check/" in links(page)
    assert "/draws/" in links(nobody.get("/rules/"))
    said = words(page)
    for needed in ("commitment", "nonce", "The server knows the seed", "another commitment",
                   "seeds of a season", "paired for any game"):  # fmt: skip
        assert needed in said


def test_the_page_that_takes_records_knows_every_game(nobody: Client) -> None:
    page = nobody.get("/draws/check/")
    block = re.search(
        r'<script id="draws-of" type="application/json">(.*?)</script>', page.content.decode()
    )
    assert block is not None
    known: dict[str, str] = json.loads(block[1])
    assert set(known) == {ruleset.id for ruleset in REGISTRY}
    for ruleset in REGISTRY:
        assert bool(known[ruleset.id]) == bool(draws_name(ruleset))
        if known[ruleset.id]:
            assert finders.find(draws_name(ruleset)) is not None
    assert "/draws/" in links(page)
    assert "record check --draws" in words(page)


@pytest.mark.parametrize("path", ["/draws/", "/draws/check/"])
def test_the_pages_are_only_read(nobody: Client, path: str) -> None:
    assert nobody.post(path).status_code == 405
    assert nobody.head(path).status_code == 200


def test_a_replay_has_a_panel_for_its_draws(nobody: Client, imported: Match) -> None:
    page = nobody.get(f"/matches/{imported.pk}/replay/")
    panel = re.search(r'<details[^>]*id="draws"[^>]*>', page.content.decode())
    assert panel is not None
    assert f'data-record="/matches/{imported.pk}/record.dmr.json"' in panel[0]
    assert 'data-rules="/static/' in panel[0]
    assert "record check --draws" in words(page)
    assert "/draws/" in links(page)


def test_a_replay_that_keeps_the_result_says_nothing_of_draws(
    nobody: Client, imported: Match
) -> None:
    page = nobody.get(f"/matches/{imported.pk}/replay/?result=hidden")
    assert page.status_code == 200
    assert 'id="draws"' not in page.content.decode()
