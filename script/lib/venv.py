"""The checkout's virtual environment: made once, brought up to date when a pinned list changes."""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from script.lib.console import ROOT, Failure, step
from script.lib.processes import Register, spawn, stop
from script.lib.python import line, line_of

# Another folder for it than the usual one, under another Python for instance.
VARIABLE = "GAUNTLET_VENV"
VENV = Path(os.environ.get(VARIABLE) or ROOT / ".venv").absolute()
RUNTIME = ("requirements.txt",)
DISTRIBUTION = Path("/usr/bin")  # where Linux distributions have their Pythons
PLACE = "place"  # the marker's entry for where and with what Python it was made
COMPILING = (*RUNTIME, "requirements-compile.txt")
DEVELOPMENT = (
    *COMPILING, "requirements-uvicorn.txt", "requirements-sentry.txt", "requirements-dev.txt"
)  # fmt: skip


class Environment:
    """A virtual environment and the marker that says which lists are installed in it.

    The marker holds a digest per list. While it matches, nothing is run and no network is needed.
    """

    def __init__(self, folder: Path = VENV, root: Path = ROOT) -> None:
        self.folder = folder
        self.root = root
        self.python = folder / "bin" / "python"
        self.marker = folder / "gauntlet-installed.json"

    def ensure(self, lists: Sequence[str]) -> Path:
        """Make sure that these lists are installed, and return the environment's Python. Raises
        Failure where that cannot be, and where the environment is somebody else's."""
        self._must_be_our_own()
        if self._missing(lists):
            with self._lock():
                missing = self._missing(lists)  # another process may have done it meanwhile
                if missing:
                    self._install(missing)
        return self.python

    def _must_be_our_own(self) -> None:
        # Its scripts and its marker hold this path, so it would be made anew, and making it empties
        # the folder that the link leads to.
        if self.folder.is_symlink():
            raise Failure(
                f"{self.folder} is a symbolic link, and what it leads to would be emptied. Remove "
                f"the link (not what it leads to), and a virtual environment is made in its place; "
                f"or name another folder in {VARIABLE}."
            )

    def digest(self, name: str) -> str:
        """Return a list's digest."""
        return hashlib.sha256((self.root / name).read_bytes()).hexdigest()

    @property
    def register(self) -> Register:
        """The note of an installation. Each has its own: others may go on elsewhere."""
        return Register(self.folder.with_name(f"{self.folder.name}.installing"))

    @property
    def place(self) -> str:
        """What the environment as a whole depends on: its scripts hold paths."""
        return f"{self.folder} {line()}"

    def _missing(self, lists: Sequence[str]) -> list[str]:
        installed = self._read_marker()
        if not self._usable():
            return list(lists)
        return [name for name in lists if installed.get(name) != self.digest(name)]

    def _read_marker(self) -> dict[str, str]:
        try:
            found = json.loads(self.marker.read_text())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _usable(self) -> bool:
        return self._read_marker().get(PLACE) == self.place and self._works()

    def _works(self) -> bool:
        """Say whether the environment's Python still starts: the one it came from may be gone."""
        return line_of(self.python) == line()

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        path = self.folder.with_name(self.folder.name + ".lock")
        with path.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _install(self, lists: Sequence[str]) -> None:
        # An earlier installation may go on although its launcher was killed.
        self.register.end_orphans(say=step)
        if not self._usable():
            step(f"Making a virtual environment in {self.folder.name}")
            self._create()
        step(f"Installing {' and '.join(lists)} (about half a minute the first time)")
        known = self._read_marker()
        # Gone while things change: after an interrupted installation everything is made anew.
        self.marker.unlink(missing_ok=True)
        command: list[str | Path] = [
            self.python, "-m", "pip", "install", "--quiet", "--quiet", "--no-input",
            "--disable-pip-version-check", "--progress-bar", "off", "--require-hashes",
        ]  # fmt: skip
        for name in lists:
            command += ["-r", self.root / name]
        if self._run(command):
            raise Failure(
                "The pinned packages could not be installed. The lines above say why; the first "
                "start needs a connection to a package index."
            )
        self._mark(known, lists)

    def _mark(self, known: dict[str, str], lists: Sequence[str]) -> None:
        installed = known | {name: self.digest(name) for name in lists} | {PLACE: self.place}
        draft = self.marker.with_suffix(".new")
        draft.write_text(json.dumps(installed, indent=1))
        draft.replace(self.marker)

    def _create(self) -> None:
        with tempfile.TemporaryFile() as output:
            for base in self._bases():
                output.seek(0)
                output.truncate()
                command: list[str | Path] = [base, "-m", "venv", "--clear", self.folder]
                if self._run(command, output=output) == 0:
                    return
            output.seek(0)
            said = output.read().decode(errors="replace")
        version = line()
        # Debian splits the venv module's pip off into a package of its own.
        if os.geteuid() == 0 and shutil.which("apt-get"):
            step(f"Installing python{version}-venv")
            apt_install([f"python{version}-venv"])
            if self._run(command) == 0:
                return
        raise Failure(
            f"{said}\nThis Python cannot make virtual environments. On Debian and Ubuntu, install "
            f"python{version}-venv and try again."
        )

    def _bases(self) -> list[Path]:
        """The Pythons to make it from, the next where one cannot.

        First the distribution's of the same line: distributions build theirs with profiles, and one
        that was compiled here without them takes up to a fifth more processor time.
        """
        # Not sys.executable when that is itself an environment: venvs of venvs break when it goes.
        ours = Path(getattr(sys, "_base_executable", None) or sys.executable)
        theirs = DISTRIBUTION / f"python{line()}"
        if theirs.exists() and theirs.resolve() != ours.resolve():
            return [theirs, ours]
        return [ours]

    def _run(self, command: Sequence[str | Path], *, output: IO[bytes] | None = None) -> int:
        """Run one step of an installation to its end.

        Installers start processes of their own, which a death signal to the first would leave
        running and writing. So it gets none: it is noted, and the next installation ends it and its
        group before it begins.
        """
        child = spawn(
            command, env=os.environ, cwd=self.root, stdout=output, stderr=output, death_signal=None
        )
        self.register.note("installation", child.pid, signal.SIGTERM)
        try:
            return child.wait()
        finally:
            stop(child, signal.SIGTERM, 5)
            self.register.forget("installation")


def apt_install(packages: Sequence[str], *, prefix: Sequence[str] = ()) -> bool:
    """Install Debian packages without asking anything. Returns whether that worked."""
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    apt = [*prefix, "apt-get", "-qq", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=60"]
    for command in (
        [*apt, "update"],
        [*apt, "install", "-y", "--no-install-recommends", *packages],
    ):
        done = subprocess.run(
            command, env=env, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
    return done.returncode == 0
