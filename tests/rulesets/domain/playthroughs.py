"""Whole matches as records, pinned in ``tests/playthroughs``.

``python -m tests.rulesets.domain.playthroughs`` writes the files anew. Three are made up by hand on
a pool small enough to be counted by hand (see `helpers.SMALL`), the counts being in the comments;
two are played on the built-in pool, one at random and one by strict refereeing.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from games.rulesets.domain import board
from tests.rulesets.domain.helpers import RULES, Game

FOLDER = Path(__file__).parents[2] / "playthroughs"


def challenges() -> Game:
    """By challenge: a wrong one that is free, a right one, a wrong one that costs 60 s, and a right
    one of the last placement. Bare domains have 1200 pixels each; red is seat 1's.

    01 on red takes 100 of seat 1's: 1300 to 1100. 02 on blue takes 64 back: 1236 to 1164. 03 sticks
    out of red by two columns and is struck. 04 on blue takes 144 and gives 64: 1092 to 1228. 05 on
    red takes 36: 1128 to 1192. 06 lies on the frame of blue; it takes 128 for a moment (1000 to
    1320), and is struck: seat 1 wins by 1192 to 1128.
    """
    game = Game().draw().say(0, "ready", at=400).say(1, "ready", at=333.3).say(1, "second", at=5)
    for number, shape in enumerate(("01", "02", "03", "04", "05", "06")):
        game.say(number % 2, f"take {shape}", at=10 + number)
    game.say(0, "01 > red 10,10 0", at=100)
    game.say(1, "challenge", at=30).say(1, "02 > blue 10,5 0", at=185.5)
    game.say(0, "03 > red 4,20 0", at=20)
    game.say(1, "challenge", at=60).say(1, "04 > blue 30,20 0", at=61)
    game.say(0, "05 > red 25,10 0", at=179.999)
    game.say(1, "challenge", at=5).say(1, "06 > blue 6,15 0", at=240)
    return game.say(0, "challenge", at=59)


def missed() -> Game:
    """Both miss a pick, seat 0 a second one: seat 1 wins with both domains bare."""
    game = Game(advantage=0).draw().late(1).say(0, "ready", at=599).late(0)
    game.say(0, "take 04", at=7).late(1).late(0).say(1, "take 01", at=120)
    return game.late(0)


def reviewed() -> Game:
    """The organiser reviews: an invalid placement is let stand, a valid one is struck, and the
    second challenge that is ruled wrong, that of the last placement, costs 60 s.

    02 on red reaches column 0 and is let stand: 64 for seat 0, 1264 to 1136. 03 on red is struck.
    05 lies on blue, seat 0's own domain, which changes nothing.
    """
    game = Game(review="organiser", turn_time=30, reserve=90)
    game.drafting()
    for number, shape in enumerate(("02", "01", "03", "04", "05", "06")):
        game.say(number % 2, f"take {shape}")
    game.say(1, "discard 01", at=3).say(0, "02 > red 8,10 0", at=29)
    game.say(1, "challenge", at=10).rule("rule valid").say(1, "discard 04", at=12)
    game.say(0, "03 > red 20,15 0", at=4)
    game.say(1, "challenge", at=31).rule("rule invalid").say(1, "discard 06", at=45)
    return game.say(0, "05 > blue 0,0 0", at=1).say(1, "challenge", at=59.5).rule("rule valid")


def strict() -> Game:
    """By strict refereeing on the built-in pool, at random: every shape lies validly."""
    random = Random(11).random
    game = Game(pool=None, refereeing="strict", advantage=0).draw("pool classic@1")
    game.late(0).late(1).say(0, "second")
    while game.table.result is None:
        (seat,) = game.to_move
        move = RULES.sample(game.state, game.decision(seat), random)
        game.say(seat, RULES.print(move), at=int(random() * 118_000) / 1000)
        placed = game.state.turns[-1].laid if game.state.turns else None
        assert placed is None or board.is_valid(game.state.ready_pool, game.state.laid[:-1], placed)
    return game


def at_random() -> Game:
    """By challenge on the built-in pool, at random, with now and then a decision out of time."""
    random = Random(5).random
    game = Game(pool=None).draw("pool classic@1")
    while game.table.result is None:
        seat = game.to_move[int(random() * len(game.to_move))]
        decision = game.decision(seat)
        if decision.kind != "place" and random() < 0.04:
            game.late(seat)
            continue
        text = RULES.print(RULES.sample(game.state, decision, random))
        slot = game.table.open[seat]
        assert slot is not None
        least = slot.reading_ms
        game.say(seat, text, at=(least + int(random() * 60_000)) / 1000)
    return game


def documents() -> dict[str, str]:
    """Every file by name, as it should be."""
    made = {
        "challenges": challenges(),
        "missed-picks": missed(),
        "review": reviewed(),
        "strict": strict(),
        "random": at_random(),
    }
    return {
        f"domain.standard.{name}.dmr.json": text_of(game.record()) for name, game in made.items()
    }


def text_of(document: dict[str, Any]) -> str:
    """The document with an entry a line."""
    head = {key: value for key, value in document.items() if key not in ("moves", "result")}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items()]
    entries = ",\n".join(f"    {json.dumps(entry)}" for entry in document["moves"])
    result = json.dumps(document.get("result"))
    return f'{{\n{"".join(lines)}  "moves": [\n{entries}\n  ],\n  "result": {result}\n}}\n'


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in documents().items():
        (FOLDER / name).write_text(text)
