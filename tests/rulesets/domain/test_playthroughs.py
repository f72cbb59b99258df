"""Whole matches, pinned as records."""

from __future__ import annotations

import json
from unittest.mock import ANY

import pytest

from games.engine import records
from tests.rulesets.domain.helpers import REGISTRY
from tests.rulesets.domain.playthroughs import FOLDER, documents

NAMES = sorted(documents())


def checked(text: str, *, steps: bool = False) -> dict[str, object]:
    return records.check(REGISTRY, text.encode(), steps=steps)


def stated(name: str) -> dict[str, object]:
    result: dict[str, object] = json.loads(
        (FOLDER / f"domain.standard.{name}.dmr.json").read_text()
    )["result"]
    return result


def test_the_files_are_these_and_no_others() -> None:
    assert sorted(path.name for path in FOLDER.glob("domain.*.dmr.json")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_what_the_program_plays(name: str) -> None:
    assert (FOLDER / name).read_text() == documents()[name]


@pytest.mark.parametrize("name", NAMES)
def test_the_file_replays_to_its_result(name: str) -> None:
    text = (FOLDER / name).read_text()
    result = json.loads(text)["result"]
    assert checked(text) == {"ok": True, "finished": True, **result, "draws": ANY}


@pytest.mark.parametrize("name", NAMES)
def test_nothing_can_be_added_after_the_end(name: str) -> None:
    document = json.loads((FOLDER / name).read_text())
    document["moves"].append({"seat": 0, "move": "concede"})
    verdict = checked(json.dumps(document))
    assert (verdict["ok"], verdict["at"]) == (False, len(document["moves"]) - 1)


def test_results_are_those_counted_by_hand() -> None:
    assert stated("challenges") == {"winner": 1, "reason": "points", "scores": [1128, 1192]}
    assert stated("missed-picks") == {
        "winner": 1,
        "reason": "missed-picks",
        "scores": [1200, 1200],
    }
    assert stated("review") == {"winner": 0, "reason": "points", "scores": [1264, 1136]}


def test_each_step_of_the_challenges_is_as_counted_by_hand() -> None:
    text = (FOLDER / "domain.standard.challenges.dmr.json").read_text()
    steps = checked(text, steps=True)["steps"]
    assert isinstance(steps, list)
    assert [step["scores"] for step in steps[10:]] == [
        [1300, 1100],
        [1300, 1100],  # a wrong challenge changes nothing
        [1236, 1164],
        # 03: 120 of its pixels are inside; 16 are void, and 5 were seat 0's before.
        [1236 + 99, 1164 - 115],
        [1236, 1164],
        [1092, 1228],
        [1128, 1192],
        [1128, 1192],
        [1000, 1320],
        [1128, 1192],
    ]
    assert [step["to_move"] for step in steps[10:]] == [
        [1], [1], [0], [1], [1], [0], [1], [1], [0], [],
    ]  # fmt: skip
    assert [step["reserve"][1] for step in steps[10:]] == [
        600, 600, 594.5, 594.5, 594.5, 594.5, 594.5, 534.5, 474.5, 474.5,
    ]  # fmt: skip


def test_no_seat_is_to_move_while_the_organiser_reviews() -> None:
    text = (FOLDER / "domain.standard.review.dmr.json").read_text()
    moves = json.loads(text)["moves"]
    steps = checked(text, steps=True)["steps"]
    assert isinstance(steps, list)
    reviews = [n for n, move in enumerate(moves) if move.get("move") == "challenge"]
    assert len(reviews) == 3
    assert [steps[n]["to_move"] for n in reviews] == [[], [], []]
    assert [steps[n + 1]["to_move"] for n in reviews] == [[1], [1], []]
    assert [steps[n]["reserve"][1] for n in (reviews[0], reviews[-1], -1)] == [90, 75, 15]


def test_without_the_ruling_the_match_is_not_over() -> None:
    document = json.loads((FOLDER / "domain.standard.review.dmr.json").read_text())
    del document["result"]
    document["moves"].pop()
    verdict = checked(json.dumps(document))
    assert (verdict["ok"], verdict["finished"], verdict["winner"]) == (True, False, None)
    document["moves"].append({"seat": 1, "move": "accept", "t": 60})
    assert checked(json.dumps(document))["ok"] is False
