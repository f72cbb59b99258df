"""`script/soak`: what it needs, from a fresh checkout; `tests/support/soak.py` does the rest."""

import argparse
import os
import signal
from collections.abc import Sequence

from script.lib.console import ROOT, Failure, say, shout, step
from script.lib.processes import spawn, stop
from script.lib.scratch import Scratch
from script.lib.supervisor import Stopped, raise_on_stop_signals
from script.lib.testbed import Testbed
from script.lib.venv import DEVELOPMENT, Environment


def asked(arguments: Sequence[str]) -> argparse.Namespace:
    """What was asked for; `--help` is answered here, before anything is installed or started."""
    parser = argparse.ArgumentParser(
        prog="script/soak",
        description="Play matches while every part is killed, stopped and filled up at random. What"
        " clients were told is compared with the database all the time.",
    )
    parser.add_argument("--minutes", type=float, default=5.0, help="how long (%(default)g)")
    parser.add_argument("--seed", type=int, help="which faults, and when; drawn and shown if none")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """Run it, and return its exit code."""
    asked(arguments)
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
