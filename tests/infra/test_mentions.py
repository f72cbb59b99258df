"""What documents and docstrings name of ours in backticks is there."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import pytest

from script.lib.console import ROOT
from tests.infra.test_docstrings import docstrings
from tests.infra.test_repository import tracked
from tests.support.sources import PACKAGES, sources

QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
PATH = re.compile(r"[\w./-]*\w\.(?:py|md|js|css|d\.ts|html|toml|schema\.json)")
DOTTED = re.compile(r"[a-z_]\w*(?:\.[A-Za-z_]\w*)+")
# A file of the archive that is described there, a setting of a match in a request, and what is done
# by a library's action.
NOT_OURS = {"record.md", "options.pick_time", "admin.make_verified"}


@cache
def mentions() -> tuple[tuple[str, str], ...]:
    """Everything in single backticks, and where it stands."""
    pages = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]
    lines = [
        (f"{path.relative_to(ROOT)}:{number}", line)
        for path in pages
        for number, line in enumerate(path.read_text().splitlines(), 1)
    ]
    return tuple(
        (at, name) for at, text in (*lines, *docstrings()) for name in QUOTED.findall(text)
    )


@cache
def names_by_module() -> dict[str, set[str]]:
    """By every way to call a module of ours, shortened from the left: what has a name in it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in sources():
        parts = path.relative_to(ROOT).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        names = set(named_in(ast.parse(path.read_text())))
        for start in range(len(parts)):
            found[".".join(parts[start:])] |= names
        for end in range(1, len(parts)):
            for start in range(end):
                found[".".join(parts[start:end])].add(parts[end])
    return found


def named_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (each.asname or each.name for each in names)


def is_there(name: str) -> bool:
    """Whether a dotted name leads somewhere: what is called after a module of ours has to be in it.
    What begins with no module of ours may be anything."""
    parts = name.split(".")
    modules = names_by_module()
    for end in range(len(parts), 0, -1):
        prefix = ".".join(parts[:end])
        if prefix in modules:
            return end == len(parts) or parts[end] in modules[prefix]
    return parts[0] not in PACKAGES


def is_code(at: str, name: str) -> bool:
    """Whether a dotted word of a document is a code or a kind of event rather than a name."""
    return not at.partition(":")[0].endswith(".py") and name.count(".") == 1 and "_" not in name


def test_files_that_are_named_are_there() -> None:
    files = [f"/{path.relative_to(ROOT)}" for path in tracked()]
    found = {(at, name) for at, name in mentions() if PATH.fullmatch(name)}
    assert len(found) > 100
    assert [
        (at, name)
        for at, name in sorted(found)
        if name not in NOT_OURS and not any(file.endswith(f"/{name}") for file in files)
    ] == []


def test_dotted_names_are_there() -> None:
    found = {
        (at, name)
        for at, name in mentions()
        if DOTTED.fullmatch(name) and not PATH.fullmatch(name) and not is_code(at, name)
    }
    assert len(found) > 100
    assert [
        (at, name) for at, name in sorted(found) if name not in NOT_OURS and not is_there(name)
    ] == []


@pytest.mark.parametrize("name", ["guards.managed", "tournaments.nowhere", "services.guards.x"])
def test_what_is_not_there_is_found(name: str) -> None:
    assert not is_there(name)


@pytest.mark.parametrize("name", ["guards.season_lock_managed", "tournaments.services", "re.sub"])
def test_what_is_there_is_not(name: str) -> None:
    assert is_there(name)
