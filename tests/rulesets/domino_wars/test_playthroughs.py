"""Whole matches, pinned as records that any program can replay."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import ANY

import pytest

from games.engine import records
from games.engine.registry import Registry
from games.rulesets.domino_wars import DominoWars
from tests.rulesets.domino_wars.playthroughs import FOLDER, documents

REGISTRY = Registry(DominoWars())
NAMES = sorted(documents())
SET_UP = "domino-wars.standard.set-up.dmr.json"


def checked(document: Any, **more: bool) -> dict[str, Any]:
    text = document if isinstance(document, str) else json.dumps(document)
    return dict(records.check(REGISTRY, text.encode(), **more))


def read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text())


def test_the_files_are_these_and_no_others() -> None:
    assert sorted(path.name for path in FOLDER.glob("domino-wars.*.dmr.json")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_what_the_program_plays(name: str) -> None:
    assert (FOLDER / name).read_text() == documents()[name]


@pytest.mark.parametrize("name", NAMES)
def test_the_file_replays_to_its_result(name: str) -> None:
    wanted = {"ok": True, "finished": True, **read(name)["result"], "draws": ANY}
    assert checked(read(name)) == wanted


@pytest.mark.parametrize("name", NAMES)
def test_a_false_result_is_found_out(name: str) -> None:
    document = read(name)
    document["result"]["scores"] = document["result"]["scores"][::-1] or [1, 2]
    document["result"]["winner"] = 1 - document["result"]["winner"]
    assert checked(document)["ok"] is False


def test_the_files_show_what_they_are_for() -> None:
    results = {name.split(".")[2]: read(name)["result"]["reason"] for name in NAMES}
    assert results["tie"] == "tie-break"
    assert results["set-up"] == "timeout"
    assert results["conceded"] == "concession"
    items = read("domino-wars.standard.items.dmr.json")["moves"]
    assert any(entry["move"].startswith("mulligan ") for entry in items)


def test_a_turn_with_its_choices_is_charged_once_at_its_end() -> None:
    """Ben's turn of 63.5 s in all, of which the play took 30, costs him 3.5 s of 180."""
    steps = checked(read(SET_UP), steps=True)["steps"]
    reserves = [step["reserve"] for step in steps]
    assert reserves[15] == [180, 180]  # the choice is open
    assert reserves[16] == [180, 176.5]
    # Setting up costs no reserve, whoever ran out of time.
    assert reserves[:15] == [[180, 180]] * 15
    to_move = [step["to_move"] for step in steps]
    assert to_move[:4] == [[0, 1], [1], [], []]
    assert to_move[13:18] == [[0], [1], [1], [0], [0]]


@pytest.mark.parametrize(
    ("at", "change", "at_fault"),
    [
        (1, {"move": "deck 12 12 06 06 25 35 45 56"}, 1),  # one double for one item
        (3, {"move": "deck 1 01 01 13 23 24 34 46 36"}, 3),  # no item, no double
        (3, {"move": "deck 1 01 02 13 23 24 34 46"}, 3),
        (4, {"move": "pile 1 01 02 13 23 24 34 46 56"}, 4),
        (4, {"move": "deck 1 01 02 13 23 24 34 46 36"}, 4),  # once is enough
        (5, {"move": "pile 1 01 02 13 23 24 34 46 36"}, 5),
        (8, {"move": "mulligan 0 hand 06 45 56 pile 25 16 12 12 35"}, 8),
        (13, {"move": "25 A1:B1"}, 13),  # she plays vertically
        (13, {"move": "12 A1:A2"}, 13),  # the hand that was put back
        (14, {"move": "top 35"}, 14),  # it is in hand
        (14, {"t": 9.0}, 14),  # a clock does not run backwards
        (16, {"t": 240.001}, 16),
        (17, {"seat": 1, "move": "13 B3:C3"}, 17),  # his turn is skipped
        (18, {"t": 240.0}, 18),
    ],
)
def test_a_record_that_cannot_stand(at: int, change: dict[str, Any], at_fault: int) -> None:
    document = read(SET_UP)
    document["moves"][at].update(change)
    verdict = checked(document)
    assert (verdict["ok"], verdict["at"]) == (False, at_fault), verdict


def test_piles_and_mulligans_stand_in_any_order() -> None:
    document = read(SET_UP)
    moves = document["moves"]
    moves[4], moves[5] = moves[5], moves[4]
    moves[8], moves[9] = moves[9], moves[8]
    moves[6], moves[7] = moves[7], moves[6]
    assert checked(document)["ok"]


def test_items_and_options_that_there_are_not() -> None:
    for change in (
        {"items": [{"seat": 0, "item": "hand-swap"}]},
        {"options": {"draw_when_stuck": 1}},
        {"options": {"pick_time": 60}},
        {"variant": "final"},
    ):
        verdict = checked({**read(SET_UP), **change})
        assert (verdict["ok"], verdict["at"]) == (False, None), change


def test_without_the_items_the_record_is_another_one() -> None:
    document = read(SET_UP)
    document["items"] = document["items"][1:]  # without Tie Advantage the choice is Ben's
    assert checked(document)["at"] == 0
