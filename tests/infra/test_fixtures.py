"""Fixtures that hold a transaction open for longer than a test end before others' tests begin.

What they have made is there for every test of the process meanwhile. So each has a folder in which
all files ask for it, and is brought there by the folder's conftest: one of a package that a test's
own module imports belongs to no package, and lasts until the process ends.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import PurePath

from script.lib.console import ROOT

# What a fixture asks for that opens the database by itself, and how long it then lasts.
OPENS, LASTS = "django_db_blocker", "package"
Functions = ast.FunctionDef | ast.AsyncFunctionDef
Texts = Mapping[PurePath, str]


def texts_of_tests() -> Texts:
    return {
        path.relative_to(ROOT): path.read_text() for path in sorted((ROOT / "tests").rglob("*.py"))
    }


def _functions(text: str) -> Iterator[Functions]:
    return (each for each in ast.walk(ast.parse(text)) if isinstance(each, Functions))


def _asks_for(function: Functions) -> set[str]:
    arguments = function.args
    return {each.arg for each in (*arguments.args, *arguments.kwonlyargs)}


def _lasts(function: Functions) -> bool:
    """Whether it is a fixture that lasts as long as its package."""
    return any(
        word.arg == "scope" and isinstance(word.value, ast.Constant) and word.value.value == LASTS
        for each in function.decorator_list
        for word in (each.keywords if isinstance(each, ast.Call) else ())
    )


def lasting(texts: Texts) -> dict[tuple[str, str], PurePath]:
    """Of each such fixture, by its module and name, where it is."""
    return {
        (".".join(path.with_suffix("").parts), function.name): path
        for path, text in texts.items()
        if OPENS in text and f'"{LASTS}"' in text
        for function in _functions(text)
        if OPENS in _asks_for(function) and _lasts(function)
    }


def _imported(text: str, module: str) -> set[str]:
    """What is imported from a module."""
    return {
        alias.name
        for each in (ast.walk(ast.parse(text)) if module in text else ())
        if isinstance(each, ast.ImportFrom) and each.module == module
        for alias in each.names
    }


def misplaced(texts: Texts) -> list[str]:
    """Who brings such a fixture but in a folder of its own."""
    found = lasting(texts)
    brought = [(path, name) for (_module, name), path in found.items()]
    for module, name in found:
        brought += [(path, name) for path, text in texts.items() if name in _imported(text, module)]
    wrong = []
    for path, name in brought:
        if path.name != "conftest.py":
            wrong.append(f"{path}: {name} is brought by no conftest")
            continue
        for other, text in texts.items():
            inside = other.is_relative_to(path.parent) and other.name.startswith("test_")
            if inside and not any(name in _asks_for(each) for each in _functions(text)):
                wrong.append(f"{other}: does not ask for {name}, which is there")
    return wrong


def test_what_lasts_has_a_folder_of_its_own() -> None:
    texts = texts_of_tests()
    assert ("tests.permissions.conftest", "world") in lasting(texts)
    assert misplaced(texts) == []


WORLD = """
@pytest.fixture(scope="package")
def world(django_db_blocker): ...
"""
BRINGS = "from tests.a.conftest import world"
ASKS = "def test_it(world): ..."
MADE = {"tests/a/conftest.py": WORLD, "tests/a/test_one.py": ASKS}


def _misplaced(files: Mapping[str, str]) -> list[str]:
    return misplaced({PurePath(name): text for name, text in files.items()})


def test_what_lasts_elsewhere_is_found() -> None:
    assert _misplaced(MADE) == []
    assert _misplaced({**MADE, "tests/b/conftest.py": BRINGS, "tests/b/test_b.py": ASKS}) == []
    assert _misplaced({**MADE, "tests/b/test_b.py": f"{BRINGS}\n{ASKS}"})
    assert _misplaced({**MADE, "tests/a/test_two.py": "def test_two(): ..."})
    assert _misplaced({**MADE, "tests/a/deeper/test_two.py": "def test_two(db): ..."})
    assert _misplaced({**MADE, "tests/b/conftest.py": BRINGS, "tests/b/test_b.py": "x = 1"})
