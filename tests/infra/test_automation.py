"""What runs our checks without being asked: the hooks of git."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from script.lib.console import ROOT

HOOKS = ROOT / ".pre-commit-config.yaml"


def linters() -> list[list[str]]:
    """The linters of .ci/run, each as the words of its command."""
    commands = re.findall(r'^check "\$bin/(.+)$', (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
    return [shlex.split(command.replace('"', "", 1)) for command in commands]


def hooks() -> list[dict[str, Any]]:
    (repository,) = yaml.safe_load(HOOKS.read_text())["repos"]
    assert repository["repo"] == "local"  # anything else would be fetched
    found: list[dict[str, Any]] = repository["hooks"]
    return found


def test_the_hooks_are_understood() -> None:
    command = [str(Path(sys.executable).with_name("pre-commit")), "validate-config", str(HOOKS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_hooks_are_the_linters_of_ci() -> None:
    """From the virtual environment, so of one version; those for files are given names of files."""
    ran = [shlex.split(hook["entry"]) for hook in hooks()]
    assert [words[0] for words in ran] == [f".venv/bin/{words[0]}" for words in linters()]
    for hook, words, wanted in zip(hooks(), ran, linters(), strict=True):
        asked = wanted[1:] if hook.get("pass_filenames") is False else wanted[1:-1]
        assert [word for word in words[1:] if word != "--force-exclude"] == asked


@pytest.mark.parametrize("linter", [words[0] for words in linters()])
def test_the_linters_are_pinned(linter: str) -> None:
    assert (Path(sys.executable).parent / linter).exists()
