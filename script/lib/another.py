"""`script/test --python`: under another Python, what tells most about it.

It gets an environment of its own, below `.data/pythons`: `.venv` stays as it is, and so does a site
that runs from there.
"""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from script.lib.console import DATA, ROOT, Failure, shout, step
from script.lib.processes import spawn, stop
from script.lib.python import LINES, find, line
from script.lib.venv import VARIABLE

OTHER = "other"
FOLDER = DATA / "pythons"
# A minute or two: everything compiled and imported, Django's own checks, the rules and the records,
# and a match between real processes.
TELLING = (
    "tests/engine", "tests/rulesets",
    "tests/infra/test_compatibility.py", "tests/infra/test_models_and_settings.py",
    "tests/games/test_sockets.py::test_a_whole_match_to_its_end",
    "-n", "2", "--dist", "loadgroup",
)  # fmt: skip


def asked(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The line that was asked for, if any, and all other arguments, but for `--help`: that is
    answered here, before anything is installed or started for it."""
    parser = argparse.ArgumentParser(
        prog="script/test",
        usage="%(prog)s [-h] [--whole] [--plain] [--python LINE] [PATH ...] [of pytest's ...]",
        description="Run every check and test from a fresh checkout.",
        epilog="Other arguments go to pytest, such as tests/games -k deadline. What else that takes"
        " is said by `python -m pytest --help`.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--python", default="", metavar="LINE",
        help='what tells most, under that Python ("3.13", or "other")',
    )  # fmt: skip
    # The suite takes these out, here or under the other Python.
    for name, what in (
        ("--whole", "every product of cases as a whole"),
        ("--plain", "compile no rules, run them as they stand"),
    ):
        parser.add_argument(name, action="append_const", const=name, dest="more", help=what)
    options, rest = parser.parse_known_args(arguments)
    return options.python, [*rest, *(options.more or ())]


def run(wanted: str, arguments: Sequence[str]) -> int:
    """Run these tests, else `TELLING`, under a Python of that line and return their exit code.

    ``other`` is whichever of our other lines is here; where none is, that is said, and no failure.
    Raises Failure where the line that was named is not here.
    """
    lines = others() if wanted == OTHER else [wanted]
    for each in lines:
        if path := find(each):
            return _run(each, path, arguments or TELLING)
    if wanted != OTHER:
        raise Failure(f"There is no Python {wanted} here, neither on the path nor of pyenv's.")
    shout(f"SKIPPED: none of Python {', '.join(sorted(lines))} is here to try, only {line()}.")
    return 0


def others() -> list[str]:
    """Our lines without the one that this runs under, the farthest from it first, since most
    differs there."""

    def distance(each: str) -> int:
        return abs(int(each.partition(".")[2]) - sys.version_info[1])

    return sorted(filter(line().__ne__, reversed(LINES)), key=distance, reverse=True)


def _run(found: str, path: Path, arguments: Sequence[str]) -> int:
    step(f"Under Python {found}, {path}")
    child = spawn(
        [path, ROOT / "script" / "test", *arguments],
        env={**os.environ, VARIABLE: str(FOLDER / found)},
        cwd=ROOT,
        own_group=False,
    )
    try:
        return child.wait()
    finally:
        stop(child, signal.SIGTERM, 30)
