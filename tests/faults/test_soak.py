"""`script/soak`, for as long as a round takes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from script.lib.console import ROOT
from tests.support import soak
from tests.support.ground import Ground


def test_a_round(ground: Ground) -> None:
    assert soak.Soak(ground, seed=2).run(seconds=1) == []


def test_what_is_wrong_is_an_error(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    class Nothing:
        def __init__(self, *_arguments: Any) -> None:
            self.there = self

        def start(self) -> None: ...
        def stop(self) -> None: ...
        def logs(self) -> str:
            return "the logs"

    monkeypatch.setattr(soak, "Ground", Nothing)
    monkeypatch.setattr(soak, "raise_on_stop_signals", lambda: None)
    for wrong, code in (([], 0), (["an ack is not there"], 1)):
        monkeypatch.setattr(soak.Soak, "run", lambda *_, wrong=wrong: wrong)
        assert soak.main(["--seed", "7"]) == code
    told = capsys.readouterr().out
    assert "--seed 7" in told
    assert "WRONG: an ack is not there" in told


def test_the_same_seed_has_the_same_faults() -> None:
    orders = [soak.Soak(Ground.__new__(Ground), seed)._shuffled() for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]


def test_the_command_knows_its_options(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.soak", "--help"],
        cwd=ROOT, env=os.environ, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "--minutes" in done.stdout
