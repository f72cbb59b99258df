"""A hand inside the running site: a process with the site's settings that does what tests ask.

The site has a database of its own, so tests cannot call its services in their own process, and to
start a Python for each wish takes a second or more. This module is also what that process runs.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping
from typing import Any

from script.lib.console import ROOT
from script.lib.processes import stop


class HandError(Exception):
    """What was asked of the hand has failed; the message is its traceback."""


class Hand:
    """Asks the process, which is started by the first question."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = env
        self.child: subprocess.Popen[bytes] | None = None

    def call(self, what: str, **arguments: Any) -> Any:
        """Call ``module:function`` with arguments and return its value, both of JSON's kinds."""
        return self._ask({"call": what, "arguments": arguments})

    def run(self, code: str) -> str:
        """Run code and return what it printed."""
        printed: str = self._ask({"run": code})
        return printed

    def _ask(self, question: dict[str, Any]) -> Any:
        if self.child is None:
            self.child = subprocess.Popen(
                [sys.executable, "-m", "tests.support.hand"],
                env=self.env,
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.child.stdin.write(json.dumps(question).encode() + b"\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        if not line:
            self.end()  # the next question starts another one
            raise HandError("the hand has ended; see the captured standard error")
        answer = json.loads(line)
        if "error" in answer:
            raise HandError(answer["error"])
        return answer["value"]

    def end(self) -> None:
        """End the process, if there is one."""
        if self.child is not None:
            with self.child as child:
                stop(child, signal.SIGTERM, 10)
            self.child = None


# -- inside the process --------------------------------------------------------------------------


def _answer(question: dict[str, Any]) -> Any:
    if "call" in question:
        module, _, function = question["call"].partition(":")
        return getattr(importlib.import_module(module), function)(**question["arguments"])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(question["run"], "<test>", "exec"), {"__name__": "__test__"})  # noqa: S102
    return printed.getvalue()


def main() -> None:
    """Answer one question a line until there are no more."""
    import django
    from django.db import connections

    django.setup()
    for line in sys.stdin:
        try:
            answer = {"value": _answer(json.loads(line))}
        except Exception:  # noqa: BLE001  (told to whoever asked)
            answer = {"error": traceback.format_exc()}
        connections.close_all()  # tests cut connections off, and drop databases
        sys.stdout.write(json.dumps(answer, default=str) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
