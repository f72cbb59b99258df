"""The code that is tested, as files."""

from collections.abc import Iterator
from pathlib import Path

from script.lib.console import ROOT

PACKAGES = ("accounts", "config", "core", "games", "tournaments")


def sources() -> Iterator[Path]:
    """Every module of ours."""
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))
