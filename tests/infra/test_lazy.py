"""What is computed once for an object keeps nobody else waiting."""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from importlib import import_module
from types import SimpleNamespace

from accounts.context_processors import Shell
from script.lib.console import ROOT
from tests.support.sources import PACKAGES, sources


def is_pure(module: str) -> bool:
    """Whether nothing is waited for in there."""
    return module.startswith("games.rulesets.") or module.endswith(".rules")


def test_no_object_holds_a_lock_of_its_whole_class() -> None:
    """Before Python 3.12 `functools.cached_property` does so while it computes."""
    for path in sources():
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if "cached_property" in path.read_text():
            import_module(name)
    held = {
        f"{module}.{kind.__name__}.{attribute}"
        for module in list(sys.modules)
        if module.startswith(PACKAGES) and not is_pure(module)
        for _, kind in inspect.getmembers(sys.modules[module], inspect.isclass)
        if kind.__module__ == module
        for attribute, value in vars(kind).items()
        if isinstance(value, functools.cached_property)
    }
    assert held == set()


def test_a_page_that_waits_for_its_reader_holds_up_no_other() -> None:
    """A reader is looked up in the database when somebody first asks for them: with a connection
    that may be in the hands of whoever waits."""
    asked, go_on = threading.Event(), threading.Event()

    class Slow:
        COOKIES: dict[str, str] = {}  # noqa: RUF012  (as Django has it)

        @property
        def user(self) -> None:
            asked.set()
            go_on.wait(30)

    slow = threading.Thread(target=lambda: Shell(Slow()).theme, daemon=True)  # type: ignore[arg-type]
    slow.start()
    assert asked.wait(30)
    answers: list[str] = []
    quick = SimpleNamespace(user=None, COOKIES={})
    other = threading.Thread(
        target=lambda: answers.append(Shell(quick).theme),  # type: ignore[arg-type]
        daemon=True,
    )
    other.start()
    other.join(5)
    go_on.set()
    slow.join(30)
    assert answers == ["auto"]
