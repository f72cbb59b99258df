"""Hints are legal in the real position and tell nothing that their reader cannot know."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest

from core.refusals import Refusal
from games.bots import hints as bots
from games.engine import live as lives
from games.engine import notation, records
from games.engine.acts import Act
from games.engine.live import Live
from games.engine.table import AnyRuleset, Header, Table
from games.rulesets import REGISTRY

PLAYTHROUGHS = sorted((Path(__file__).parent.parent / "playthroughs").glob("*.dmr.json"))
STEPS_AT_MOST = 24


def positions(path: Path) -> tuple[AnyRuleset, list[Table]]:
    """Some tables of a played match, spread over it."""
    record = records.read(path.read_bytes())
    ruleset, header = records.header_of(REGISTRY, record)
    entries = [records.entry_of(move) for move in record.moves]
    tables = [step.table for step in records.replay(ruleset, header, entries)]
    return ruleset, tables[:: max(1, len(tables) // STEPS_AT_MOST)]


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.name.split(".dmr")[0])
def test_hints_are_legal_in_the_real_position(path: Path) -> None:
    ruleset, tables = positions(path)
    draw = random.Random(7).random
    asked = 0
    for table in tables:
        for seat in (0, 1):
            slot = table.open[seat]
            if slot is None or table.result is not None or table.paused:
                continue
            decision, moves = bots.hints(ruleset, Live(table), seat, count=3, random=draw)
            assert decision == slot.decision.id
            assert 1 <= len(moves) <= 3
            assert len(set(moves)) == len(moves)
            for text in moves:
                ruleset.validate(table.state, slot.decision, ruleset.parse(notation.tidy(text)))
            asked += 1
    assert asked


def test_hints_depend_on_the_view_alone() -> None:
    """Two positions that differ in what seat 0 cannot see give it the same hints for the same
    draws: the half that seat 1 hid."""
    ruleset = REGISTRY.get("domino-black-white")

    def after(text: str) -> Live:
        options = msgspec.convert({}, ruleset.options_type)
        header = Header(ruleset=ruleset.id, variant="standard", options=options, advantage=1)
        live = lives.begin(ruleset, header, at=0, random=random.Random(1).random).live
        for seat, move in ((1, "first"), (1, text)):
            turn = lives.submit(
                ruleset, live, seat=seat, text=move, at=1000, random=random.Random(1).random
            )
            assert turn.refusal is None, turn.refusal
            live = turn.live
        return live

    one, other = after("(1,2) DZ:EZ hide 1"), after("(3,2) DZ:EZ hide 3")
    assert one.table.state != other.table.state
    views = [ruleset.view(live.table.state, 0) for live in (one, other)]
    assert views[0] == views[1]
    drawn = [
        bots.hints(ruleset, live, 0, count=10, random=random.Random(3).random)
        for live in (one, other)
    ]
    assert drawn[0] == drawn[1]


def begun(ruleset_id: str) -> tuple[AnyRuleset, Live]:
    ruleset = REGISTRY.get(ruleset_id)
    header = Header(
        ruleset=ruleset.id,
        variant=ruleset.variants[0].id,
        options=msgspec.convert({}, ruleset.options_type),
        advantage=0,
    )
    return ruleset, lives.begin(ruleset, header, at=0, random=random.Random(1).random).live


def submitted(ruleset: AnyRuleset, live: Live, seat: int, text: str) -> Live:
    turn = lives.submit(ruleset, live, seat=seat, text=text, at=10, random=random.Random(1).random)
    assert turn.refusal is None, turn.refusal
    return turn.live


def test_nothing_to_hint_at() -> None:
    draw = random.Random(1).random

    def code(live: Live, seat: int) -> str:
        with pytest.raises(Refusal) as caught:
            bots.hints(ruleset, live, seat, count=1, random=draw)
        assert caught.value.sentence.endswith(".")
        return caught.value.code

    ruleset, live = begun("tetronogo")
    waiting = submitted(ruleset, live, 0, "pick T")
    assert code(waiting, 0) == "decision.sealed"
    placing = submitted(ruleset, submitted(ruleset, waiting, 1, "pick L"), 0, "first")
    assert code(placing, 1) == "decision.none"
    paused = lives.organise(
        ruleset, placing, act=_act("pause"), by="Olga", why="tea", at=20, random=draw, entries=()
    )
    assert code(paused.live, 0) == "match.paused"
    assert code(submitted(ruleset, placing, 0, "concede"), 1) == "match.over"


def _act(text: str) -> Act:
    from games.engine import acts

    return acts.parse_act(text)
