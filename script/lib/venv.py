"""The checkout's virtual environment: made once, brought up to date when a pinned list changes."""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from script.lib.console import ROOT, Failure, step

VENV = ROOT / ".venv"
RUNTIME = ("requirements.txt",)
DEVELOPMENT = ("requirements.txt", "requirements-dev.txt")


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
        """Make sure that these lists are installed, and return the environment's Python."""
        if self._missing(lists):
            with self._locked():
                missing = self._missing(lists)  # another process may have done it meanwhile
                if missing:
                    self._install(missing)
        return self.python

    def digest(self, name: str) -> str:
        """Return what the installation of a list depends on, as a digest."""
        # A moved checkout or another Python has to start over: paths are written into scripts.
        subject = f"{self.folder}\n{sys.version_info[:2]}\n{(self.root / name).read_text()}"
        return hashlib.sha256(subject.encode()).hexdigest()

    def _missing(self, lists: Sequence[str]) -> list[str]:
        installed = self._installed()
        if not self._works():
            return list(lists)
        return [name for name in lists if installed.get(name) != self.digest(name)]

    def _installed(self) -> dict[str, str]:
        try:
            found = json.loads(self.marker.read_text())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _works(self) -> bool:
        """Say whether the environment's Python still starts: the one it came from may be gone."""
        try:
            found = subprocess.run(
                [self.python, "-S", "-c", "import sys; print(sys.version_info[:2])"],
                capture_output=True,
                text=True,
                check=False,
            )
        except OSError:
            return False
        return found.stdout.strip() == str(sys.version_info[:2])

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        path = self.folder.with_name(self.folder.name + ".lock")
        with path.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _install(self, lists: Sequence[str]) -> None:
        if not self._works() or not (self.folder / "bin" / "pip").exists():
            step(f"Making a virtual environment in {self.folder.name}")
            self._create()
        step(f"Installing {' and '.join(lists)} (about half a minute the first time)")
        command: list[str | Path] = [
            self.python, "-m", "pip", "install", "--quiet", "--quiet", "--no-input",
            "--disable-pip-version-check", "--progress-bar", "off",
        ]  # fmt: skip
        for name in lists:
            command += ["-r", self.root / name]
        if subprocess.run(command, check=False, cwd=self.root).returncode:
            raise Failure(
                "The pinned packages could not be installed. The lines above say why; the first "
                "start needs a connection to a package index."
            )
        self._mark(lists)

    def _mark(self, lists: Sequence[str]) -> None:
        installed = {**self._installed(), **{name: self.digest(name) for name in lists}}
        draft = self.marker.with_suffix(".new")
        draft.write_text(json.dumps(installed, indent=1))
        draft.replace(self.marker)

    def _create(self) -> None:
        # Not sys.executable when that is itself an environment: venvs of venvs break when it goes.
        base = getattr(sys, "_base_executable", None) or sys.executable
        command = [base, "-m", "venv", "--clear", self.folder]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode == 0:
            return
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        # Debian splits the venv module's pip off into a package of its own.
        if os.geteuid() == 0 and shutil.which("apt-get"):
            step(f"Installing python{version}-venv")
            apt_install([f"python{version}-venv"])
            if subprocess.run(command, check=False).returncode == 0:
                return
        raise Failure(
            f"{made.stdout}{made.stderr}\nThis Python cannot make virtual environments. On Debian "
            f"and Ubuntu, install python{version}-venv and try again."
        )


def apt_install(packages: Sequence[str], *, prefix: Sequence[str] = ()) -> bool:
    """Install Debian packages without asking anything. Returns whether that worked."""
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = [*prefix, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    for command in ([*prefix, "apt-get", "update", "-qq"], install):
        done = subprocess.run(
            command, env=env, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
    return done.returncode == 0
