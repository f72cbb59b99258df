"""Finding a Python that is new enough. This file must stay readable to very old ones."""

import os
import shutil
import sys


def require(major, minor):  # type: ignore[no-untyped-def]
    """Go on under this Python if it is new enough, else start again under one that is."""
    if sys.version_info >= (major, minor):
        return
    for candidate in range(minor + 9, minor - 1, -1):
        path = shutil.which(f"python{major}.{candidate}")
        if path:
            os.execv(path, [path, *sys.argv])
    found = f"{sys.version_info[0]}.{sys.version_info[1]} ({sys.executable})"
    sys.exit(f"Gauntlet needs Python {major}.{minor} or newer, and this is {found}.")
