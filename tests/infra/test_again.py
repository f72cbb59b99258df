"""What fails beside others is looked at once more, alone."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from script.lib import again, suite
from script.lib.console import ROOT
from script.lib.suite import Suite

if TYPE_CHECKING:
    from pathlib import Path

NAME = "tests/infra/test_depth.py::test_it"


class Runs:
    """Stands for pytest: what each run was asked for, and what it says."""

    def __init__(self, failed: Path, *answers: tuple[int, list[str]]) -> None:
        self.failed, self.answers = failed, list(answers)
        self.asked: list[list[str]] = []

    def __call__(self, _env: dict[str, str], arguments: list[str]) -> int:
        self.asked.append(list(arguments))
        code, names = self.answers.pop(0)
        self.failed.write_text("\n".join(names))
        return code


def ran(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    arguments: list[str],
    *answers: tuple[int, list[str]],
) -> tuple[list[str], list[list[str]]]:
    """What the suite says of these runs, and what each of them was asked for."""
    runs = Runs(folder / "failed", *answers)
    monkeypatch.setattr(Suite, "__init__", lambda _self: None)
    monkeypatch.setattr(Suite, "_pytest", runs)
    found = Suite()._tests({again.VARIABLE: str(runs.failed)}, arguments)
    assert runs.answers == []
    return found, runs.asked


def test_what_passes_alone_is_named_and_fails_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [NAME, "tests/games/test_x.py::test_y[a b]"]
    found, asked = ran(monkeypatch, tmp_path, ["tests", "-q"], (1, names), (0, []))
    assert found == []
    assert asked[0][-2:] == ["tests", "-q"]
    assert "-n" in asked[0]
    assert asked[1] == ["-q", *names]
    said = capsys.readouterr().out
    assert "UNSTEADY" in said
    assert all(f"!! {name}\n" in said for name in names)


def test_what_fails_alone_too_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(monkeypatch, tmp_path, [], (1, [NAME]), (1, [NAME]))[0] == ["tests"]
    assert "UNSTEADY" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "count"),
    [(1, again.AT_MOST + 1), (1, 0), (2, 1), (3, 1), (4, 1), (5, 1), (-9, 1)],
)
def test_nothing_else_gets_a_second_look(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int, count: int
) -> None:
    """Neither many at once, nor a run that did not come to its end."""
    names = [f"{NAME}[{number}]" for number in range(count)]
    assert ran(monkeypatch, tmp_path, [], (code, names)) == (
        ["tests"],
        [["-n", "4", "--dist", "loadgroup"]],
    )


@pytest.mark.parametrize("arguments", [["-n", "2"], ["tests/infra/test_depth.py"], ["--pdb"]])
def test_nor_does_what_ran_alone_or_as_somebody_chose(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str]
) -> None:
    assert ran(monkeypatch, tmp_path, arguments, (1, [NAME]))[0] == ["tests"]


def test_coverage_of_both_runs_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _found, asked = ran(monkeypatch, tmp_path, ["--cov"], (1, [NAME]), (0, []))
    assert asked[1] == ["--cov", "--cov-append", NAME]


# Fails in its call, before it, and after it; in a group, whose name is added to that of the test.
FAILING = """
import pytest

@pytest.fixture
def broken():
    raise ValueError

@pytest.fixture
def left():
    yield
    raise ValueError

@pytest.mark.xdist_group("together")
@pytest.mark.parametrize("value", ["a", "b@c", "d [e]"])
def test_fails(value):
    assert value == "a"

def test_passes(): ...
def test_is_not_begun(broken): ...
def test_does_not_clean_up(left): ...
"""


def test_each_that_failed_is_written_down_as_it_is_called(tmp_path: Path) -> None:
    """By several workers, and under names with which pytest finds them again."""
    (tmp_path / "conftest.py").write_text(
        'pytest_plugins = ["tests.support.failures", "tests.support.fixtures"]'
    )
    (tmp_path / "test_it.py").write_text(FAILING)
    failed = tmp_path / "failed"
    # As from a terminal: this test may be in a worker itself.
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}

    def run(*arguments: str) -> int:
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", ".",
             "-q", "-o", "addopts=", "-p", "no:schemathesis", "-p", "no:django", *arguments],
            cwd=tmp_path,
            env={**env, again.VARIABLE: str(failed), "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            check=False,
        ).returncode  # fmt: skip

    assert run("-n", "2", "--dist", "loadgroup", ".") == suite.TESTS_FAILED
    names = failed.read_text().splitlines()
    assert {name.removeprefix("test_it.py::") for name in names} == {
        "test_fails[b@c]", "test_fails[d [e]]", "test_is_not_begun", "test_does_not_clean_up",
    }  # fmt: skip
    assert run(*names) == suite.TESTS_FAILED
    assert sorted(failed.read_text().splitlines()) == sorted(names)
