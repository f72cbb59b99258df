"""The audit of what we stand on: every list is asked about, nothing is lived with for ever, and a
database that does not answer is taken neither for good news nor for bad."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from script.lib import audit
from script.lib.console import ROOT, Failure
from script.lib.venv import DEVELOPMENT

TODAY = date(2026, 11, 30)
PYTHON = json.dumps(
    {
        "dependencies": [
            {"name": "django", "version": "5.2.8", "vulns": []},
            {
                "name": "pillow",
                "version": "12.0.0",
                "vulns": [
                    {"id": "PYSEC-1", "aliases": ["CVE-1"], "fix_versions": ["12.0.1"]},
                    {"id": "PYSEC-2", "aliases": [], "fix_versions": []},
                ],
            },
        ],
        "fixes": [],
    }
)
NODE = json.dumps(
    {
        "auditReportVersion": 2,
        "vulnerabilities": {
            "koa": {
                "fixAvailable": {"version": "3.0.1"},
                "via": [{"url": "https://example.org/advisories/GHSA-1", "range": "<3.0.1"}],
            },
            "boardgame.io": {"fixAvailable": False, "via": ["koa"]},
        },
    }
)
SOUND = json.dumps({"auditReportVersion": 2, "vulnerabilities": {}})
REFUSED = '{"message": "405 Method Not Allowed", "error": {"summary": ""}}'


@pytest.fixture(autouse=True)
def without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of the tool is not made."""
    monkeypatch.setattr(audit, "_make", lambda _folder: None)
    monkeypatch.setattr(audit, "wheel", lambda _python: Path("/nowhere"))


def answering(python: str, node: str) -> Any:
    commands: list[tuple[list[str], Path]] = []

    def run(command: Any, folder: Path) -> str:
        commands.append(([str(each) for each in command], folder))
        return python if "pip-audit" in str(command[0]) else node

    return run, commands


def test_everything_that_is_pinned_is_asked_about() -> None:
    run, commands = answering(PYTHON, SOUND)
    found, unasked = audit.ask(ROOT, Path("python"), run)
    assert unasked == []
    named = {Path(word).name for word in commands[0][0] if word.endswith(".txt")}
    assert named == set(DEVELOPMENT) == {path.name for path in ROOT.glob("requirements*.txt")}
    locked = {
        path.parent
        for path in (*ROOT.glob("*/*/package-lock.json"), *ROOT.glob("package-lock.json"))
        if "node_modules" not in path.parts and ".data" not in path.parts
    }
    assert {folder.resolve() for _command, folder in commands[1:]} == locked
    assert [finding.package for finding in found] == ["pillow", "pillow"]


def test_what_is_found_fails_and_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    found = [*audit.of_python(PYTHON), *audit.of_node(NODE)]
    assert audit.judge(found, [], [], TODAY) == 1
    said = capsys.readouterr().out
    assert "pillow 12.0.0: PYSEC-1, CVE-1 (mended in 12.0.1)" in said
    assert "PYSEC-2 (not mended yet)" in said
    assert "koa <3.0.1: GHSA-1 (mended in 3.0.1)" in said


def test_nothing_found_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.judge([], [], [], TODAY) == 0
    assert "Nothing is known" in capsys.readouterr().out


@pytest.mark.parametrize("said", ["", "ERROR: connection refused", REFUSED, "[]", "{}"])
def test_no_answer_is_neither_bad_news_nor_good(
    said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run, _commands = answering(said, said)
    found, unasked = audit.ask(ROOT, Path("python"), run)
    assert len(unasked) == 1 + len(audit.LOCKED)
    assert audit.judge(found, unasked, [], TODAY) == audit.NOT_AUDITED
    told = capsys.readouterr().out
    assert "!! NOT AUDITED" in told
    assert all(f"!! {each}" in told for each in unasked)
    assert "Nothing is known" not in told


def test_what_is_found_counts_beside_what_could_not_be_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run, _commands = answering(PYTHON, "")
    found, unasked = audit.ask(ROOT, Path("python"), run)
    assert audit.judge(found, unasked, [], TODAY) == audit.FOUND
    assert "NOT AUDITED" in capsys.readouterr().out


def test_how_it_ends_is_told_apart_and_documented() -> None:
    codes = [audit.CLEAN, audit.FOUND, audit.NOT_AUDITED]
    assert len({*codes, 2}) == 4  # 2: called with what it does not know
    page = (ROOT / "docs" / "security.md").read_text()
    table = page.partition("| ends with | what that says |")[2].partition("\n\n")[0]
    assert [row.split(" ")[0] for row in table.split("\n| ")[1:]] == [str(code) for code in codes]
    assert "NOT AUDITED" in (ROOT / "script" / "audit").read_text()


def test_one_that_is_left_out_is_no_answer() -> None:
    """And what was said of the others counts."""
    told = json.loads(PYTHON)
    told["dependencies"].append({"name": "x", "skip_reason": "not on the index"})
    with pytest.raises(audit.NoAnswer, match=r"of 1 of them \(x\)") as raised:
        audit.of_python(json.dumps(told))
    assert [finding.package for finding in raised.value.found] == ["pillow", "pillow"]


def entry(**change: Any) -> str:
    row = {"id": "CVE-1", "package": "pillow", "why": "never called", "until": TODAY, **change}
    lines = [
        f"{key} = {value if isinstance(value, date) else json.dumps(value)}"
        for key, value in row.items()
        if value is not None
    ]
    return "\n".join(["[[known]]", *lines])


def test_what_is_lived_with_fails_nothing_until_its_day(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = audit.of_python(PYTHON)[:1]
    lived_with = audit.known(entry(), TODAY)
    assert audit.judge(found, [], lived_with, TODAY) == 0
    assert audit.judge(found, [], lived_with, TODAY + timedelta(days=1)) == 1
    assert "look again" in capsys.readouterr().out
    other = audit.known(entry(package="django"), TODAY)
    assert audit.judge(found, [], other, TODAY) == 1


@pytest.mark.parametrize(
    "change", [{"why": " "}, {"why": None}, {"until": None}, {"until": TODAY + timedelta(days=91)}]
)
def test_nothing_is_lived_with_without_a_reason_or_for_long(change: dict[str, Any]) -> None:
    with pytest.raises(Failure):
        audit.known(entry(**change), TODAY)


def test_our_own_list_can_be_read() -> None:
    assert all(row.why for row in audit.known((ROOT / audit.KNOWN).read_text(), TODAY))
