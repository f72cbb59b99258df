"""`script/soak`: what it needs, from a fresh checkout; `tests/support/soak.py` does the rest."""

import os
import signal
from collections.abc import Sequence

from script.lib.console import ROOT, Failure, say, shout, step
from script.lib.processes import spawn, stop
from script.lib.scratch import Scratch
from script.lib.supervisor import Stopped, raise_on_stop_signals
from script.lib.testbed import Testbed
from script.lib.venv import DEVELOPMENT, Environment


def main(arguments: Sequence[str]) -> int:
    """Run it, and return its exit code."""
    raise_on_stop_signals()
    try:
        python = Environment().ensure(DEVELOPMENT)
        with Scratch() as folder:
            testbed = Testbed(folder, python)
            try:
                step("Migrating")
                testbed.start()
                # The site there has servers of its own, which begin with a copy of these.
                child = spawn(
                    [python, "-m", "tests.support.soak", *arguments],
                    env={**os.environ, **testbed.environment()},
                    cwd=ROOT,
                    own_group=False,
                )
                try:
                    return child.wait()
                finally:
                    stop(child, signal.SIGTERM, 30)
            finally:
                testbed.stop()
    except Stopped:
        say("Stopped.")
        return 130
    except Failure as failure:
        shout(str(failure))
        return 1
