"""A pytest plugin: PostgreSQL and Valkey for a plain `pytest`, started only when tests need them.

`script/test` starts them itself and says where they are; then this plugin does nothing. Otherwise
it must choose the addresses before Django reads its settings, which is why it is named in
pyproject's `addopts` rather than in a conftest. Pure tests (engine, rulesets) wait for no server.
"""

import os
import sys
from pathlib import Path

import pytest

from script.lib.console import ROOT
from script.lib.scratch import Scratch
from script.lib.services import Postgres, Services

PURE = (ROOT / "tests" / "engine", ROOT / "tests" / "rulesets")


class OwnServices:
    """The servers of one pytest run."""

    def __init__(self) -> None:
        self.scratch = Scratch()
        self.services = Services(self.scratch.__enter__(), Path(sys.executable), durable=False)
        self.services.prepare()
        os.environ.update(self.services.addresses())
        self.started = False

    def start(self) -> None:
        """Start the servers, once."""
        if not self.started:
            self.started = True
            self.services.start()

    def stop(self) -> None:
        """Stop them and remove their data."""
        self.services.stop()
        if self.services.postgres is not None:
            Postgres.remove_below(self.services.postgres.folder)
        self.scratch.__exit__(None, None, None)


own: OwnServices | None = None
# Workers of a parallel run inherit the addresses from the process that started them.
if "PYTEST_XDIST_WORKER" not in os.environ and not (
    os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")
):
    own = OwnServices()


def pytest_sessionstart(session: pytest.Session) -> None:
    """In a parallel run the tests are collected elsewhere: start without looking at them."""
    if own is not None and getattr(session.config.option, "numprocesses", None):
        own.start()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start when any collected test lies outside the pure folders."""
    if own is None or session.config.option.collectonly:
        return
    if any(not any(item.path.is_relative_to(folder) for folder in PURE) for item in session.items):
        own.start()


def pytest_unconfigure() -> None:
    """Stop what was started."""
    if own is not None:
        own.stop()
