"""What benchmarks count with, and that they start. What they measure no test asserts."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter

import pytest

from script.lib.console import ROOT

FOLDER = ROOT / "benchmarks"


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))


@pytest.mark.parametrize("name", ["live", "pythons", "scale", "storm"])
def test_it_starts(name: str) -> None:
    done = subprocess.run(
        [sys.executable, FOLDER / f"{name}.py", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout


def test_statements_are_counted_however_they_are_asked() -> None:
    from wire import Session

    counted: Counter[str] = Counter()
    session = Session(lambda verb: counted.update([verb]))
    session.sent(b"Q", b"BEGIN\0")
    session.sent(b"P", b"\0select 1\0\0\0")
    session.sent(b"P", b"kept\0  Update t SET a = 1\0\0\0")
    for _ in range(2):  # prepared once, carried out twice
        session.sent(b"B", b"\0kept\0\0\0\0\0\0\0")
        session.sent(b"E", b"\0\0\0\0\0")
    session.sent(b"B", b"\0\0\0\0\0\0\0\0")
    session.sent(b"E", b"\0\0\0\0\0")
    session.sent(b"S", b"")
    assert counted == {"BEGIN": 1, "UPDATE": 2, "SELECT": 1}


def test_the_time_of_children_that_have_ended_counts() -> None:
    from processor import seconds_of

    burn = "import time\nend = time.process_time() + 0.4\nwhile time.process_time() < end: pass"
    # A parent that waits for a child, and then for us.
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}]); print(1)"
    with subprocess.Popen(
        [sys.executable, "-c", f"{code}; sys.stdout.flush(); sys.stdin.read()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        assert seconds_of(parent.pid) >= 0.38
        assert parent.stdin is not None
        parent.stdin.close()


def test_a_pace_is_shared_by_those_that_are_still_on() -> None:
    from driving import Pace

    pace, source = Pace(100.0, 50), random.Random(1)
    many = sum(pace.pause(source) for _ in range(4000)) / 4000
    pace.on = 5
    few = sum(pace.pause(source) for _ in range(4000)) / 4000
    assert many == pytest.approx(0.5, rel=0.1)
    assert few == pytest.approx(0.05, rel=0.1)


def test_tables_are_markdown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    from tables import print_table

    print_table(["", "ms"], [["a turn", 1.25], ["none", None]], markdown=True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["|  | ms |", "| --- | ---: |", "| a turn | 1.25 |"]
