"""Whole matches as records, pinned in ``tests/playthroughs``.

``python -m tests.rulesets.domino_wars.playthroughs`` writes the files anew. The first two are made
up by hand; the others are random ones that no change of the program may change.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from games.engine import play
from games.engine.chance import evenly
from games.engine.decisions import Seat
from games.engine.ruleset import HeldItem
from games.engine.table import Header
from games.rulesets.domino_wars.rules import DominoWarsOptions
from tests.rulesets.domino_wars.helpers import RULES

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


def record(
    moves: list[Entry],
    result: dict[str, Any],
    *,
    advantage: Seat = 1,
    items: Sequence[tuple[Seat, str]] = (),
    options: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A whole record."""
    return {
        "format": "deathmatch-record/1",
        "ruleset": "domino-wars",
        "variant": "standard",
        "options": options or {},
        "seats": ["Ada", "Ben"],
        "advantage": advantage,
        "items": [{"seat": seat, "item": item} for seat, item in items],
        "moves": moves,
        "result": result,
    }


def set_up() -> dict[str, Any]:
    """Everything that can happen before the first turn, and a turn that outlasts its reserve.

    Ada holds Tie Advantage, so she chooses, and does not in time: she plays first. She has Domino
    Repeat and takes the 12 twice; Ben does not choose a deck and is dealt one. Both hold Hand
    Mulligan: she takes two, he takes one and lets the second question run out.

    Ada's 25 lets her put a 12 on top, the upper of two, and she does not draw it. Ben's 46 makes
    him discard, 3.5 s into his reserve, and loses him his next turn; so Ada plays twice. She has 60
    + 180 s for the second turn and its choices, and answers nothing after the first of them.
    """
    return record(
        [
            timeout(0, 60.001),
            said(0, "deck 12 12 06 16 25 35 45 56", 44.0),
            timeout(1, 120.5),
            chance("deck 1 01 02 13 23 24 34 46 36"),
            chance("pile 1 01 02 13 23 24 34 46 36"),
            chance("pile 0 06 16 12 45 35 12 25 56"),
            said(1, "mulligan", 3.0),
            said(0, "mulligan", 12.0),
            chance("mulligan 0 hand 12 45 56 pile 25 06 16 12 35"),
            chance("mulligan 1 hand 46 36 24 pile 01 02 13 34 23"),
            said(0, "mulligan", 1.0),
            timeout(1, 60.001),
            chance("mulligan 0 hand 25 06 35 pile 45 12 16 12 56"),
            said(0, "25 A1:A2", 10.0),
            said(0, "top 12", 20.0),
            said(1, "46 B2:C2", 30.0),
            said(1, "discard 24", 63.5),
            said(0, "06 D3:D4", 100.0),
            timeout(0, 240.001),
        ],
        {"winner": 1, "reason": "timeout", "scores": [4, 2]},
        items=[
            (0, "tie-advantage"),
            (0, "domino-repeat"),
            (0, "hand-mulligan"),
            (1, "hand-mulligan"),
        ],
    )


def conceded() -> dict[str, Any]:
    """Both halves of a 0 and a 1, an organiser's act, and a player who has seen enough."""
    return record(
        [
            said(1, "second", 2.0),
            said(1, "deck 01 06 12 16 23 34 45 56", 100.0),
            said(0, "deck 02 13 24 35 46 05 15 26", 120.0),
            chance("pile 0 02 13 24 35 46 05 15 26"),
            chance("pile 1 01 06 12 16 23 34 45 56"),
            said(0, "02 D1:D2", 6.0),
            said(0, "top 26", 9.0),
            {"seat": "organiser", "move": "reserve 1 +60", "by": "Olga", "why": "network"},
            said(1, "01 A4:B4", 70.0),
            said(1, "concede", 1.0),
        ],
        {"winner": 0, "reason": "concession", "scores": [2, 2]},
    )


def at_random(seed: int, items: Sequence[tuple[Seat, str]] = (), **options: Any) -> dict[str, Any]:
    """A random match with random readings, up to 6 s over a turn's time."""
    random = Random(seed).random
    header = Header(
        ruleset="domino-wars",
        variant="standard",
        options=DominoWarsOptions(**options),
        advantage=seed % 2,
        items=tuple([HeldItem(seat, item) for seat, item in items]),
    )
    table = play.opened(RULES, header)
    moves = []
    while table.result is None:
        due = play.draws_due(RULES, table)
        if due:
            text = play.drawn(RULES, table, due[int(random() * len(due))], evenly(random))
            table = play.chanced(RULES, table, text=text).table
            moves.append(chance(text))
            continue
        slots = [slot for slot in table.open if slot is not None]
        slot = slots[int(random() * len(slots))]
        decision = slot.decision
        text = RULES.print(RULES.sample(table.state, decision, random))
        most = 66_000 if decision.clock == "turn" else 60_000
        reading = slot.reading_ms + int(random() * (most - slot.reading_ms))
        table = play.submitted(
            RULES, table, seat=decision.seat, text=text, reading_ms=reading
        ).table
        moves.append(said(decision.seat, text, reading / 1000))
    outcome = table.result
    result = {
        "winner": outcome.winner,
        "reason": outcome.reason,
        "scores": list(outcome.scores),
    }
    return record(moves, result, advantage=seed % 2, items=items, options=options)


ALL_ITEMS = [(seat, item.id) for seat in (0, 1) for item in RULES.items]
TIE = 9  # a seed whose match ends in a tie
STUCK = 3  # a seed whose match has players draw when they are stuck


def documents() -> dict[str, str]:
    """Every file by name, as it should be."""
    made = {
        "set-up": set_up(),
        "conceded": conceded(),
        "random": at_random(2),
        "items": at_random(3, ALL_ITEMS),
        "tie": at_random(TIE, [(1, "tie-advantage")]),
        "stuck": at_random(STUCK, draw_when_stuck=True),
    }
    return {
        f"domino-wars.standard.{name}.dmr.json": text_of(document)
        for name, document in made.items()
    }


def text_of(document: dict[str, Any]) -> str:
    """The document with an entry a line."""
    head = {key: value for key, value in document.items() if key not in ("moves", "result")}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items()]
    entries = ",\n".join(f"    {json.dumps(entry)}" for entry in document["moves"])
    result = json.dumps(document["result"])
    return f'{{\n{"".join(lines)}  "moves": [\n{entries}\n  ],\n  "result": {result}\n}}\n'


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in documents().items():
        (FOLDER / name).write_text(text)
