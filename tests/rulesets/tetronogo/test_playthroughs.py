"""Whole matches, pinned as records."""

from __future__ import annotations

import json
from unittest.mock import ANY

import pytest

from games.engine import records
from games.engine.registry import Registry
from games.rulesets.tetronogo import Tetronogo
from tests.rulesets.tetronogo.playthroughs import FOLDER, documents

REGISTRY = Registry(Tetronogo())
NAMES = sorted(documents())


def _checked(text: str) -> dict[str, object]:
    return records.check(REGISTRY, text.encode())


def test_the_files_are_these_and_no_others() -> None:
    assert sorted(path.name for path in FOLDER.glob("tetronogo.*.dmr.json")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_what_the_program_plays(name: str) -> None:
    assert (FOLDER / name).read_text() == documents()[name]


@pytest.mark.parametrize("name", NAMES)
def test_the_file_replays_to_its_result(name: str) -> None:
    text = (FOLDER / name).read_text()
    result = json.loads(text)["result"]
    assert _checked(text) == {"ok": True, "finished": True, **result, "draws": ANY}


@pytest.mark.parametrize("name", NAMES)
def test_a_false_result_is_found_out(name: str) -> None:
    document = json.loads((FOLDER / name).read_text())
    document["result"]["winner"] = 1 - document["result"]["winner"]
    assert _checked(json.dumps(document))["ok"] is False


@pytest.mark.parametrize("name", NAMES)
def test_nothing_can_be_added_after_the_end(name: str) -> None:
    document = json.loads((FOLDER / name).read_text())
    document["moves"].append({"seat": 0, "move": "concede"})
    verdict = _checked(json.dumps(document))
    assert (verdict["ok"], verdict["at"]) == (False, len(document["moves"]) - 1)


def test_scores_only_change_when_a_bout_ends() -> None:
    """And each step's scores, worked out by hand in `playthroughs.on_time`, are these."""
    text = (FOLDER / "tetronogo.standard.on-time.dmr.json").read_text()
    verdict = records.check(REGISTRY, text.encode(), steps=True)
    scores = [tuple(step["scores"]) for step in verdict["steps"]]
    assert scores == [(0, 0)] * 8 + [(0, 128)] * 7 + [(140, 128)] * 5 + [(280, 128)]
    assert [step["reserve"] for step in verdict["steps"]][4:9] == [
        [80, 120],
        [80, 120],
        [10, 120],
        [10, 120],
        [120, 120],
    ]


def test_a_reading_over_the_reserve_is_an_error_of_the_record() -> None:
    text = (FOLDER / "tetronogo.standard.on-time.dmr.json").read_text()
    late = text.replace('"move": "E5 0", "t": 180.0', '"move": "E5 0", "t": 180.001')
    verdict = _checked(late)
    assert (verdict["ok"], verdict["at"]) == (False, 19)
    early = text.replace('"timeout": true, "t": 70.001', '"timeout": true, "t": 70.0')
    assert (_checked(early)["ok"], _checked(early)["at"]) == (False, 8)


def test_a_used_tetromino_is_an_error_of_the_record() -> None:
    text = (FOLDER / "tetronogo.standard.on-time.dmr.json").read_text()
    drawn_twice = text.replace('"pick 1 O"', '"pick 1 L"')
    assert (_checked(drawn_twice)["ok"], _checked(drawn_twice)["at"]) == (False, 11)
    picked_twice = text.replace('"pick L", "t": 1.0', '"pick T", "t": 1.0')
    assert (_checked(picked_twice)["ok"], _checked(picked_twice)["at"]) == (False, 16)


def test_look_alike_rotations_replay_alike() -> None:
    text = (FOLDER / "tetronogo.standard.two-in-a-row.dmr.json").read_text()
    assert "B1 0" in text
    turned = text.replace('"B1 0"', '"b1.270"', 1).replace('"H1 0"', '"H1  90"', 1)
    assert _checked(turned)["ok"] is True
