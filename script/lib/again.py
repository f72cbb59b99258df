"""A second look at tests that failed beside others: each once more, alone on the machine.

A machine that is shared may stand still for half a minute, and a test that gives a process ten
seconds then fails whatever the code does. Failing alone as well is the code's fault. Passing alone
is none, yet nothing to overlook: such tests are named at the end of the run.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

# Where a run writes down the tests that failed in it, one a line.
VARIABLE = "GAUNTLET_FAILED_TESTS"
# More at once is no matter of luck.
AT_MOST = 20


def look(failed: Path, run: Callable[[list[str]], bool]) -> tuple[bool, list[str]]:
    """Whether all that failed passes when ``run`` is given their names and nothing else runs, and
    the names of those that were given to it."""
    names = failed.read_text().splitlines() if failed.exists() else []
    if not 0 < len(names) <= AT_MOST:
        return False, []
    return run(names), names


def options_of(arguments: Sequence[str], paths: Sequence[str]) -> list[str]:
    """What a second run takes over from the first: everything but which tests to run."""
    options = [each for each in arguments if each not in paths]
    if any(each.startswith("--cov") for each in options):
        options.append("--cov-append")
    return options
