"""The static files of the site, collected: hashed names, compressed copies.

Collecting takes two seconds of a processor, and comes to the same as long as nobody changes a file.
So a collection is kept below `.data/statics`, in a folder whose name follows from what it was made
of; a run that finds its own there begins at once.
"""

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from script.lib.console import DATA, ROOT, Failure

VARIABLE = "GAUNTLET_STATIC_ROOT"
KEPT = DATA / "statics"
AT_MOST, LATELY_S = 5, 86_400  # so many, and those that were wanted lately: sites may run on them
MANIFEST = "staticfiles.json"
# Files of other packages change with their pinned versions only.
MADE_OF = (
    "static/**/*",
    "games/rulesets/*/static/*",
    "games/folders.py",
    "requirements.txt",
    "config/statics.py",
    "config/settings/*.py",
)


def fingerprint(root: Path = ROOT) -> str:
    """The name of a collection: another one after any change to what it is made of."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in MADE_OF for path in root.glob(pattern)}):
        if path.is_file():
            digest.update(f"{path.relative_to(root)}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:20]


class Statics:
    """The collection of this checkout as it is now."""

    def __init__(self, kept: Path = KEPT) -> None:
        self.folder = kept / fingerprint()

    def environment(self) -> dict[str, str]:
        """What the site's processes must find in their environment."""
        return {VARIABLE: str(self.folder)}

    def collect(self, python: Path, env: Mapping[str, str]) -> None:
        """Collect them unless they are there. Raises Failure, with what was printed, where a style
        sheet or a module names a file that is missing."""
        if (self.folder / MANIFEST).is_file():
            os.utime(self.folder)
            return
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".new-", dir=self.folder.parent))
        try:
            done = subprocess.run(
                [python, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"],
                env={
                    # Whoever works on the files has them plain; what is kept is for everybody else.
                    **{name: value for name, value in env.items() if name != "GAUNTLET_DEBUG"},
                    VARIABLE: str(draft),
                },
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise Failure(f"Static files could not be collected:\n{done.stdout}{done.stderr}")
            draft.rename(self.folder)
        except OSError:
            if not (self.folder / MANIFEST).is_file():  # else another run was first
                raise
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        for _since, old in sorted(self._old())[: 1 - AT_MOST]:
            shutil.rmtree(old, ignore_errors=True)

    def _old(self) -> Iterator[tuple[float, Path]]:
        """The others, with when they were last wanted; those that were lately only count."""
        lately = time.time() - LATELY_S
        for path in self.folder.parent.iterdir():
            with contextlib.suppress(OSError):  # another run may be at it
                since = path.stat().st_mtime
                if path != self.folder and since < lately:
                    yield since, path
