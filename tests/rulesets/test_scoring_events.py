"""What events say has been won is what the scores say, in every recorded match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from games.engine import records
from games.rulesets import REGISTRY
from tests.engine.playthroughs import playthroughs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@pytest.mark.parametrize("path", playthroughs(), ids=lambda path: path.name)
def test_what_is_won_is_what_the_scores_say(path: Path) -> None:
    """By squares (``won`` and, of these, ``taken`` from the other seat) or by ``gained``."""
    record = records.read(path.read_bytes())
    ruleset, header = records.header_of(REGISTRY, record)
    before: list[int] | None = None
    for reckoned in records.replay(ruleset, header, [records.entry_of(e) for e in record.moves]):
        state = reckoned.table.state
        if state is None or reckoned.entry.actor == "organiser":
            continue
        scores = list(ruleset.scores(state))
        changes = [0, 0]
        told = False
        for event in reckoned.events:
            data: Mapping[str, Any] = event.data
            if "won" in data and event.seat is not None:
                told = True
                changes[event.seat] += len(data["won"])
                changes[1 - event.seat] -= len(data["taken"])
                assert set(data["taken"]) <= set(data["won"])
            if "gained" in data:
                told = True
                changes = [one + more for one, more in zip(changes, data["gained"], strict=True)]
        if before is not None and told:
            assert scores == [one + more for one, more in zip(before, changes, strict=True)]
        before = scores
