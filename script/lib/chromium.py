"""Finding, or installing, a browser for the browser tests."""

import os
import shutil
import subprocess

from script.lib.console import shout, step
from script.lib.venv import apt_install

VARIABLE = "GAUNTLET_CHROMIUM"
# The shell is the same browser without windows, which cost as much again as the pages in them.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
# Without fonts a page renders as boxes, and measured sizes mean nothing.
FONTS = "fonts-dejavu-core"
PACKAGES = (("chromium-headless-shell", FONTS), ("chromium", FONTS))


def find() -> str | None:
    """Return the path of a Chromium: the one named in the environment, else one in the path."""
    named = os.environ.get(VARIABLE)
    if named:
        return named if os.access(named, os.X_OK) else None
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    return None


def obtain() -> str | None:
    """Return a Chromium, installing Debian's when that is allowed; say loudly when there is none.

    The tests then go on without it: their skips are counted in pytest's closing line.
    """
    found = find()
    if found is None and not os.environ.get(VARIABLE):
        prefix = _privilege()
        if prefix is not None and shutil.which("apt-get"):
            step("Installing Chromium for the browser tests")
            # Older releases of Debian, and what is made from them, have no shell.
            any(apt_install(packages, prefix=prefix) for packages in PACKAGES)
            found = find()
    if found is None:
        wanted = os.environ.get(VARIABLE)
        reason = (
            f"{VARIABLE} names {wanted}, which cannot be run."
            if wanted
            else "None was found, and none could be installed from here."
        )
        shout(
            f"NO BROWSER: the browser tests will be SKIPPED.\n{reason}\n"
            f"Install Chromium, or set {VARIABLE} to its path, and run this again."
        )
    return found


def _privilege() -> list[str] | None:
    """Return what to put before a command that installs packages; None when we may not."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        allowed = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False)
        if allowed.returncode == 0:
            return ["sudo", "-n"]
    return None
