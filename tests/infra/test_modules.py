"""Modules are rooms, not drawers: whoever opens one finds one thing in it."""

from __future__ import annotations

from pathlib import Path

from script.lib.console import ROOT
from tests.infra.test_repository import tracked

LINES = 600
HEAD = 12  # lines in which a longer one says why it is
OURS = ("accounts", "benchmarks", "config", "core", "games", "script", "static", "tournaments")
LEFT_OUT = {"migrations", "vendor"}  # written by tools, or by others


def modules() -> list[Path]:
    return [
        path
        for path in tracked()
        if path.suffix in {".py", ".js"}
        and (parts := path.relative_to(ROOT).parts)[0] in OURS
        and not LEFT_OUT & set(parts)
    ]


def unexplained(name: str, text: str) -> list[str]:
    """The module's name, if it is long and its first lines do not say why."""
    lines = text.splitlines()
    explained = any("Long, since " in line for line in lines[:HEAD])
    return [name] if len(lines) > LINES and not explained else []


def test_whatever_is_long_says_why() -> None:
    read = {str(path.relative_to(ROOT)): path.read_text() for path in modules()}
    assert len(read) > 500
    assert [name for item in read.items() for name in unexplained(*item)] == []


def test_what_is_long_is_found() -> None:
    short, long = ["x = 1"] * LINES, ["x = 1"] * (LINES + 1)
    why = "# Long, since a table is one thing."
    assert unexplained("a.py", "\n".join(short)) == []
    assert unexplained("a.py", "\n".join(long)) == ["a.py"]
    assert unexplained("a.py", "\n".join([why, *long])) == []
    assert unexplained("a.py", "\n".join([*long, why])) == ["a.py"]
