"""The servers of one run of the tests, and the migrated database that its own are copied from.

Making a PostgreSQL and migrating takes half a minute of a processor, and comes to the same as long
as nobody changes a model. So the data of a server that has done so are kept, below
`.data/testbeds`, under a name that follows from everything they depend on; later runs begin with a
copy. A run on somebody else's servers (`DATABASE_URL`) migrates each time, and leaves nothing.
"""

import contextlib
import hashlib
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from script.lib.console import DATA, ROOT, Failure
from script.lib.services import DATABASE, Postgres, Services
from script.lib.statics import Statics

KEPT = DATA / "testbeds"
AT_MOST = 3  # of them: branches come and go
VARIABLE = "GAUNTLET_TEST_TEMPLATE"
# What a migrated database depends on. Permissions and content types come from the models.
MIGRATED_BY = (
    "*/migrations/*.py", "*/models.py", "*/models/*.py", "*/apps.py", "accounts/roles.py",
    "config/settings/*.py", "requirements.txt", "script/lib/services.py", "script/lib/testbed.py",
)  # fmt: skip


def fingerprint(root: Path = ROOT) -> str:
    """The name of what is kept: another one after any change to what it was made of."""
    digest = hashlib.sha256(sys.platform.encode())
    for path in sorted({path for pattern in MIGRATED_BY for path in root.glob(pattern)}):
        digest.update(f"{path.relative_to(root)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:20]


class Testbed:
    """Servers below a folder, and the name of the database to copy."""

    def __init__(self, folder: Path, python: Path, kept: Path = KEPT) -> None:
        self.python = python
        self.services = Services(folder, python, durable=False)
        self.statics = Statics()
        self.kept = kept / fingerprint()
        own = self.services.postgres
        if own is None:
            self.template = f"gauntlet_template_{secrets.token_hex(4)}"
        else:
            self.template = f"{DATABASE}_template"
            own.seed = self.kept
        self.made = False

    def prepare(self) -> None:
        """Fix the addresses before anything runs, for those who must be told early."""
        self.services.prepare()

    def environment(self) -> dict[str, str]:
        """What the tests' processes must find in their environment."""
        return {
            **self.services.addresses(),
            **self.statics.environment(),
            VARIABLE: self.template,
        }

    def start(self) -> None:
        """Start what is ours to start, with a migrated database in it.

        Raises Failure, with what was printed, when the migrations fail, or when a static file
        names another that is missing.
        """
        self.statics.collect(
            self.python, {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.test"}
        )
        self.services.start()
        own = self.services.postgres
        if own is not None and own.from_seed:
            return
        self.made = True
        self._template("make")
        if own is not None:
            # At rest its files are a whole.
            own.stop()
            with contextlib.suppress(OSError):
                self._keep(own)
            own.start()

    def stop(self) -> None:
        """Stop them and remove their data."""
        own = self.services.postgres
        if self.made and own is None:
            self._template("drop")
        self.services.stop()
        if own is not None:
            Postgres.remove_below(own.folder)

    def _template(self, what: str) -> None:
        done = subprocess.run(
            [self.python, "-m", "tests.support.template", what, self.template],
            env={
                **os.environ,
                **self.services.addresses(),
                "DJANGO_SETTINGS_MODULE": "config.settings.test",
            },
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode and what == "make":
            raise Failure(f"The database could not be migrated:\n{done.stdout}{done.stderr}")

    def _keep(self, postgres: Postgres) -> None:
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".new-", dir=self.kept.parent))
        try:
            shutil.copytree(postgres.data, draft / "data", symlinks=True)
            shutil.copy2(postgres.secret, draft / "password")
            draft.rename(self.kept)
        finally:
            shutil.rmtree(draft, ignore_errors=True)  # where another run was first
        for old in sorted(self._others(), key=lambda path: path.stat().st_mtime)[: 1 - AT_MOST]:
            shutil.rmtree(old, ignore_errors=True)

    def _others(self) -> Iterator[Path]:
        return (path for path in self.kept.parent.iterdir() if path != self.kept)
