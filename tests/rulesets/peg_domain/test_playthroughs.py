"""Whole matches, pinned as records."""

from __future__ import annotations

import json

import pytest

from games.engine import records
from games.engine.registry import Registry
from tests.rulesets.peg_domain.helpers import RULES
from tests.rulesets.peg_domain.playthroughs import FOLDER, documents

REGISTRY = Registry(RULES)
NAMES = sorted(documents())


def test_the_files_are_these_and_no_others() -> None:
    assert sorted(path.name for path in FOLDER.glob("peg-domain.*.dmr.json")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_what_the_program_plays(name: str) -> None:
    assert (FOLDER / name).read_text() == documents()[name]


def test_the_playthrough_of_the_final_uses_every_item() -> None:
    moves = json.loads((FOLDER / "peg-domain.final.items.dmr.json").read_text())["moves"]
    texts = [move.get("move", "") for move in moves]
    assert any(text.startswith("extra peg") for text in texts)
    assert any(text.startswith("remove 3x3") for text in texts)
    assert any(" minus " in text for text in texts)


def test_an_entry_that_is_over_its_window_is_an_error_of_the_record() -> None:
    document = json.loads((FOLDER / "peg-domain.final.items.dmr.json").read_text())
    at = next(index for index, move in enumerate(document["moves"]) if move.get("t") == 19.999)
    document["moves"][at]["t"] = 20.001
    verdict = records.check(REGISTRY, json.dumps(document).encode())
    assert (verdict["ok"], verdict["at"]) == (False, at)
