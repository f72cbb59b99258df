"""What `docs/` says of games, held against what they do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from games.engine import live as lives
from games.engine import notation, records
from games.engine.capabilities import built_in_of
from games.engine.table import Table
from games.rulesets import REGISTRY
from script.lib.console import ROOT

PLAYED = ROOT / "tests" / "playthroughs"


def tables_of(path: Path) -> Iterator[Table]:
    record = records.read(path.read_bytes())
    ruleset, header = records.header_of(REGISTRY, record)
    entries = [records.entry_of(move) for move in record.moves]
    for step in records.replay(ruleset, header, entries):
        yield step.table


@pytest.mark.parametrize("path", sorted(PLAYED.glob("domain.*.dmr.json")), ids=lambda p: p.name)
def test_a_stranger_can_replay_a_record_with_the_pool_that_is_published(path: Path) -> None:
    """A record names a built-in pool; with the published one in its place it means the same."""
    said = msgspec.json.decode(path.read_bytes())
    names = [
        move["move"].removeprefix("pool ")
        for move in said["moves"]
        if move.get("seat") == "chance" and move["move"].startswith("pool ")
    ]
    own = "pool" in said.get("options", {})
    published = built_in_of(REGISTRY.get("domain"))
    for name in [] if own else names:
        pool = published[name]
        # Under a name that no program has built in: nothing but the document can tell what it is.
        pool = {**msgspec.json.decode(msgspec.json.encode(pool)), "name": "stranger"}
        moves = [
            {**move, "move": f"pool stranger@{pool['version']}"}
            if move.get("seat") == "chance" and move["move"] == f"pool {name}"
            else move
            for move in said["moves"]
        ]
        options = {**said.get("options", {}), "pool": pool}
        theirs = {**said, "options": options, "moves": moves}
        ours = records.check(REGISTRY, path.read_bytes())
        assert ours["ok"], ours
        # But that whoever set the options agreed on it, so that nobody has drawn it.
        drawn = ours["draws"]
        drawn |= {"agreed": drawn["agreed"] + 1, "unverifiable": drawn["unverifiable"] - 1}
        assert records.check(REGISTRY, msgspec.json.encode(theirs)) == ours
    assert names
    assert set(names) <= set(published) or own


def test_other_games_need_no_more_than_the_record() -> None:
    assert [ruleset.id for ruleset in REGISTRY if built_in_of(ruleset)] == ["domain"]


def test_legal_of_domino_wars_are_moves() -> None:
    """A domino, a space and one of its texts are a move that stands, and no other pair is."""
    ruleset = REGISTRY.get("domino-wars")
    told = 0
    for path in sorted(PLAYED.glob("domino-wars.*.dmr.json"))[:3]:
        for number, table in enumerate(tables_of(path)):
            views = [ruleset.view(table.state, seat) for seat in (0, 1, "room")]
            assert views[2]["legal"] == {}
            for seat, view in enumerate(views[:2]):
                slot, legal = table.open[seat], view["legal"]
                # A match that was conceded stays as it was.
                if not legal or table.result is not None:
                    continue
                assert slot is not None
                assert slot.decision.kind == "play"
                assert not view["choices"]
                assert set(legal) == set(view["sides"][seat]["hand"])
                told += 1
                for domino, places in legal.items() if number % 7 == 0 else ():
                    for place in places:
                        assert re.fullmatch(r"[A-D][1-9]:[A-D][1-9]", place), place
                        move = ruleset.parse(notation.tidy(f"{domino} {place}"))
                        assert ruleset.print(move) == f"{domino} {place}"
    assert told > 20


def test_reminders_are_at_the_thresholds_that_the_protocol_names() -> None:
    text = (ROOT / "docs" / "protocol.md").read_text()
    told = re.search(r"of the turn time: (\d+), (\d+) and (\d+) s", text)
    every = re.search(r"after every (\d+) s of it", text)
    assert told
    assert every
    assert tuple(int(each) * 1000 for each in told.groups()) == lives.BEFORE_TURN_ENDS_MS
    assert int(every[1]) * 1000 == lives.EVERY_RESERVE_MS
