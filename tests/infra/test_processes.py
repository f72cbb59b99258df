"""No child is left behind, and no stranger is ended in its place."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from script.lib.console import ROOT
from script.lib.processes import Register, identity, spawn, stop
from tests.support.site import wait_for

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
DEAF_CODE = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(60)
"""
DEAF = [sys.executable, "-c", DEAF_CODE]


def sleeper(tmp_path: Path) -> "subprocess.Popen[bytes]":
    return spawn(SLEEP, env=os.environ, cwd=tmp_path)


def test_orphans_are_ended_by_their_note(tmp_path: Path) -> None:
    register = Register(tmp_path / "run")
    child = sleeper(tmp_path)
    register.note("web", child.pid, signal.SIGTERM)
    told: list[str] = []
    # The test is the parent, so it must collect the ended child for it to be gone.
    signal.signal(signal.SIGCHLD, lambda _number, _frame: child.poll())
    try:
        assert register.end_orphans(say=told.append) == ["web"]
    finally:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    assert child.poll() == -signal.SIGTERM
    assert str(child.pid) in told[0]
    assert register.end_orphans() == []


def test_a_process_that_only_has_the_number_is_left_alone(tmp_path: Path) -> None:
    register = Register(tmp_path)
    stranger = sleeper(tmp_path)
    try:
        register.note("web", stranger.pid, signal.SIGTERM)
        note = tmp_path / "web.json"
        known = identity(stranger.pid)
        assert known is not None
        note.write_text(note.read_text().replace(known, "another boot:12"))
        assert register.end_orphans() == []
        assert stranger.poll() is None
        assert not note.exists()
    finally:
        stop(stranger, signal.SIGKILL, 5)


@pytest.mark.parametrize("content", ["", "{}", '{"pid": "x", "identity": 1, "signal": 15}', "[1]"])
def test_damaged_notes_are_dropped(tmp_path: Path, content: str) -> None:
    (tmp_path / "web.json").write_text(content)
    assert Register(tmp_path).end_orphans() == []
    assert not list(tmp_path.iterdir())


def test_the_deaf_are_killed(tmp_path: Path) -> None:
    child = spawn(DEAF, env=os.environ, cwd=tmp_path, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"deaf\n"
    assert stop(child, signal.SIGTERM, 0.3) is False
    assert child.returncode == -signal.SIGKILL
    child.stdout.close()


def test_stopping_takes_grandchildren_along(tmp_path: Path) -> None:
    code = f"import subprocess; print(subprocess.Popen({SLEEP!r}).pid, flush=True); input()"
    child = spawn(
        [sys.executable, "-c", code], env=os.environ, cwd=tmp_path, stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    grandchild = int(child.stdout.readline())
    stop(child, signal.SIGTERM, 5)
    wait_for(lambda: identity(grandchild) is None, what="the grandchild to end")
    child.stdout.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of a parent's death")
def test_children_of_a_killed_launcher_are_told(tmp_path: Path) -> None:
    code = (
        "import os, sys, time; from pathlib import Path; from script.lib.processes import spawn;"
        f"print(spawn({SLEEP!r}, env=os.environ, cwd=Path('.')).pid, flush=True); time.sleep(60)"
    )
    launcher = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
    )
    assert launcher.stdout is not None
    child = int(launcher.stdout.readline())
    assert identity(child) is not None
    launcher.kill()
    launcher.wait()
    wait_for(lambda: identity(child) is None, what="the child to end")
    launcher.stdout.close()
