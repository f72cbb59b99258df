"""A folder for the servers of one test run, and what to do about those of killed runs."""

import contextlib
import fcntl
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO

from script.lib.console import DATA
from script.lib.services import Postgres

PARENT = DATA / "scratch"


class Scratch:
    """A new folder below `.data/scratch`, removed at the end.

    A lock is held on it meanwhile. A folder without a holder belongs to a run that was killed: its
    servers have ended with it, and the next run removes it.
    """

    def __init__(self, parent: Path = PARENT) -> None:
        self.parent = parent
        self.folder = parent
        self.lock: IO[str] | None = None

    def __enter__(self) -> Path:
        self.parent.mkdir(parents=True, exist_ok=True)
        self._sweep()
        self.folder = Path(tempfile.mkdtemp(dir=self.parent))
        # Reachable for the unprivileged user that PostgreSQL runs as when we are root.
        self.folder.chmod(0o711)
        self.lock = (self.folder / "lock").open("w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        return self.folder

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.lock is not None:
            self.lock.close()

    def _sweep(self) -> None:
        for folder in self.parent.iterdir():
            # A folder just made by another run may not have its lock yet: that is not an old one.
            with contextlib.suppress(OSError), (folder / "lock").open() as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                Postgres.remove_below(folder / "postgres")
                shutil.rmtree(folder, ignore_errors=True)
