"""What benchmarks count with, and that they start. What they measure no test asserts."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from script.lib.console import ROOT

FOLDER = ROOT / "benchmarks"


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))


@pytest.mark.parametrize(
    "name",
    ["hung", "apart", "audit", "hostile", "live", "pythons", "scale", "storm", "timers"],
)
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


def test_what_was_early_late_or_given_back_is_told_apart() -> None:
    from timers import Expiring, found

    class Stand:
        site: Any = SimpleNamespace(
            # Three ran out, one of them early; one was given its time back, one never ran out.
            sql=lambda _query, _matches: [
                (1, 1_260, False), (2, 1_300, False), (3, 1_250, False), (4, 9_000, True),
                (5, None, False),
            ]
        )  # fmt: skip

    told = {1: 1_270, 2: 1_340, 3: 1_249, 4: 9_010}
    expiring = Expiring(dict.fromkeys(range(1, 6), 1_000), 250, told)
    result = found(Stand(), expiring)  # type: ignore[arg-type]
    assert (result["expiries"], result["enforced"], result["told"]) == (5, 3, 3)
    assert (result["given_back"], result["early"]) == (1, 2)
    assert result["enforced_ms"] == {"p50": 10.0, "p95": 50.0, "p99": 50.0, "longest": 50.0}
    assert result["told_ms"]["longest"] == 90.0
    assert expiring.first == 1.0


def test_turns_are_told_apart_by_when_valkey_stopped() -> None:
    from hung import Hang, Turn, rows

    turns = [
        Turn(0.5, 0.1, 9.0),  # before anything counts
        Turn(1.0, 0.010, 0.020), Turn(2.0, 0.012, 0.022), Turn(3.0, 0.014, 0.024),
        Turn(9.9, 0.2, 0.3),  # on its way as it stops
        Turn(10.5, 0.01, 0.02),
        Turn(12.0, 0.263, 0.02),  # whose ack alone took long
        Turn(13.0, 0.02, None),
        Turn(20.5, 0.01, 0.02),
        Turn(30.0, None, None),  # after the end
    ]  # fmt: skip
    found = rows([Hang(turns, began=1.0, stopped=10.0, resumed=20.0, ended=30.0)])
    counted = {name: (row["turns"], row["unseen"], row["over_250"]) for name, row in found.items()}
    assert counted == {
        "as usual": (3, 0, 0), "as it stops": (2, 0, 1), "while it hangs": (1, 1, 1),
        "afterwards": (1, 0, 0),
    }  # fmt: skip
    assert found["as usual"]["p50_ms"] == 22.0
    assert found["as it stops"]["more_ms"] == 278.0
    assert found["while it hangs"]["ack_more_ms"] == 251.0
