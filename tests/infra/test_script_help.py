"""Whoever asks a command of `script/` what it does is told so at once: nothing is installed,
started or written for it, and where nothing is installed yet it is told just as well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from script.lib.console import ROOT

COMMANDS: Final = sorted(
    path.name for path in (ROOT / "script").iterdir() if path.is_file() and not path.suffix
)
#: What each takes of its own, all of which it has to name.
OPTIONS: Final = {
    "audit": (),
    "compile": (),
    "fuzz": ("--examples", "pytest"),
    "lint": ("--fix", "python", "scripts"),
    "lock": ("--upgrade",),
    "server": ("--host", "--port", "--no-demo", "--discord", "--plain"),
    "soak": ("--minutes", "--seed"),
    "test": ("--whole", "--plain", "--python", "pytest"),
}


def test_every_command_is_asked() -> None:
    assert set(COMMANDS) == set(OPTIONS)


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("name", COMMANDS)
def test_it_says_what_it_does_and_does_nothing(name: str, flag: str, tmp_path: Path) -> None:
    # Without any installed package ("-S").
    untouched = tmp_path / "untouched"
    asked = subprocess.run(
        [sys.executable, "-IS", ROOT / "script" / name, flag],
        env={
            "PATH": os.defpath,
            "HOME": str(untouched),
            "TMPDIR": str(tmp_path),
            "GAUNTLET_VENV": str(untouched / "venv"),
            "GAUNTLET_DATA": str(untouched / "data"),
        },
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (asked.returncode, asked.stderr) == (0, ""), asked.stdout
    assert asked.stdout.startswith(f"usage: script/{name} ")
    assert [word for word in OPTIONS[name] if word not in asked.stdout] == []
    assert "==>" not in asked.stdout
    assert list(tmp_path.iterdir()) == []
