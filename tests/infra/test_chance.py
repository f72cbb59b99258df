"""Chance is handed in: whoever draws can be given another source of it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from script.lib.console import ROOT
from tests.support.sources import sources


def drawn_from_the_system(tree: ast.Module) -> list[int]:
    """The lines that reach for the system's source otherwise than as the default of a keyword
    ``random``."""
    defaults = {
        id(default)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if argument.arg == "random"
    }
    return [
        node.lineno
        for node in ast.walk(tree)
        if (
            isinstance(node, ast.Attribute)
            and ast.unparse(node) == "chance.system"
            and id(node) not in defaults
        )
        or (isinstance(node, ast.ImportFrom) and node.module == "core.chance")
    ]


def test_the_systems_chance_is_a_default_and_nothing_else() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for path in sources()
        if (lines := drawn_from_the_system(ast.parse(path.read_text())))
    }
    assert found == {}


def test_no_other_module_has_a_source_that_cannot_be_replaced() -> None:
    """What is drawn for a season or a match is drawn from a generator somewhere: there is one."""
    drawing = {path for path in sources() if "SystemRandom" in path.read_text()}
    assert drawing == {Path(ROOT, "core", "chance.py")}


@pytest.mark.parametrize(
    "source",
    [
        "def f(): g(random=chance.system)",
        "def f(): return chance.system()",
        "def f(random=chance.system): pass",
        "def f(*, other=chance.system): pass",
        "from core.chance import system",
        "draw = chance.system",
        "async def f(random=chance.system): pass",
    ],
)
def test_that_is_seen_in_every_guise(source: str) -> None:
    assert drawn_from_the_system(ast.parse(source)) == [1]


@pytest.mark.parametrize("source", ["def f(*, random=chance.system): pass"])
@pytest.mark.parametrize("kind", ["", "async "])
def test_a_default_is_not(kind: str, source: str) -> None:
    assert drawn_from_the_system(ast.parse(kind + source)) == []
