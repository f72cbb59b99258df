"""Which Python is chosen, and what is tried under another one."""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from script.lib import another, python, suite, venv
from script.lib.console import ROOT, Failure
from script.lib.python import LINES
from tests.infra.test_venv import Recorded

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Puts a Python that says of itself what it is told to on the path, or another place."""
    folder = tmp_path / "path"
    monkeypatch.setenv("PATH", f"{tmp_path / 'nowhere'}::{folder}:{tmp_path / 'later'}")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setattr(suite, "raise_on_stop_signals", lambda: None)  # pytest has its own way

    def write(name: str, does: str, where: str = "path") -> Path:
        path = tmp_path / where / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{does}\n")
        path.chmod(0o755)
        return path

    return write


def test_it_knows_its_own_line() -> None:
    assert python.line() == python.line_of(Path(sys.executable))
    assert python.line() in LINES
    assert (ROOT / "requirements.txt").exists()


def test_the_first_of_a_line_that_starts_is_found(make: Make) -> None:
    make("python3.13", "exit 127")  # what a manager of versions has there for one not chosen
    managed = make("python3.13", "echo 3.13", "pyenv/versions/3.13.2/bin")
    make("python3.13", "echo 3.13t", "pyenv/versions/3.13.9/bin")
    assert python.find("3.13") == managed
    assert python.find("3.12") is None
    later = make("python3.13", "echo 3.13", "later")
    assert python.find("3.13") == later
    later.chmod(0o644)
    assert python.find("3.13") == managed


def require_under(
    version: tuple[int, int], monkeypatch: pytest.MonkeyPatch, *, flags: str = ""
) -> list[str]:
    """What the command is started again with, if it is."""
    started: list[str] = []

    def execv(path: str, _arguments: list[str]) -> None:
        started.append(path)
        raise SystemExit(0)

    monkeypatch.setattr("os.execv", execv)
    monkeypatch.setattr(sys, "version_info", (*version, 0))
    monkeypatch.setattr(sys, "abiflags", flags)
    try:
        python.require()
    except SystemExit as end:
        if end.code:
            raise
    return started


def test_one_that_is_too_old_hands_over_to_the_newest_that_starts(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=r"3\.11 or newer, and this is 3\.10"):
        require_under((3, 10), monkeypatch)
    make(f"python{LINES[-1]}", "exit 127")
    make("python3.12", "echo 3.12")
    make("python3.11", "echo 3.11")
    (path,) = require_under((3, 10), monkeypatch)
    assert Path(path).name == "python3.12"


@pytest.mark.parametrize("line", LINES)
def test_each_of_ours_goes_on_and_says_nothing(
    line: str, make: Make, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make("python3.12", "echo 3.12")
    major, minor = map(int, line.split("."))
    assert require_under((major, minor), monkeypatch) == []
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("version", "flags"), [((3, 99), ""), ((3, 13), "t")])
def test_one_that_nobody_has_tried_goes_on_and_says_so(
    version: tuple[int, int],
    flags: str,
    make: Make,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make("python3.12", "echo 3.12")
    assert require_under(version, monkeypatch, flags=flags) == []
    assert "Nobody has tried" in capsys.readouterr().err


def test_an_environment_of_another_build_of_the_same_version_starts_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One without the interpreter's lock takes other packages."""
    (tmp_path / "a.txt").write_text("one==1\n")
    environment = Recorded(tmp_path)
    environment.ensure(["a.txt"])
    monkeypatch.setattr(sys, "abiflags", "t")
    environment.ensure(["a.txt"])
    assert environment.installed == [["a.txt"], ["a.txt"]]


def test_another_folder_for_the_environment(tmp_path: Path) -> None:
    code = "from script.lib.venv import Environment; print(Environment().folder)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={venv.VARIABLE: str(tmp_path / "env")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(tmp_path / "env")


# -- script/test --python --------------------------------------------------------------------------


def under_another(make: Make, tmp_path: Path) -> None:
    """A Python 3.13 that notes what it is to run, and where its environment is."""
    make(
        "python3.13",
        f'[ "$1" = -S ] && echo 3.13 && exit\necho "$@" "${venv.VARIABLE}" > {tmp_path / "ran"}\n'
        "exit 3",
    )


def test_what_was_asked_for_is_run_under_another_python_in_its_own_environment(
    make: Make, tmp_path: Path
) -> None:
    under_another(make, tmp_path)
    assert suite.main(["--python", "3.13", "tests/games", "-k", "deadline", "--whole"]) == 3
    script, *arguments, folder = (tmp_path / "ran").read_text().split()
    assert Path(script) == ROOT / "script" / "test"
    assert arguments == ["tests/games", "-k", "deadline", "--whole"]
    assert Path(folder) == another.FOLDER / "3.13" != venv.VENV
    suite.main(["--python=3.13"])
    _script, *arguments, _folder = (tmp_path / "ran").read_text().split()
    assert tuple(arguments) == another.TELLING


def test_what_is_run_is_there() -> None:
    for path in another.TELLING[: another.TELLING.index("-n")]:
        file, _, test = path.partition("::")
        assert (ROOT / file).exists()
        assert not test or f"def {test}(" in (ROOT / file).read_text()


def test_any_other_is_the_farthest_that_is_here(
    make: Make,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 11, 0))
    assert another.others() == list(reversed(LINES[1:]))
    assert suite.main(["--python", "other"]) == 0
    assert "SKIPPED: none of Python 3.12" in capsys.readouterr().out
    make("python3.12", '[ "$1" = -S ] && echo 3.12')
    under_another(make, tmp_path)
    assert suite.main(["--python", "other"]) == 3
    assert (tmp_path / "ran").exists()
    monkeypatch.setattr(sys, "version_info", (3, 13, 0))
    assert another.others() == ["3.11", "3.14", "3.12"]


def test_one_that_was_named_and_is_not_here_is_a_failure(
    make: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Failure):
        another.run("3.12", [])
    assert suite.main(["--python", "3.12"]) == 1
    assert "no Python 3.12 here" in capsys.readouterr().out


# -- script/lock -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "marker"),
    [
        (LINES, ""),
        (LINES[:1], f' ; python_version < "{LINES[1]}"'),
        (LINES[2:], f' ; python_version >= "{LINES[2]}"'),
        (LINES[1:2], f' ; python_version >= "{LINES[1]}" and python_version < "{LINES[2]}"'),
    ],
)
def test_a_package_for_some_pythons_is_marked(lines: tuple[str, ...], marker: str) -> None:
    lock: dict[str, Any] = runpy.run_path(str(ROOT / "script" / "lock"))
    entry = "one==1 \\\n    --hash=sha256:a \\\n    --hash=sha256:b\n"
    marked = lock["marked"](entry, list(lines))
    assert marked == entry.replace("one==1", f"one==1{marker}")
