"""Which commands are asked of the database as the owner of its tables, not as the site."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

#: What makes, keeps and gets back the tables themselves, and says what the site may do to them.
COMMANDS: Final = frozenset({"backup", "database", "migrate", "restore"})
# What `script/server` brings the database up to date with.
_PREPARES: Final = ("script", "lib", "prepare.py")


def is_owners(argv: Sequence[str]) -> bool:
    """Whether a process with these arguments does what only the owner may."""
    if not argv:
        return False
    program = Path(argv[0])
    if program.parts[-3:] == _PREPARES:
        return True
    return program.name == "manage.py" and len(argv) > 1 and argv[1] in COMMANDS
