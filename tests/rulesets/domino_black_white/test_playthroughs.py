"""Whole matches, pinned as records."""

from __future__ import annotations

import json
from typing import Any

import pytest

from games.engine import records
from games.engine.registry import Registry
from tests.rulesets.domino_black_white.helpers import RULES
from tests.rulesets.domino_black_white.playthroughs import (
    BY_HAND,
    BY_HAND_SCORES,
    FOLDER,
    PREFIX,
    playthroughs,
)

REGISTRY = Registry(RULES)
FILES = playthroughs()
RECORDS = sorted(name for name in FILES if name.endswith(".dmr.json"))


def checked(document: object) -> dict[str, Any]:
    return records.check(REGISTRY, json.dumps(document).encode(), steps=True)


def document(reason: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((FOLDER / f"{PREFIX}{reason}.dmr.json").read_bytes())
    return read


def test_the_files_are_these_and_no_others() -> None:
    assert sorted(path.name for path in FOLDER.glob("domino-black-white.*")) == sorted(FILES)


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_file_is_what_the_program_plays(name: str) -> None:
    assert (FOLDER / name).read_bytes() == FILES[name]


@pytest.mark.parametrize("reason", ["points", "tie-break", "timeout"])
def test_the_file_replays_to_its_result_step_by_step(reason: str) -> None:
    record = document(reason)
    verdict = checked(record)
    steps = json.loads((FOLDER / f"{PREFIX}{reason}.steps.json").read_bytes())
    assert record["result"]["reason"] == reason
    result = record["result"]
    nothing = {"verified": 0, "supplied": 0, "agreed": 0, "unverifiable": 0}
    assert verdict == {"ok": True, "finished": True, **result, "draws": nothing, "steps": steps}


@pytest.mark.parametrize("name", RECORDS)
def test_a_false_result_is_found_out(name: str) -> None:
    record = json.loads((FOLDER / name).read_bytes())
    record["result"]["winner"] = 1 - record["result"]["winner"]
    assert (checked(record)["ok"], checked(record)["at"]) == (False, None)


@pytest.mark.parametrize("name", RECORDS)
def test_nothing_can_be_added_after_the_end(name: str) -> None:
    record = json.loads((FOLDER / name).read_bytes())
    record["moves"].append({"seat": 0, "move": "concede"})
    assert (checked(record)["ok"], checked(record)["at"]) == (False, len(record["moves"]) - 1)


def test_the_match_reckoned_by_hand_scores_as_reckoned() -> None:
    steps = checked(document("timeout"))["steps"]
    assert [step["met"] for step in steps] == [*[letters for _, _, letters in BY_HAND], ""]
    points = [0, 0]
    for (seat, _, letters), step in zip(BY_HAND, steps, strict=False):
        points[seat] += len(letters)
        assert step["scores"] == points
    assert tuple(points) == BY_HAND_SCORES
    assert [step["to_move"] for step in steps] == [*[[seat] for seat in (0, 1) * 5], []]


def test_whose_time_is_not_over_cannot_time_out() -> None:
    record = document("timeout")
    record["moves"][-1]["t"] = 720.0
    assert (checked(record)["ok"], checked(record)["at"]) == (False, 10)


def test_a_move_after_the_whole_reserve_is_an_error_of_the_record() -> None:
    record = document("timeout")
    record["moves"][-1] = {"seat": 1, "move": "(0,0) BX:BY hide BY", "t": 720.0}
    del record["result"]
    assert checked(record)["ok"]
    record["moves"][-1]["t"] = 720.001
    assert (checked(record)["ok"], checked(record)["at"]) == (False, 10)


def test_other_ways_of_writing_replay_alike() -> None:
    record = document("timeout")
    moves = record["moves"]
    moves[2]["move"] = "(4,3) Domino, FZ:EZ, Hide (3)"
    moves[4]["move"] = "(3,2)dy:cy hide 3"
    moves[8]["move"] = "(5,5) GX:GW hide GW."
    assert checked(record)["ok"]


def test_an_impossible_placement_is_an_error_where_it_stands() -> None:
    record = document("timeout")
    record["moves"][5]["move"] = "(1,1) EY:FY hide EY"
    verdict = checked(record)
    assert (verdict["ok"], verdict["at"]) == (False, 5)
    assert verdict["error"].startswith("place.used: ")
