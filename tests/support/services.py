"""A pytest plugin: PostgreSQL and Valkey for a plain `pytest`, started only when tests need them.

`script/test` starts them itself and says where they are; then this plugin does nothing. Otherwise
it must choose the addresses before Django reads its settings, which is why it is named in
pyproject's `addopts` rather than in a conftest. Pure tests (engine, rulesets) wait for no server.
"""

import os
import sys
from pathlib import Path

import pytest

from script.lib import testbed
from script.lib.console import Failure
from script.lib.scratch import Scratch
from script.lib.suite import is_pure


class OwnServices:
    """The servers of one pytest run."""

    def __init__(self) -> None:
        self.scratch = Scratch()
        self.testbed = testbed.Testbed(self.scratch.__enter__(), Path(sys.executable))
        self.testbed.prepare()
        os.environ.update(self.testbed.environment())
        self.started = False

    def start(self) -> None:
        """Start the servers, once."""
        if not self.started:
            self.started = True
            try:
                self.testbed.start()
            except Failure as failure:
                raise pytest.UsageError(str(failure)) from None

    def stop(self) -> None:
        """Stop them and remove their data."""
        self.testbed.stop()
        self.scratch.__exit__(None, None, None)


own: OwnServices | None = None
# Workers of a parallel run inherit what the process that started them says here, and so does this
# process from `script/test`.
if "PYTEST_XDIST_WORKER" not in os.environ and testbed.VARIABLE not in os.environ:
    own = OwnServices()


def pytest_sessionstart(session: pytest.Session) -> None:
    """In a parallel run the tests are collected elsewhere: go by what was asked for."""
    if own is None or not getattr(session.config.option, "numprocesses", None):
        return
    asked = [Path(argument.partition("::")[0]) for argument in session.config.args]
    if not all(is_pure(path.resolve()) for path in asked):
        own.start()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start when any collected test lies outside the pure folders."""
    if own is None or session.config.option.collectonly:
        return
    if not all(is_pure(item.path) for item in session.items):
        own.start()


def pytest_unconfigure() -> None:
    """Stop what was started."""
    if own is not None:
        own.stop()
