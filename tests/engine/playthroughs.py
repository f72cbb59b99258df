"""What the checker says of each step of the whole matches in ``tests/playthroughs``.

``python -m tests.engine.playthroughs`` writes the ``*.steps.json`` beside the records anew; look at
what changed before it is committed.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from games.engine import records
from games.rulesets import REGISTRY

FOLDER = Path(__file__).resolve().parents[1] / "playthroughs"


def playthroughs() -> list[Path]:
    """The records, in the order of their names."""
    return sorted(FOLDER.glob(f"*{records.SUFFIX}"))


def steps_file(record: Path) -> Path:
    """Where the steps of a record are pinned."""
    return record.with_name(record.name.removesuffix(records.SUFFIX) + ".steps.json")


def steps_text(record: Path) -> bytes:
    """The steps of a record as they are pinned."""
    steps = records.check(REGISTRY, record.read_bytes(), steps=True)["steps"]
    return msgspec.json.format(msgspec.json.encode(steps), indent=2) + b"\n"


def write() -> None:
    """Pin the steps of every record."""
    for record in playthroughs():
        steps_file(record).write_bytes(steps_text(record))


if __name__ == "__main__":
    write()
