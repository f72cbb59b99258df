"""The collections that come along, one in each ruleset's folder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from games.engine.puzzling import Puzzle
from games.engine.ruleset import Ruleset
from games.folders import folder_of

FILE = "puzzles.json"


def file_of(ruleset: Ruleset[Any, Any]) -> Path:
    """Where a ruleset's collection stands."""
    return folder_of(ruleset) / FILE


def collection_of(ruleset: Ruleset[Any, Any]) -> list[Puzzle]:
    """The puzzles that come along with a ruleset; none where it has no such file."""
    file = file_of(ruleset)
    if not file.is_file():
        return []
    return msgspec.json.decode(file.read_bytes(), type=list[Puzzle])


def collection_write(ruleset: Ruleset[Any, Any], puzzles: Sequence[Puzzle]) -> None:
    """Write a collection, a puzzle a line."""
    lines = ",\n".join(msgspec.json.encode(puzzle).decode() for puzzle in puzzles)
    file_of(ruleset).write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def key_of(ruleset: Ruleset[Any, Any], puzzle: Puzzle) -> str:
    """What tells a puzzle from all others: the same position with the same question is one."""
    seat = str(puzzle.seat)
    told = (ruleset.id, puzzle.variant, seat, str(puzzle.target), bytes(puzzle.state).decode())
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:32]
