"""What docs/record.md shows is true."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pytest

from games.engine import draws as derived
from games.engine import records
from games.engine.acts import Act, parse_act
from games.engine.chance import chosen_by, shuffled_by
from games.engine.draws import Draws, Nonce
from games.engine.ruleset import Options, Ruleset
from games.rulesets import REGISTRY
from tests.engine.drawn_play import DrawnGame

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "record.md").read_text()
EXAMPLE, DRAWS, LINES, DRAWN = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)


def test_the_example_is_a_record_with_the_verdict_that_is_shown() -> None:
    verdict = records.check(REGISTRY, EXAMPLE.encode())
    shown, refused = [json.loads(line) for line in LINES.splitlines()]
    assert shown == {"file": "final.dmr.json", **verdict}
    assert list(shown) == ["file", *verdict]
    assert list(refused) == ["file", "ok", "at", "error"]


@pytest.mark.parametrize("ruleset", list(REGISTRY), ids=lambda ruleset: ruleset.id)
def test_every_ruleset_is_in_the_table_with_its_variants_and_options(
    ruleset: Ruleset[Any, Any],
) -> None:
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{ruleset.id}` |")]
    for variant in ruleset.variants:
        assert f"`{variant.id}`" in row
    for name in set(ruleset.options_type.__struct_fields__) - set(Options.__struct_fields__):
        assert f"`{name}`" in row


def test_every_act_of_the_organiser_is_in_the_table() -> None:
    table = PAGE.split("**The organiser's acts**")[1].split("###")[0]
    cells = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    texts = [text for cell in cells for text in re.findall(r"`([^`]+)`", cell)]
    shown = {parse_act(text).kind for text in texts}
    assert shown == set(get_args(get_type_hints(Act)["kind"]))


# -- draws ---------------------------------------------------------------------------------------

STATED = msgspec.json.decode("{" + DRAWS + "}", type=dict[str, records.RecordDraws])["draws"]
ONE = Draws(STATED.seed, (Nonce(**msgspec.to_builtins(STATED.nonces[0])), Nonce()))
TWO = "a1" * 32
BOTH = Draws(STATED.seed, (ONE.nonces[0], Nonce(derived.nonce_commitment(1, TWO), TWO)))
OF = {"one": ONE, "both": BOTH}
SECTION = PAGE.split("### Test vectors")[1].split("\n## ")[0]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in SECTION.splitlines()
    if line.startswith(("| one", "| both"))
]


def test_the_seed_and_the_nonce_that_are_shown_fit_their_commitments() -> None:
    assert STATED.commitment == ONE.commitment
    assert list(derived.faults(ONE)) == []
    assert BOTH.nonces[1].commitment in SECTION


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[1]} {row[0]}")
def test_the_words_and_outcomes_that_are_shown_are_true(row: list[str]) -> None:
    draws, label = OF[row[0]], row[1].strip("`")
    word = draws.numbers(label)
    assert [f"{word(2**32):08x}" for _ in range(3)] == row[2].strip("`").split(" ")
    outcome = re.findall(r"`([^`]+)`", row[3])[-1]
    below, kind = draws.numbers(label), label.split(" ")[0]
    if kind == "lot":
        assert outcome == f"lot {below(2)}"
    elif kind == "pick":
        assert outcome == f"pick 0 {chosen_by(below, 'OISZLJT')}"
    else:
        deck = re.findall(r"`((?:\d\d )+\d\d)`", SECTION)[0].split(" ")
        assert outcome == " ".join([label, *shuffled_by(below, deck)])


def test_the_numbers_that_are_shown_pass_words_over() -> None:
    shown = [int(number) for number in re.findall(r"\b\d{8,10}\b", SECTION.split("`many`")[1])]
    found = []
    for draws in (ONE, BOTH):
        below = draws.numbers("many")
        found += [below(3 * 2**30) for _ in range(6)]
    assert shown == found


def test_the_list_of_draws_that_is_shown_has_what_such_a_list_has() -> None:
    shown = json.loads(DRAWN)["drawn"]
    (verified, supplied) = shown
    assert list(verified) == ["at", "label", "move", "state"]
    assert list(supplied) == ["at", "label", "move", "state", "by"]
    assert set(verified) | set(supplied) | {"wanted"} == set(records.Drawn.__struct_fields__)


@pytest.mark.parametrize("ruleset", list(REGISTRY), ids=lambda ruleset: ruleset.id)
def test_every_draw_is_in_the_table(ruleset: Ruleset[Any, Any]) -> None:
    table = PAGE.split("| draw | label | how |")[1].split("\n\n")[0]
    kinds = {line.split("`")[1].split(" ")[0] for line in table.splitlines() if "`" in line}
    for seed in range(12):
        record = DrawnGame(ruleset, seed).play().record
        for move in record["moves"]:
            if move["seat"] == "chance":
                assert move["move"].split(" ")[0] in kinds
