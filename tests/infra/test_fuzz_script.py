"""`script/fuzz` itself: it tries as many as it is asked for, and shows what was at fault."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from script.lib.console import ROOT

pytestmark = pytest.mark.slow

# Put before the tests as a plugin of pytest: frames are met with a fault.
BROKEN = """
def pytest_collection_modifyitems(items):
    import tests.security.handed_in.test_fuzz as fuzz

    def incoming(text):
        raise ValueError("broken on purpose")

    fuzz.incoming = incoming
"""


def test_it_tries_as_many_as_are_asked_for_and_says_what_is_at_fault(tmp_path: Path) -> None:
    (tmp_path / "broken_frames.py").write_text(BROKEN)
    done = subprocess.run(
        [
            sys.executable, ROOT / "script" / "fuzz", "--examples", "7",
            "-k", "test_moves or test_frames and not come", "-p", "broken_frames",
            "--hypothesis-show-statistics",
        ],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )  # fmt: skip
    said = done.stdout
    assert done.returncode == 1, said
    assert "1 failed, 1 passed" in said
    # Moves went well, as often as was asked for.
    assert re.search(r"test_moves.*?\b7 passing, 0 failing", said, re.DOTALL), said
    # And of frames one is shown that failed, with what it takes to try it again.
    assert "ValueError: broken on purpose" in said
    assert "frame=b'" in said
    assert "reproduce_failure" in said
