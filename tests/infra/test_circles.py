"""No module is known by one that it knows: not through others, not in a function, not for types."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

import networkx

from script.lib.console import ROOT
from tests.support.sources import sources


def names() -> dict[str, ast.Module]:
    """Every module of ours by its dotted name, as it is read."""
    found = {}
    for path in sources():
        if "migrations" not in path.parts:
            dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[dotted.removesuffix(".__init__")] = ast.parse(path.read_text())
    return found


def imported(tree: ast.Module, modules: Collection[str]) -> set[str]:
    """Which of the ``modules`` one imports, wherever it does."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = (f"{node.module}.{each.name}" for each in node.names)
            found |= {name if name in modules else node.module for name in inner}
    return found & set(modules)


def circles(modules: Mapping[str, ast.Module]) -> list[set[str]]:
    """The modules that know each other, circle by circle."""
    graph = networkx.DiGraph(
        (name, other)
        for name, tree in modules.items()
        for other in imported(tree, modules.keys()) - {name}
    )
    return [each for each in networkx.strongly_connected_components(graph) if len(each) > 1]


def test_nobody_knows_those_who_know_them() -> None:
    modules = names()
    assert len(modules) > 500
    assert circles(modules) == []


def test_a_circle_is_found_wherever_it_is_closed() -> None:
    late = "def act():\n    from a import one\n"
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a.one\n"
    for closing in (late, typed, "import a.one"):
        texts = {"a": "", "a.one": "from a import two", "a.two": "import b", "b": closing}
        trees = {name: ast.parse(text) for name, text in texts.items()}
        assert circles(trees) == [{"a.one", "a.two", "b"}]
    trees["b"] = ast.parse("")
    assert circles(trees) == []
