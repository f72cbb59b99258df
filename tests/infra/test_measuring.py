"""What a run says of which lines no test reaches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from script.lib.console import ROOT
from script.lib.suite import WHOLE
from tests.support import depth, measuring
from tests.support.sources import PACKAGES

OPTIONS = ("--cov=games.engine", "--cov-fail-under=0", "-p", "no:cacheprovider", "-q")


def reached(folder: Path, *, whole: bool) -> set[int]:
    """Lines of the notation that its own tests reach, in a run of their own."""
    report = folder / f"{whole}.json"
    env = {name: value for name, value in os.environ.items() if name != WHOLE}
    subprocess.run(
        [sys.executable, "-m", "pytest", *OPTIONS, f"--cov-report=json:{report}",
         "tests/engine/test_notation.py"],
        cwd=ROOT,
        env={**env, "COVERAGE_FILE": str(folder / "data"), **({WHOLE: "1"} if whole else {})},
        capture_output=True,
        check=True,
    )  # fmt: skip
    found = json.loads(report.read_text())["files"]["games/engine/notation.py"]["executed_lines"]
    return set(found)


def test_only_a_whole_run_measures_what_takes_long(tmp_path: Path) -> None:
    """Any other goes through it, and what is imported is measured in both."""
    everything, some = reached(tmp_path, whole=True), reached(tmp_path, whole=False)
    assert some
    assert some < everything


def test_folders_that_count_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(folder.is_dir() for folder in measuring.FOLDERS)
    inside = next(iter(measuring.FOLDERS)) / "deep" / "test_it.py"
    outside = ROOT / "tests" / "engine" / "test_notation.py"
    for whole in (False, True):
        monkeypatch.setattr(depth, "whole", whole)
        assert measuring.is_measured(inside)
        assert measuring.is_measured(outside) is whole


def test_ci_holds_the_floor_for_all_that_is_ours() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["coverage"]
    assert set(settings["run"]["source"]) == set(PACKAGES)
    assert settings["report"]["fail_under"] >= 80
    assert "script/test --cov" in (ROOT / ".ci" / "run").read_text()
