"""What development settings take from the checkout's `.data/` folder."""

import contextlib
import json
import os
import secrets
from collections.abc import Callable, MutableMapping
from pathlib import Path

from core.env import DATA

SERVICES_FILE = DATA / "services.json"


def adopt_running_services(environ: MutableMapping[str, str]) -> None:
    """Point an unset DATABASE_URL / REDIS_URL at the services that `script/server` runs, and with
    the first of them DATABASE_OWNER_URL.

    So `manage.py shell` in another terminal talks to the same database as the running site.
    Nothing happens when the file is missing or broken: Django's own error is then the better one.
    """
    try:
        services = json.loads(SERVICES_FILE.read_text())
    except (OSError, ValueError):
        return
    names = ["REDIS_URL"]
    if "DATABASE_URL" not in environ:
        # Another database has another owner.
        names += ["DATABASE_URL", "DATABASE_OWNER_URL"]
    for name in names:
        if name in services:
            environ.setdefault(name, services[name])


def secret_key(folder: Path) -> str:
    """This checkout's own key."""
    return _own(folder / "secret_key", lambda: secrets.token_urlsafe(50))


def vapid_key(folder: Path) -> str:
    """This checkout's own key for push services."""
    # Of 32 random bytes all but one in 2^32 are a private key of the curve.
    return _own(folder / "vapid_key", lambda: secrets.token_urlsafe(32))


def _own(path: Path, make: Callable[[], str]) -> str:
    """Return a secret of this checkout, made on first use and readable by its owner only.

    Where the checkout cannot be written or the key not be read (somebody else runs a command that
    needs no key, such as the record checker), the key is made up for this one process.
    """
    key = make()
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        pass
    except OSError:
        return key
    try:
        return _keep_key(key, path)
    except OSError:
        return key


def _keep_key(key: str, path: Path) -> str:
    folder = path.parent
    folder.mkdir(parents=True, exist_ok=True)
    # Written aside and linked into place: several processes may start at once, and none of them may
    # read a key that is still being written, or end up with one of its own.
    draft = folder / f"{path.name}.{os.getpid()}"
    draft.touch(mode=0o600)
    draft.write_text(key)
    with contextlib.suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()
    return path.read_text().strip()
