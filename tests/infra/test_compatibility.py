"""Nothing of ours is what this Python, or a later one, takes for outdated."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

import pytest

from script.lib.console import ROOT
from tests.infra.test_repository import tracked
from tests.support.sources import PACKAGES, sources

# Imports what it is given, and names each module that warns, or that fails.
IMPORTING = """
import importlib, sys, warnings
import django
warnings.filterwarnings("error", category=DeprecationWarning, module=sys.argv[1])
django.setup()
for name in sys.stdin.read().split():
    try:
        importlib.import_module(name)
    except Exception as error:
        print(f"{name}: {error!r}")
"""


def complaint(text: bytes, name: str = "") -> str:
    """What the compiler has to say of a module."""
    with warnings.catch_warnings():
        # No others: what an earlier test left open may be collected, and warned of, meanwhile.
        warnings.simplefilter("error", SyntaxWarning)
        warnings.simplefilter("error", DeprecationWarning)
        try:
            compile(text, name, "exec", dont_inherit=True)
        except SyntaxError as error:  # what a warning becomes, too
            return f"{name}: {error}"
    return ""


def test_every_module_compiles_without_a_warning() -> None:
    ours = [path for path in tracked() if path.suffix == ".py"]
    ours += [path for path in (ROOT / "script").iterdir() if path.is_file()]
    assert len(ours) > 1000
    found = [complaint(path.read_bytes(), str(path.relative_to(ROOT))) for path in ours]
    assert list(filter(None, found)) == []


@pytest.mark.parametrize("text", [b"'\\d'", b"1 is 1", b"def f(:"])
def test_the_compiler_is_listened_to(text: bytes) -> None:
    assert complaint(b"'\\\\d'") == ""
    assert complaint(text)


def module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported(names: list[str], places: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING, places],
        input="\n".join(names),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def deprecated() -> str:
    """Where pytest takes a deprecation for an error."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]
    (found,) = (
        each.removeprefix("error::DeprecationWarning:")
        for each in settings["ini_options"]["filterwarnings"]
        if each.startswith("error::DeprecationWarning:")
    )
    return str(found)


def test_every_module_is_imported_without_a_warning() -> None:
    """Those of settings apart, which are chosen by the environment."""
    names = [name for name in map(module, sources()) if not name.startswith("config.settings.")]
    assert len(names) > 500
    assert imported(names, deprecated()) == ""


def test_a_module_that_warns_or_fails_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warns = "import warnings\nwarnings.warn('old', DeprecationWarning)"
    (tmp_path / "games_warn.py").write_text(warns)
    (tmp_path / "others_warn.py").write_text(warns)
    (tmp_path / "games_fail.py").write_text("import distutils_of_old")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    said = imported(["games_warn", "games_fail", "others_warn", "games"], "games_")
    assert [line.partition(":")[0] for line in said.splitlines()] == ["games_warn", "games_fail"]


def test_a_deprecation_in_any_package_of_ours_fails_its_test() -> None:
    for name in (*PACKAGES, "script", "tests"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", category=DeprecationWarning, module=deprecated())
            with pytest.raises(DeprecationWarning):
                warnings.warn_explicit("old", DeprecationWarning, "x.py", 1, f"{name}.inner")
            warnings.warn_explicit("old", DeprecationWarning, "x.py", 1, f"not_{name}.inner")
