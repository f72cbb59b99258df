"""Whole matches, pinned: every ruleset and variant has some, and they play as they always did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import jsonschema  # type: ignore[import-untyped]
import pytest

from games.engine import records
from games.engine.ruleset import Ruleset, Variant
from games.engine.schema import record_schema
from games.rulesets import REGISTRY
from tests.engine.playthroughs import FOLDER, playthroughs, steps_file, steps_text

RECORDS = playthroughs()
VARIANTS = [(ruleset, variant) for ruleset in REGISTRY for variant in ruleset.variants]


def document(path: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(path.read_bytes())
    return read


@pytest.mark.parametrize(
    ("ruleset", "variant"), VARIANTS, ids=[f"{r.id}.{v.id}" for r, v in VARIANTS]
)
def test_every_variant_has_a_playthrough(ruleset: Ruleset[Any, Any], variant: Variant) -> None:
    found = [
        path
        for path in RECORDS
        if (document(path)["ruleset"], document(path)["variant"]) == (ruleset.id, variant.id)
    ]
    assert found, f"there is no playthrough of {ruleset.id}, {variant.id}, in {FOLDER}"


def test_every_reason_that_a_ruleset_gives_is_one_that_records_know() -> None:
    known = json.dumps(record_schema(REGISTRY)["$defs"]["RecordResult"])
    for path in RECORDS:
        assert f'"{document(path)["result"]["reason"]}"' in known


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_a_playthrough_is_a_whole_match_with_the_result_it_states(path: Path) -> None:
    record = document(path)
    verdict = records.check(REGISTRY, path.read_bytes())
    assert verdict == {"ok": True, "finished": True, **record["result"], "draws": ANY}
    assert list(record["result"]) == ["winner", "reason", "scores"]
    assert path.name.startswith(f"{record['ruleset']}.{record['variant']}.")


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_a_playthrough_plays_step_by_step_as_it_always_did(path: Path) -> None:
    assert steps_file(path).read_bytes() == steps_text(path), (
        "the steps have changed; if they should: python -m tests.engine.playthroughs"
    )


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_a_playthrough_fits_the_published_schema(path: Path) -> None:
    schema = json.loads((FOLDER.parents[1] / "docs" / "record.schema.json").read_bytes())
    jsonschema.Draft202012Validator(schema).validate(document(path))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_every_beginning_of_a_playthrough_stands_as_an_unfinished_match(path: Path) -> None:
    record = document(path)
    del record["result"]
    length = len(record["moves"])
    for end in {0, 1, length // 3, length // 2, length - 1}:
        verdict = records.check(
            REGISTRY, json.dumps({**record, "moves": record["moves"][:end]}).encode()
        )
        assert verdict["ok"], verdict
        assert not verdict["finished"]
        assert verdict["winner"] is None


def test_no_steps_are_left_without_their_record() -> None:
    assert sorted(FOLDER.glob("*.steps.json")) == [steps_file(path) for path in RECORDS]
    pinned = {*RECORDS, *(steps_file(path) for path in RECORDS)}
    assert {path for path in FOLDER.iterdir() if path.suffix == ".json"} == pinned
