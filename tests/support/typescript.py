"""TypeScript's checker over lines that a test has made of what it was sent."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from games.rulesets import REGISTRY
from script.lib import node
from script.lib.console import ROOT

PYTHON = Path(sys.prefix) / "bin" / "python"
# By ruleset: what view.d.ts in its folder calls its game.
GAMES = {each.id: f"{each.id.title().replace('-', '')}.Game" for each in REGISTRY}


def literal(name: str, kind: str, value: Any) -> str:
    """A line that says that ``value``, written out, is of that type: the checker knows a key that
    is missing, one that the type does not have, and a value of another kind."""
    return f"export const {name}: {kind} = {json.dumps(value)};"


def check(folder: Path, lines: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run the checker over these lines, which may name every type of ours."""
    node.Packages().ensure(PYTHON)
    (folder / "said.ts").write_text("\n".join(lines))
    settings = {
        "extends": str(ROOT / "tsconfig.json"),
        "include": [
            str(ROOT / "types" / "*.d.ts"),
            str(ROOT / "games" / "rulesets" / "*" / "*.d.ts"),
            "said.ts",
        ],
    }
    (folder / "tsconfig.json").write_text(json.dumps(settings))
    tsc = ROOT / "node_modules" / "typescript" / "bin" / "tsc"
    return subprocess.run(
        [node.node(PYTHON), tsc, "--project", folder],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def faulty_lines(checked: subprocess.CompletedProcess[str]) -> set[int]:
    """The numbers of the lines that the checker complains of, from 1."""
    numbers = (line.partition("(")[2].partition(",")[0] for line in checked.stdout.splitlines())
    return {int(number) for number in numbers if number.isdigit()}
