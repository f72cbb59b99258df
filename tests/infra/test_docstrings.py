"""Docstrings speak one dialect, which CONTRIBUTING.md has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from script.lib.console import ROOT
from tests.infra.test_refusals import raised

FOLDERS = (
    "accounts", "benchmarks", "config", "core", "examples", "games", "script", "tests",
    "tournaments",
)  # fmt: skip
DIALECT = {
    "names stand in backticks, without a role": r":[a-z]+:`",
    "say `Raises Refusal` of refusals": r"(?<!aises )(?<!aise )\bRefusals?(?:: (?:``|those)| as `)"
    r"|\bRefusals say\b|\b[Rr]aises? the Refusal `",
    "the code follows at once": r"\b[Rr]aises? [A-Z]\w*(?:: ``| with the codes? `)",
    "what is raised is named plainly": r"\b[Rr]aises? `",
}


@cache
def docstrings() -> tuple[tuple[str, str], ...]:
    """Every docstring of ours on one line, and where it stands."""
    return tuple(
        found
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix == ".py" or (path.parent.name == "script" and path.is_file())
        for found in docstrings_of(path)
    )


def docstrings_of(path: Path) -> Iterator[tuple[str, str]]:
    text = path.read_text()
    if path.suffix != ".py" and "python" not in text.partition("\n")[0]:
        return
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                said = ast.get_docstring(node)
                line = getattr(node, "lineno", 1)
                if said:
                    yield f"{path.relative_to(ROOT)}:{line}", " ".join(said.split())


@pytest.mark.parametrize("rule", DIALECT)
def test_docstrings_speak_one_dialect(rule: str) -> None:
    assert len(docstrings()) > 3000
    assert [at for at, said in docstrings() if re.search(DIALECT[rule], said)] == []


def test_codes_of_refusals_stand_in_double_backticks() -> None:
    codes = {code for code, _, _ in raised()}
    single = re.compile(r"(?<!`)`([a-z-]+\.[a-z.-]+)`(?!`)")
    found = [(at, codes.intersection(single.findall(said))) for at, said in docstrings()]
    assert [(at, named) for at, named in found if named] == []


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("As :func:`tidy` does.", "names stand in backticks, without a role"),
        ("Refusals: ``match.none``.", "say `Raises Refusal` of refusals"),
        ("Refusal: ``match.none``.", "say `Raises Refusal` of refusals"),
        ("Refusals as `match_start`.", "say `Raises Refusal` of refusals"),
        ("Raise the Refusal ``match.none``.", "say `Raises Refusal` of refusals"),
        ("Raises Refusal: ``match.none``.", "the code follows at once"),
        ("Raises `Busy`.", "what is raised is named plainly"),
    ],
)
def test_other_dialects_are_heard(said: str, rule: str) -> None:
    assert re.search(DIALECT[rule], said)
    assert not re.search(DIALECT[rule], "Raises Refusal as `tidy` does, and ``match.none``.")
