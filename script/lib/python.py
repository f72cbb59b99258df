"""Which Pythons serve, and where they are. This file must stay readable to very old ones."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# Lines whose Pythons are tried, oldest first. The pinned lists serve all of them (`script/lock`).
LINES = ("3.11", "3.12", "3.13", "3.14")
OLDEST = tuple(map(int, LINES[0].split(".")))
# A build without the interpreter's lock is of a line of its own, "3.13t", as its packages are.
TELL = "import sys; print('%d.%d' % sys.version_info[:2] + sys.abiflags)"


def line() -> str:
    """The line of the Python that runs this: "3.11"."""
    return "%d.%d" % sys.version_info[:2] + sys.abiflags  # noqa: UP031


def line_of(path: Path) -> "str | None":
    """The line of another Python, or None where it does not start: what a manager of versions has
    on the path starts for the versions alone that are chosen."""
    try:
        said = subprocess.check_output(
            [str(path), "-S", "-c", TELL], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return said.decode().strip()


def find(wanted: str) -> "Path | None":
    """Where a Python of that line is, or None: one on the path, else one of pyenv's."""
    for path in _places(wanted):
        if path.is_file() and line_of(path) == wanted:
            return path
    return None


def _places(wanted: str) -> "Iterator[Path]":
    name = "python" + wanted
    for folder in filter(None, os.environ.get("PATH", os.defpath).split(os.pathsep)):
        yield Path(folder, name)
    # Not Path.home(), which raises where nobody has one.
    managed = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")  # noqa: PTH111
    for version in sorted(Path(managed, "versions").glob(wanted + ".*"), reverse=True):
        yield version / "bin" / name


def require() -> None:
    """Go on under this Python if it is new enough, else start again under the newest of ours that
    is here."""
    this = f"{line()} ({sys.executable})"
    if sys.version_info[:2] < OLDEST:
        for other in reversed(LINES):
            path = find(other)
            if path:
                os.execv(str(path), [str(path), *sys.argv])
        sys.exit(f"Gauntlet needs Python {LINES[0]} or newer, and this is {this}.")
    if line() not in LINES:
        sys.stderr.write(f"Nobody has tried Gauntlet with Python {this}, only up to {LINES[-1]}.\n")
