"""Rules are the same compiled and as they stand; what was compiled of others is not taken."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from core import compiled
from script.lib import compiler, compiling
from script.lib.console import ROOT
from script.lib.venv import COMPILING, Environment
from tests.support import depth

# What decides how modules are found; the rest of the environment is the test run's.
OURS = (compiled.VARIABLE, "GAUNTLET_DATA")
NOTHING: Mapping[str, str] = MappingProxyType({})
PLAIN: Mapping[str, str] = MappingProxyType({compiled.VARIABLE: "1"})
SEARCH = "games.rulesets.peg_domain.search"
# Beside the interpreter's own, all that a process of the rules needs of a checkout.
NEEDED = ("core", "games", "script", "requirements-compile.txt")


def run(*arguments: str, root: Path = ROOT, variables: Mapping[str, str] = NOTHING) -> str:
    """What another process prints, with these variables and none of ours else."""
    env = {name: value for name, value in os.environ.items() if name not in OURS}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=root,
        env={**env, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def made() -> Path:
    """What is compiled of this checkout; made, where that has not been done."""
    said = run("-m", "script.lib.compiler", "--build")
    if said != "there":
        pytest.skip(f"rules cannot be compiled here: {said}")
    return ROOT / ".data" / "compiled" / compiled.fingerprint()


def test_the_command_compiles(made: Path) -> None:
    """As README has it: by itself, from the shell."""
    assert run(str(ROOT / "script" / "compile")).splitlines()[-1] == f"Compiled, in {made.parent}."


def taken(root: Path = ROOT, variables: Mapping[str, str] = NOTHING) -> list[str]:
    """Which modules a process takes compiled, where it plays; and that it can."""
    code = (
        "import sys, json, games.rulesets\n"
        "from core import compiled\n"
        f"from {SEARCH} import some_turn\n"
        "native = type(some_turn).__name__ != 'function'\n"
        "assert native == bool(compiled.installed()), some_turn\n"
        "print(json.dumps(compiled.installed()))"
    )
    found: list[str] = json.loads(run("-c", code, root=root, variables=variables))
    return found


def named() -> list[str]:
    return sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in compiled.sources()
    )


def test_what_is_worth_it_is_there() -> None:
    assert SEARCH in named()
    assert [path for path in compiled.sources() if not path.is_file()] == []


def test_compiled_modules_are_in_use_where_they_are_there(made: Path) -> None:
    assert taken() == named()
    assert taken(variables=PLAIN) == []


def test_both_play_the_same(made: Path) -> None:
    """Every match from the same numbers, in steps and in batches, and every pinned record."""

    def said(variables: Mapping[str, str]) -> dict[str, Any]:
        matches = str(depth.examples(9))
        found: dict[str, Any] = json.loads(
            run("-m", "tests.rulesets.played", matches, variables=variables)
        )
        return found

    fast, plain = said(NOTHING), said(PLAIN)
    assert (fast["compiled"], plain["compiled"]) == (named(), [])
    assert fast["played"] == plain["played"]


@pytest.fixture
def checkout(made: Path, tmp_path: Path) -> Path:
    """A copy of what the rules need, with what was compiled of it."""
    for name in NEEDED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "static", "migrations")
            shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(made, tmp_path / ".data" / "compiled" / made.name)
    return tmp_path


@pytest.mark.parametrize(
    "changed",
    [
        "games/rulesets/peg_domain/search.py",
        "games/rulesets/peg_domain/moves.py",  # not compiled itself
        "games/rulesets/domino_wars/compiled.txt",
        "games/engine/chance.py",
        "core/refusals.py",
        "requirements-compile.txt",
    ],
)
def test_a_source_that_was_edited_runs_as_it_stands(checkout: Path, changed: str) -> None:
    assert taken(checkout) == named()
    path = checkout / changed
    text = path.read_text()
    path.write_text(text + "\n")
    assert taken(checkout) == []
    path.write_text(text)
    assert taken(checkout) == named()


def test_an_edited_source_is_what_runs(checkout: Path) -> None:
    path = checkout / "games" / "rulesets" / "peg_domain" / "search.py"
    path.write_text(path.read_text().replace("_GROWN: Final = 4", "_GROWN: Final = 5"))
    said = run("-c", f"from {SEARCH} import _GROWN; print(_GROWN)", root=checkout)
    assert said == "5"


def test_what_is_not_whole_is_not_taken(checkout: Path) -> None:
    (folder,) = (checkout / ".data" / "compiled").iterdir()
    (folder / compiled.MANIFEST).write_text('{"games')
    assert taken(checkout) == []
    (folder / compiled.MANIFEST).unlink()
    assert taken(checkout) == []


# -- where it cannot be done ---------------------------------------------------------------------


def asked(root: Path, variables: Mapping[str, str], *arguments: str) -> str:
    return run("-m", "script.lib.compiler", *arguments, root=root, variables=variables)


@pytest.fixture
def bare(checkout: Path) -> Path:
    """A copy of which nothing has been compiled."""
    shutil.rmtree(checkout / ".data")
    return checkout


def test_without_a_compiler_it_says_so_and_everything_runs(bare: Path) -> None:
    missing = {"CC": "no-such-compiler -pthread"}
    said = asked(bare, missing, "--build")
    assert said == "without there is no C compiler (no-such-compiler)"
    assert asked(bare, missing) == said
    assert taken(bare, missing) == []


def test_without_headers_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    monkeypatch.setenv("CC", sys.executable)
    assert "headers of Python" in compiler.lacking()
    (tmp_path / "Python.h").touch()
    assert compiler.lacking() == ""


def test_a_compiler_that_fails_is_asked_once(bare: Path) -> None:
    failing = {"CC": "false"}
    said = asked(bare, failing, "--build")
    (log,) = (bare / ".data" / "compiled").glob("*.log")
    assert said.startswith("without it failed")
    assert str(log) in said
    assert "Error" in log.read_text()
    assert asked(bare, failing).startswith("without it failed before")
    assert taken(bare) == []
    assert [path for path in log.parent.iterdir() if path.is_dir()] == []


@pytest.mark.parametrize(
    ("says", "plain", "line"),
    [
        ("there", False, ""),
        ("there", True, "--plain says so"),
        ("without there is no C compiler (cc)", False, "there is no C compiler (cc)"),
        ("", False, "nobody says why"),
    ],
)
def test_the_two_commands_go_on_with_a_line(
    says: str,
    plain: bool,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv(compiled.VARIABLE, raising=False)
    monkeypatch.setattr(compiling, "_asked", lambda *_: says)
    there = compiling.ensure(Environment(), plain=plain)
    printed = capsys.readouterr().out
    assert there == (not line)
    assert printed == (f"{compiling.PLAIN}: {line}.\n" if line else "")


def test_the_packages_are_installed_only_where_something_is_to_be_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed: list[object] = []

    class Noted(Environment):
        def ensure(self, lists: object) -> Path:
            installed.append(lists)
            return self.python

    monkeypatch.delenv(compiled.VARIABLE, raising=False)
    answers = ["there"]
    monkeypatch.setattr(compiling, "_asked", lambda *_: answers.pop(0))
    assert compiling.ensure(Noted(tmp_path))
    assert installed == []
    answers += ["wanted", "there"]
    assert compiling.ensure(Noted(tmp_path))
    assert installed == [COMPILING]
