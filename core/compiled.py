"""Modules that run compiled where a compiler was there: `script/compile` makes them, this finds
them.

A ruleset names those of its folder that are worth it in ``compiled.txt``. What was made of them
lies below `.data/compiled`, in a folder whose name follows from everything that it was made of: the
sources, the Python, the compiler's pinned version. After any change there is none, and every module
is the source that it always was; so nothing that was made earlier can stand in for what is written
now. ``GAUNTLET_PLAIN`` set does without.

Nothing but the standard library is known here: it is asked before anything else of ours is
imported, and by `script/lib` as well.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VARIABLE = "GAUNTLET_PLAIN"
LISTS = "games/rulesets/*/compiled.txt"
TOOLS = "requirements-compile.txt"
# What the compiler reads beside the rulesets' own folders: it takes constants over from there.
READ = (
    "core/refusals.py",
    "games/engine/*.py",
    "core/compiled.py",
    "script/lib/compiler.py",
    TOOLS,
)
MANIFEST = "modules.json"  # written last: which file has which module


def kept() -> Path:
    """The folder with what has been compiled, of this version and of others."""
    return Path(os.environ.get("GAUNTLET_DATA") or ROOT / ".data").resolve() / "compiled"


def sources(root: Path = ROOT) -> list[Path]:
    """The modules that are worth it."""
    return [
        found.with_name(f"{name}.py")
        for found in sorted(root.glob(LISTS))
        for name in found.read_text().split()
    ]


def fingerprint(root: Path = ROOT) -> str:
    """The name of what is made of the sources as they are, for the Python that runs this."""
    digest = hashlib.sha256(EXTENSION_SUFFIXES[0].encode())
    patterns = [*READ, *(f"{found.parent.relative_to(root)}/*.py" for found in root.glob(LISTS))]
    for path in sorted({*root.glob(LISTS), *_all(root, patterns)}):
        digest.update(f"{path.relative_to(root)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:20]


def _all(root: Path, patterns: Sequence[str]) -> Iterator[Path]:
    return (path for pattern in patterns for path in root.glob(pattern))


class Compiled(MetaPathFinder):
    """Finds compiled modules by their names, before Python looks for the sources."""

    def __init__(self, places: Mapping[str, Path]) -> None:
        self.places = places

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's file among the compiled ones; None where it is none of them."""
        place = self.places.get(fullname)
        return None if place is None else spec_from_file_location(fullname, place)


def install() -> None:
    """Have what is compiled of the sources as they are imported in their place, if there is any.
    Asked once, before the first of them is imported."""
    if os.environ.get(VARIABLE):
        return
    folder = kept()
    if not folder.is_dir():
        return  # nothing to look for, so the sources need not be read
    take(folder / fingerprint())


def take(folder: Path) -> None:
    """Have the modules in that folder imported in the place of their sources, if it is there."""
    try:
        names = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError):
        return
    sys.meta_path.insert(0, Compiled({name: folder / file for name, file in names.items()}))


def watch(sender: Any, **_more: object) -> None:
    """Have Django's reloader watch the sources of what runs compiled: it sees the files of modules,
    and theirs are others."""
    sender.extra_files.update(sources())


def installed() -> list[str]:
    """The modules that this process takes compiled."""
    return sorted(
        name
        for finder in sys.meta_path
        if isinstance(finder, Compiled)
        for name in finder.places
        if name.startswith("games.")
    )
