"""Logs tell what happened without telling secrets."""

import json
import os
import subprocess
import sys

import pytest

from config.logs import drop_sensitive
from script.lib.console import ROOT

SECRET = "correct-horse-battery"
CODE = f"""
from config.logs import configure
configure({{"json": JSON, "level": "INFO"}})
import structlog, logging
log = structlog.get_logger("t")
log.info("signed in", user=7, password={SECRET!r}, text={SECRET!r})
def deep(argument):
    raise ValueError("broken")
for logger in (log, logging.getLogger("plain")):
    try:
        deep({SECRET!r})
    except ValueError:
        logger.exception("failed")
"""


def run(json_lines: bool) -> str:
    done = subprocess.run(
        [sys.executable, "-c", CODE.replace("JSON", str(json_lines))],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr


def test_production_writes_one_json_object_per_line() -> None:
    lines = [json.loads(line) for line in run(json_lines=True).splitlines()]
    assert [line["event"] for line in lines] == ["signed in", "failed", "failed"]
    assert lines[0]["user"] == 7
    assert lines[0]["password"] == "[hidden]"
    assert all({"level", "timestamp", "logger"} <= set(line) for line in lines)
    assert lines[1]["exception"][0]["exc_type"] == "ValueError"


@pytest.mark.parametrize("json_lines", [True, False])
def test_tracebacks_hold_no_local_variables(json_lines: bool) -> None:
    output = run(json_lines)
    assert "ValueError" in output
    # The source line that holds it is ours; a frame's variables would repeat it elsewhere.
    assert SECRET not in output.replace(f"deep({SECRET!r})", "")


def test_sensitive_keys_are_blanked_whatever_their_case() -> None:
    event = drop_sensitive(None, "info", {"Password": "x", "text": "A1", "match": 3})
    assert event == {"Password": "[hidden]", "text": "[hidden]", "match": 3}
