"""What runs our checks without being asked: the hooks of git, and CI on GitHub."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from script.lib.console import ROOT
from script.lib.lint import CHECKS
from script.lib.python import LINES
from tests.support.sources import PACKAGES

HOOKS = ROOT / ".pre-commit-config.yaml"
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"


def linters() -> list[list[str]]:
    """The linters of CI that read Python, each as the words of its command."""
    return CHECKS["python"]


def hooks() -> list[dict[str, Any]]:
    (repository,) = yaml.safe_load(HOOKS.read_text())["repos"]
    assert repository["repo"] == "local"  # anything else would be fetched
    found: list[dict[str, Any]] = repository["hooks"]
    return found


def workflow() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(WORKFLOW.read_text())
    return found


def test_the_hooks_are_understood() -> None:
    command = [str(Path(sys.executable).with_name("pre-commit")), "validate-config", str(HOOKS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_hooks_are_the_linters_of_ci() -> None:
    """From the virtual environment, so of one version; those for files are given names of files."""
    *pythons, scripts = hooks()
    assert scripts["entry"] == "script/lint scripts"
    ran = [shlex.split(hook["entry"]) for hook in pythons]
    assert [words[0] for words in ran] == [f".venv/bin/{words[0]}" for words in linters()]
    for hook, words, wanted in zip(pythons, ran, linters(), strict=True):
        asked = wanted[1:] if hook.get("pass_filenames") is False else wanted[1:-1]
        assert [word for word in words[1:] if word != "--force-exclude"] == asked


@pytest.mark.parametrize("linter", [words[0] for words in linters()])
def test_the_linters_are_pinned(linter: str) -> None:
    assert (Path(sys.executable).parent / linter).exists()


def test_ci_runs_what_has_to_pass_for_whoever_proposes_a_change() -> None:
    # YAML 1.1, which GitHub does not read it by, has "on" for true.
    asked: Any = workflow()
    assert set(asked[True]) == {"push", "pull_request", "schedule", "workflow_dispatch"}
    ran = {name: commands(job) for name, job in asked["jobs"].items()}
    line = "${{ matrix.python }}"
    assert ran == {
        "everything": [".ci/run"], "pythons": [f"script/test --python {line}"],
        "audit": ['script/audit || test "$?" -eq 3'],
        "whole": ["script/test --whole --cov --cov-report="],
        "fuzz": ["script/fuzz"],
    }  # fmt: skip
    asks = {name: job["if"] for name, job in asked["jobs"].items()}
    for by_night in ("audit", "whole", "fuzz"):
        assert asks.pop(by_night).startswith("github.event_name == 'schedule' ||")
    assert set(asks.values()) == {"github.event_name != 'schedule'"}
    for job in asked["jobs"].values():
        assert job["runs-on"].startswith("ubuntu-")
    assert asked["jobs"]["everything"]["timeout-minutes"] == 90


def test_ci_holds_the_floor_of_what_tests_reach_for_all_that_is_ours() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["coverage"]
    assert set(settings["run"]["source"]) == set(PACKAGES)
    assert settings["report"]["fail_under"] >= 80
    assert "--cov" in commands(workflow()["jobs"]["whole"])[0].split()


def commands(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


def test_ci_may_read_and_nothing_else() -> None:
    assert workflow()["permissions"] == {"contents": "read"}
    assert not any("permissions" in job for job in workflow()["jobs"].values())


def test_ci_runs_actions_that_nobody_can_change() -> None:
    for job in workflow()["jobs"].values():
        actions = [step["uses"] for step in job["steps"] if "uses" in step]
        assert actions
        for action in actions:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action)


def test_ci_runs_everything_under_the_oldest_python_and_tries_each_other() -> None:
    def version(job: dict[str, Any]) -> str:
        (found,) = [
            step["with"]["python-version"] for step in job["steps"] if "setup-python" in str(step)
        ]
        return str(found)

    jobs = workflow()["jobs"]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    oldest, *others = LINES
    for name in ("everything", "whole", "fuzz"):
        assert version(jobs[name]) == oldest
    assert oldest == settings["mypy"]["python_version"]
    assert settings["ruff"]["target-version"] == f"py{oldest.replace('.', '')}"
    assert version(jobs["pythons"]) == "${{ matrix.python }}"
    assert jobs["pythons"]["strategy"]["matrix"]["python"] == others
