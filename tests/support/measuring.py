"""A pytest plugin: which tests say what is covered.

In Python 3.11 measuring makes the code of a test take up to twice its time. What a change waits
for before it lands measures those folders alone whose tests run our code in their own process and
mostly wait for the database; the floor in pyproject.toml is for what they reach. In a whole run,
for which nobody waits, `--cov` measures every test.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

from script.lib.console import ROOT
from tests.support import depth

FOLDERS = frozenset(
    ROOT / "tests" / name
    for name in ("accounts", "bots", "dumps", "ratings", "seasons_api", "tournaments", "webhooks")
)


def is_measured(path: Path) -> bool:
    """Whether a test of that file counts for what is covered."""
    return depth.whole or not FOLDERS.isdisjoint(path.parents)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let the measuring rest during a test that does not count."""
    measuring = coverage.Coverage.current()
    if measuring is None or is_measured(item.path):
        return (yield)
    measuring.stop()
    try:
        return (yield)
    finally:
        measuring.start()
