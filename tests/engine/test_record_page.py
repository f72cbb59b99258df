"""What docs/record.md shows is true."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from games.engine import records
from games.engine.acts import Act, parse_act
from games.engine.ruleset import Options, Ruleset
from games.rulesets import REGISTRY

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "record.md").read_text()
EXAMPLE, _DRAWS, LINES = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)


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
