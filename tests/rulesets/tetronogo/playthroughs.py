"""Whole matches as records, pinned in ``tests/playthroughs``.

``python -m tests.rulesets.tetronogo.playthroughs`` writes the files anew. Three matches are made
up by hand, with their scores worked out in the comments; two are random ones that no change of
the program may change.
"""

from __future__ import annotations

import json
from itertools import cycle
from pathlib import Path
from typing import Any

from games.engine import play
from games.engine.decisions import Seat
from games.engine.table import Header
from games.rulesets.tetronogo.rules import TetronogoOptions
from tests.rulesets.tetronogo.helpers import RULES, bricks, full, source, strips

FOLDER = Path(__file__).parents[2] / "playthroughs"

Entry = dict[str, Any]


def said(seat: Seat, text: str, reading: float) -> Entry:
    """A submission."""
    return {"seat": seat, "move": text, "t": reading}


def timeout(seat: Seat, reading: float) -> Entry:
    """A decision that ran out."""
    return {"seat": seat, "timeout": True, "t": reading}


def chance(text: str) -> Entry:
    """An outcome of chance."""
    return {"seat": "chance", "move": text}


def in_turn(starter: Seat, texts: list[str]) -> list[Entry]:
    """Placements in turn; every fifth takes 4.25 s of reserve."""
    readings = cycle([3.2, 8.75, 21.0, 59.999, 64.25])
    return [said(starter ^ (ply & 1), text, next(readings)) for ply, text in enumerate(texts)]


def record(
    advantage: Seat, moves: list[Entry], winner: Seat, reason: str, scores: list[int]
) -> dict[str, Any]:
    """A whole record."""
    return {
        "format": "deathmatch-record/1",
        "ruleset": "tetronogo",
        "variant": "standard",
        "options": {},
        "seats": ["Ada", "Ben"],
        "advantage": advantage,
        "moves": moves,
        "result": {"winner": winner, "reason": reason, "scores": scores},
    }


def two_in_a_row() -> dict[str, Any]:
    """Seat 0 wins bout 1 by 24 to 12 (see `strips`) and bout 2 by 27 to 9 (see `bricks`): 51 to 21
    in all. Seat 1 chooses the starter both times: with the advantage, then as the loser."""
    return record(
        1,
        [
            said(1, "pick O", 5.5),
            said(0, "pick O", 31.0),
            said(1, "second", 2.0),
            *in_turn(0, strips(0, winner=0)),
            said(0, "pick I", 12.0),
            said(1, "pick I", 60.0),
            said(1, "second", 59.5),
            *in_turn(0, bricks(0)),
        ],
        winner=0,
        reason="two-in-a-row",
        scores=[51, 21],
    )


def on_time() -> dict[str, Any]:
    """Picks, a starter choice and bouts that run out of time.

    Bout 1: seat 1 does not pick and is dealt L. All empty squares hang together. T at A1 180
    (A1 B1 C1 B2) has 6 edges, L at J11 0 (L11 J12 K12 L12) has 5, T at A11 0 (B11 A12 B12 C12) has
    6, L at F5 0 (H5 F6 G6 H6) has 10: 12 edges for seat 0, 15 for seat 1. Seat 0 has used 40 s of
    reserve on its first placement and 70 s on its second, so that its third turn is over after
    60 + 10 s: the bout goes to seat 1, who scores the group of 144 - 16 = 128. 0 to 128.

    Bout 2: nobody picks: seat 0 is dealt S and seat 1 O. Nor does seat 0, who lost bout 1, choose
    the starter, so it goes first. S at E5 0 has all edges around the 140 other squares. Seat 1
    does not answer within 60 + 120 s: seat 0 wins 140 to 0.

    Bout 3: seat 1 chooses to go second. Seat 0's first turn lasts exactly 60 + 120 s, which still
    counts, as its reserve is full again. Seat 1 does not answer: 140 to 0, and two in a row for
    seat 0. In all 280 to 128.
    """
    return record(
        0,
        [
            said(0, "pick T", 12.5),
            timeout(1, 60.001),
            chance("pick 1 L"),
            said(0, "first", 4.0),
            said(0, "A1 180", 100.0),
            said(1, "J11 0", 60.0),
            said(0, "A11 0", 130.0),
            said(1, "F5 0", 17.123),
            timeout(0, 70.001),
            timeout(0, 60.001),
            timeout(1, 60.001),
            chance("pick 1 O"),
            chance("pick 0 S"),
            timeout(0, 60.001),
            said(0, "E5 0", 0.75),
            timeout(1, 180.001),
            said(0, "pick L", 1.0),
            said(1, "pick T", 2.0),
            said(1, "second", 3.0),
            said(0, "E5 0", 180.0),
            timeout(1, 181.5),
        ],
        winner=0,
        reason="two-in-a-row",
        scores=[280, 128],
    )


def four_draws() -> dict[str, Any]:
    """Both fill the whole board in every bout (see `full`): no group, 0 to 0, four times. No bout
    was won, so seat 0 wins by its advantage, having chosen the starter every time."""
    moves: list[Entry] = []
    for letter in "OILJ":
        moves += [
            said(0, f"pick {letter}", 9.0),
            said(1, f"pick {letter}", 8.0),
            said(0, "first", 1.5),
            *in_turn(0, full(letter)),
        ]
    return record(0, moves, winner=0, reason="tie-break", scores=[0, 0])


def at_random(seed: int, advantage: Seat) -> dict[str, Any]:
    """A random match with random readings, up to 10 s over a turn's time."""
    random = source(seed)
    header = Header(
        ruleset="tetronogo", variant="standard", options=TetronogoOptions(), advantage=advantage
    )
    table = play.opened(RULES, header)
    moves = []
    while table.result is None:
        slots = [slot for slot in table.open if slot is not None]
        decision = slots[int(random() * len(slots))].decision
        text = RULES.print(RULES.sample(table.state, decision, random))
        reading = int(random() * (70_000 if decision.kind == "place" else 60_000))
        table = play.submitted(
            RULES, table, seat=decision.seat, text=text, reading_ms=reading
        ).table
        moves.append(said(decision.seat, text, reading / 1000))
    assert table.result.winner is not None
    return record(
        advantage, moves, table.result.winner, table.result.reason, list(table.result.scores)
    )


def documents() -> dict[str, str]:
    """Every file by name, as it should be."""
    made = {
        "two-in-a-row": two_in_a_row(),
        "on-time": on_time(),
        "four-draws": four_draws(),
        "total": at_random(TOTAL, 0),
        "random": at_random(THREE_BOUTS, 1),
    }
    return {
        f"tetronogo.standard.{name}.dmr.json": text_of(document) for name, document in made.items()
    }


def text_of(document: dict[str, Any]) -> str:
    """The document with an entry a line."""
    head = {key: value for key, value in document.items() if key not in ("moves", "result")}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items()]
    entries = ",\n".join(f"    {json.dumps(entry)}" for entry in document["moves"])
    result = json.dumps(document["result"])
    return f'{{\n{"".join(lines)}  "moves": [\n{entries}\n  ],\n  "result": {result}\n}}\n'


TOTAL = 7  # decided by the total after four bouts
THREE_BOUTS = 4  # over after the third


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in documents().items():
        (FOLDER / name).write_text(text)
