"""`script/compile`: the modules that rulesets name for it, compiled; `script/server` and
`script/test` ask for it, too.

Nothing depends on it: where it cannot be done, they run as they stand, and a line says why. What
has been compiled is kept below `.data/compiled` (`core/compiled.py`), so it is done again only when
something has changed.
"""

import argparse
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.compiled import VARIABLE, kept
from script.lib.console import ROOT, Failure, say, shout, step
from script.lib.processes import spawn, stop
from script.lib.venv import COMPILING, RUNTIME, Environment

LONGEST_S = 900
PLAIN_ARGUMENT = "--plain"
PLAIN = "Rules run as they stand, not compiled"


def main(arguments: Sequence[str]) -> int:
    """Compile what is to be compiled; return 0 only where it is then there."""
    parser = argparse.ArgumentParser(prog="script/compile", description=(__doc__ or "").strip())
    parser.parse_args(arguments)
    try:
        environment = Environment()
        environment.ensure(RUNTIME)
        there = ensure(environment)
    except Failure as failure:
        shout(str(failure))
        return 1
    if there:
        say(f"Compiled, in {kept()}.")
    return 0 if there else 1


def ensure(environment: Environment, *, plain: bool = False) -> bool:
    """Have what is worth it compiled, unless it is already or is to be ``plain``; whether it is
    then there. Where it is not, says in a line why. Raises Failure where the compiler's packages
    cannot be installed."""
    if plain or os.environ.get(VARIABLE):
        say(f"{PLAIN}: {PLAIN_ARGUMENT if plain else VARIABLE} says so.")
        return False
    found, _, why = _asked(environment.python).partition(" ")
    if found == "wanted":
        environment.ensure(COMPILING)
        step("Compiling rules that are simulated (half a minute, the first time)")
        found, _, why = _asked(environment.python, "--build").partition(" ")
    if found != "there":
        say(f"{PLAIN}: {why or 'nobody says why'}.")
    return found == "there"


def as_they_stand(env: Mapping[str, str]) -> dict[str, str]:
    """An environment whose processes take nothing that was compiled."""
    return {**env, VARIABLE: "1"}


def _asked(python: Path, *arguments: str) -> str:
    """What the environment's own Python says: see `script.lib.compiler`."""
    child = spawn(
        [python, "-m", "script.lib.compiler", *arguments],
        env=os.environ,
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )
    try:
        said, _ = child.communicate(timeout=LONGEST_S)
        return said.decode().strip()
    except subprocess.TimeoutExpired:
        return f"without it took more than {LONGEST_S} seconds"
    finally:
        stop(child, signal.SIGKILL, 5)  # and the compiler that it may wait for
