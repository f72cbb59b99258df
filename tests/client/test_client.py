"""Modules that need no page, by Node's own runner; and whether views are as their types say."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from script.lib import node
from script.lib.console import ROOT
from tests.browser.stage import PLAYTHROUGHS, waiting, whole
from tests.support.typescript import GAMES, PYTHON, check, faulty_lines, literal

# Positions of one recorded match and reader, since the checker takes its time.
MOST = 24


def test_modules_without_a_page() -> None:
    files = sorted(str(path.relative_to(ROOT)) for path in Path(__file__).parent.glob("*.test.js"))
    assert files
    done = subprocess.run(
        [node.node(PYTHON), "--test", "--test-reporter=tap", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_views_are_as_their_types_say(tmp_path: Path) -> None:
    """The checker reads views of recorded matches as literals: it knows a key that is missing, one
    that no type has, and a value of another kind."""
    found = positions()
    assert set(found) == set(GAMES)
    checked = check(tmp_path, literals(found))
    assert checked.returncode == 0, checked.stdout[:4000]


def test_views_that_are_not_as_their_types_say_are_found(tmp_path: Path) -> None:
    view = whole("tetronogo.standard.four-draws")[-1].view
    wrong = [
        {**view, "paused": "no"},
        {**view, "surprise": 1},
        {**view, "game": {**view["game"], "surprise": 1}},
        {**view, "game": {key: value for key, value in view["game"].items() if key != "bout"}},
    ]
    checked = check(tmp_path, literals({"tetronogo": [view, *wrong]}))
    assert faulty_lines(checked) == {2, 3, 4, 5}, checked.stdout


def positions() -> dict[str, list[dict[str, Any]]]:
    """By ruleset: what seat 0, seat 1 and the room were shown of every recorded match."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(PLAYTHROUGHS.glob("*.dmr.json")):
        ruleset = json.loads(path.read_text())["ruleset"]
        name = path.name.removesuffix(".dmr.json")
        views = found.setdefault(ruleset, [])
        views.append(waiting(name).view)
        for seat in (0, 1, None):
            course = [position.view for position in whole(name, seat)]
            views += course[:: max(1, len(course) // MOST)]
            views.append(course[-1])
    return found


def literals(found: dict[str, list[dict[str, Any]]]) -> list[str]:
    return [
        literal(f"view{number}_{index}", f"Live.View<{GAMES[ruleset]}>", view)
        for number, (ruleset, views) in enumerate(found.items())
        for index, view in enumerate(views)
    ]
