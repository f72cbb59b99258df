"""The whole matches of Peg Domain in ``tests/playthroughs``, and how they came about.

``python -m tests.rulesets.peg_domain.playthroughs`` writes the records anew. Each is set up and
begun by hand, so that every item and every way of ending a turn occurs, and played on at random.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from games.engine import records
from games.engine.chance import evenly
from games.engine.course import MatchCourse
from games.engine.play import drawn, draws_due
from games.engine.ruleset import HeldItem
from games.engine.table import Entry, Header
from games.rulesets.peg_domain import PegDomain
from games.rulesets.peg_domain.rules import PegOptions
from tests.engine.helpers import entry
from tests.rulesets.peg_domain.helpers import CHANCE, PEGS

FOLDER = Path(__file__).resolve().parents[2] / "playthroughs"
RULES = PegDomain()

OPENING = (
    "0 take order @4.2", *CHANCE, "0 ready @95", "1 timeout", "0 first @9.75", "1 blue @3",
)  # fmt: skip

GAUNTLET = (
    *OPENING,
    "0 A1 RRR > D5 0 @41.3",
    "1 A1 B1 C1 D1 C2 > F2 90 @120",
    "0 A2 A3 B3 B2 > C7 180 @120.001",
    "1 A4 D > I1 0 @250.5",
)
FINAL_ITEMS = (
    HeldItem(0, "additional-peg"),
    HeldItem(0, "peg-subtraction"),
    HeldItem(1, "rapid-removal"),
)
FINAL = (
    "1 take colour @11", *CHANCE, "0 extra peg red A16 @20", "0 extra peg blue C16 @31.5",
    "0 extra peg red C14 @40", "0 ready @60", "1 ready @70.25", "0 second @5", "1 blue @8",
    "1 A1 D > I1 0 @3", "0 remove F12 @19.999",
    "1 remove F12 @10", "0 A1 RRR > D5 0 @44.4",
    "1 A3 D > I3 0 @8", "0 timeout @20.001",
    "1 remove 3x3 J13 @2", "1 no removal @5", "1 remove 3x3 I13 @12", "0 A3 D > A3 0 @15",
    "1 A5 RRR > F7 0 @131",
    "1 no removal @60", "0 A5 D > I1 90 minus I1 @77",
)  # fmt: skip
TEMPO_UP = (
    "0 timeout", f"chance pallet both {PEGS}", "0 ready @1", "1 ready @2", "0 timeout",
    "1 timeout",
    "0 A1 RRR > D3 0 @30", "1 A1 D > A1 0 @9", "0 timeout",
)  # fmt: skip


def _played_on(
    header: Header, texts: tuple[str, ...], seed: int
) -> tuple[list[Entry], MatchCourse]:
    """The match that begins like this, to its end."""
    source = Random(seed)
    course = MatchCourse(RULES, header)
    entries: list[Entry] = []

    def add(one: Entry) -> None:
        step = course.add(one)
        if one.timeout:
            entries.append(one)
        else:
            entries.append(Entry(actor=one.actor, text=step.text, reading_ms=one.reading_ms))

    for text in texts:
        add(entry(text))
    while course.table.result is None:
        due = draws_due(RULES, course.table)
        if due:
            add(
                Entry(
                    actor="chance", text=drawn(RULES, course.table, due[0], evenly(source.random))
                )
            )
            continue
        slots = [slot for slot in course.table.open if slot is not None]
        slot = next((each for each in slots if each.decision.kind == "removal"), slots[0])
        if course.table.holds_back(slot.decision.seat):
            slot = slots[0] if slots[0] is not slot else slots[1]
        move = RULES.sample(course.table.state, slot.decision, source.random)
        seconds = source.randrange(1, 19)
        add(entry(f"{slot.decision.seat} {RULES.print(move)} @{seconds}"))
    return entries, course


def _document(header: Header, texts: tuple[str, ...], seed: int) -> str:
    entries, course = _played_on(header, texts, seed)
    written = records.write(
        RULES, header, seats=("Ada", "Ben"), entries=entries, result=course.table.result
    )
    return json.dumps(json.loads(written), indent=1) + "\n"


def documents() -> dict[str, str]:
    """Every record by its file name."""

    def header(variant: str, advantage: int, items: tuple[HeldItem, ...] = ()) -> Header:
        return Header(
            ruleset=RULES.id,
            variant=variant,
            options=PegOptions(),
            advantage=advantage,
            items=items,
        )

    return {
        "peg-domain.gauntlet.points.dmr.json": _document(header("gauntlet", 0), GAUNTLET, 11),
        "peg-domain.final.items.dmr.json": _document(header("final", 1, FINAL_ITEMS), FINAL, 12),
        "peg-domain.tempo-up.timeouts.dmr.json": _document(header("tempo-up", 0), TEMPO_UP, 13),
    }


def write() -> None:
    """Write all records."""
    for name, text in documents().items():
        (FOLDER / name).write_text(text)


if __name__ == "__main__":
    write()
