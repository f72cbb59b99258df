"""Tells whoever started a run which tests failed in it, so that they can be run again, alone."""

import os
from pathlib import Path

import pytest

from script.lib.again import VARIABLE

# What a test is called on the command line: a group adds to the name that reports have.
CALLED = "called"
failed: dict[str, None] = {}


def call(item: pytest.Item) -> None:
    """Have the reports on a test say what it is called now."""
    item.user_properties.append((CALLED, item.nodeid))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        failed[str(dict(report.user_properties).get(CALLED, report.nodeid))] = None


def pytest_sessionfinish() -> None:
    """One line a test; nothing in a worker, which does not hear of all of them."""
    path = os.environ.get(VARIABLE)
    if path and "PYTEST_XDIST_WORKER" not in os.environ:
        Path(path).write_text("\n".join(failed))
