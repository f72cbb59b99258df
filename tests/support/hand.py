"""A hand inside the running site: a process with the site's settings that does what tests ask.

The site has a database of its own, so tests cannot call its services in their own process, and to
start a Python for each wish takes a second or more. For the same reason another hand starts the
site's processes: forked from it, they have everything imported already. What they run and what they
are to others is the same. This module is also what that process runs.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import runpy
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from config import celery_app
from script.lib.console import ROOT
from script.lib.processes import die_with_parent, stop

# Makes its event loop when it is imported, which two cannot share: each imports its own.
SERVER = "daphne.server"


class HandError(Exception):
    """What was asked of the hand has failed; the message is its traceback."""


class Hand:
    """Asks the process, which is started by the first question."""

    def __init__(self, env: Mapping[str, str], files: Sequence[int] = ()) -> None:
        """The process has the environment, and the open files that it may pass on."""
        self.env = env
        self.files = files
        self.child: subprocess.Popen[bytes] | None = None

    def call(self, what: str, **arguments: Any) -> Any:
        """Call ``module:function`` with arguments and return its value, both of JSON's kinds."""
        return self._ask({"call": what, "arguments": arguments})

    def run(self, code: str) -> str:
        """Run code and return what it printed."""
        printed: str = self._ask({"run": code})
        return printed

    def start(
        self, module: str, arguments: Sequence[str], log: Path, files: Sequence[int] = ()
    ) -> Born:
        """Start what ``python -m module`` would, with its output at the end of a file."""
        question = {
            "start": module, "arguments": list(arguments), "log": str(log),
            "close": [each for each in self.files if each not in files],
        }  # fmt: skip
        return Born(self, self._ask(question))

    def ended(self, pid: int) -> int | None:
        """What a process that was started so has ended with, if it has."""
        if self.child is None:
            return -signal.SIGKILL  # with the hand
        code: int | None = self._ask({"ended": pid})
        return code

    def _ask(self, question: dict[str, Any]) -> Any:
        if self.child is None:
            self.child = subprocess.Popen(
                [sys.executable, "-m", "tests.support.hand"],
                env=self.env,
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=self.files,
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


class Born:
    """A process that a hand has started."""

    def __init__(self, hand: Hand, pid: int) -> None:
        self.hand = hand
        self.pid = pid
        self.code: int | None = None

    def poll(self) -> int | None:
        """What it ended with, if it has."""
        if self.code is None:
            self.code = self.hand.ended(self.pid)
        return self.code

    def wait(self, timeout: float | None = None) -> int:
        """The same, once it has. Raises subprocess.TimeoutExpired after so many seconds."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if timeout is not None and deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(0.02)
        return code


# -- inside the process --------------------------------------------------------------------------


def _start(module: str, arguments: Sequence[str], log: str, close: Sequence[int]) -> int:
    """Fork. Nothing was asked before that connects, which two would then make use of."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        die_with_parent(signal.SIGKILL)
        for number in close:
            os.close(number)
        sys.modules.pop(SERVER, None)
        with Path(log).open("ab") as written, Path(os.devnull).open("rb") as nothing:
            for file, number in ((nothing, 0), (written, 1), (written, 2)):
                os.dup2(file.fileno(), number)
        sys.argv = [module, *arguments]
        runpy.run_module(module, run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else end.code is not None
    except BaseException:  # noqa: BLE001  (as the interpreter would)
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _ended(pid: int) -> int | None:
    found, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


def _answer(question: dict[str, Any]) -> Any:
    if "start" in question:
        return _start(**{"module": question.pop("start"), **question})
    if "ended" in question:
        return _ended(question["ended"])
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
    from django.urls import get_resolver

    sys.modules[SERVER] = ModuleType(SERVER)
    django.setup()
    celery_app.loader.import_default_modules()
    _ = get_resolver().url_patterns
    gc.freeze()  # what is shared with those that are forked stays so
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
