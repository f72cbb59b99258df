"""Whole matches as records, for tests/playthroughs.

``python -m tests.rulesets.domino_black_white.playthroughs`` writes the files anew. A test holds
that they are what this module makes, and that the checker says of each step what the second file
of each match says.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import msgspec

from games.engine import course, play, records
from games.engine.decisions import Seat
from games.engine.registry import Registry
from games.engine.table import Entry, Header, Table
from games.rulesets.domino_black_white.rules import DominoOptions
from tests.rulesets.domino_black_white.helpers import RULES

FOLDER = Path(__file__).resolve().parents[2] / "playthroughs"
PREFIX = "domino-black-white.standard."
SEATS = ("Ada", "Ben")

# Reckoned by hand; seat 1 had the choice and goes second. After each placement, the letters.
BY_HAND: tuple[tuple[Seat, str, str], ...] = (
    (1, "second", ""),
    # Row Z: C1 D1.
    (0, "(1,1) CZ:DZ hide CZ", ""),
    # Row Z: C1 D1 E3 = 5; D1 E3 F4 = 8.
    (1, "(3,4) EZ:FZ hide EZ", "H"),
    # Row Z: E3 F4 G3 = 10. G5 above it stands alone in row Y.
    (0, "(3,5) GZ:GY hide GY", "H"),
    # Row Y: C2 D3, and nothing beside them.
    (1, "(2,3) CY:DY hide DY", ""),
    # Row Y: C2 D3 E0 = 5, D3 E0 F2 = 5 (one point for both), E0 F2 G5 = 7.
    (0, "(0,2) EY:FY hide EY", "H"),
    # Column C: 2 2 1 = 5; column D: 1 3 1 = 5. DX-EY-FZ: 1 0 4 = 5; CX-DY-EZ: 2 3 3 = 8.
    (1, "(1,2) DX:CX hide DX", "VD"),
    # Row X: C2 D1 E2 = 5. Column E: 2 0 3 = 5; column F: 4 2 4 = 10. FX-EY-DZ: 4 0 1 = 5.
    (0, "(2,4) EX:FX hide EX", "HVD"),
    # Column G: W5 X5 Y5 = 15, which is B as well. GX-FY-EZ: 5 2 3 = 10. Row X: E2 F4 G5 = 11.
    (1, "(5,5) GW:GX hide GW", "VDB"),
    # Row X: F4 G5 H0 = 9; row Y: F2 G5 H1 = 8; HX-GY-FZ: 0 5 4 = 9.
    (0, "(0,1) HX:HY hide HY", ""),
)
BY_HAND_SCORES = (5, 6)

# Seeds of random matches that end as their name says, with a domino in each wing.
RANDOM = {"points": 19, "tie-break": 22}


def _table() -> Table:
    return play.opened(
        RULES,
        Header(ruleset=RULES.id, variant="standard", options=DominoOptions(), advantage=1),
    )


def _record(entries: list[Entry]) -> bytes:
    """The record of these entries, which must end the match."""
    table = _table()
    for entry in entries:
        table = course.entered(RULES, table, entry).table
    assert table.result is not None
    return records.write(RULES, table.header, seats=SEATS, entries=entries, result=table.result)


def _by_hand() -> bytes:
    entries = [
        Entry(actor=seat, text=text, reading_ms=5_000 + 1_250 * number)  # type: ignore[arg-type]
        for number, (seat, text, _) in enumerate(BY_HAND)
    ]
    # Two minutes and the whole reserve of ten are over.
    return _record([*entries, Entry(actor=1, timeout=True, reading_ms=720_001)])


def _at_random(seed: int) -> bytes:
    """A random match; now and then a turn runs into the reserve."""
    random = Random(seed).random
    table = _table()
    entries = []
    while table.result is None:
        (decision,) = RULES.decisions(table.state)
        text = RULES.print(RULES.sample(table.state, decision, random))
        most = 55_000 if decision.kind == "order" else 150_000
        entry = Entry(
            actor=decision.seat,  # type: ignore[arg-type]
            text=text,
            reading_ms=int(random() * most),
        )
        entries.append(entry)
        table = course.entered(RULES, table, entry).table
    return _record(entries)


def playthroughs() -> dict[str, bytes]:
    """The records by the name of their file, and by theirs what the checker says of each step."""
    made = {"timeout": _by_hand(), **{name: _at_random(seed) for name, seed in RANDOM.items()}}
    files = {}
    for name, record in made.items():
        steps = records.check(Registry(RULES), record, steps=True)["steps"]
        files[f"{PREFIX}{name}.dmr.json"] = _laid_out(record)
        files[f"{PREFIX}{name}.steps.json"] = _laid_out(msgspec.json.encode(steps))
    return files


def _laid_out(data: bytes) -> bytes:
    return msgspec.json.format(data, indent=2) + b"\n"


def write() -> None:
    """Write all files."""
    FOLDER.mkdir(exist_ok=True)
    for name, data in playthroughs().items():
        (FOLDER / name).write_bytes(data)


if __name__ == "__main__":
    write()
