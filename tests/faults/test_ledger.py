"""The ledger itself: it notes whatever the database does not bear out."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.ledger import Ledger, Sent

VIEW: dict[str, Any] = {
    "phase": "on",
    "paused": False,
    "decisions": [
        {
            "id": "a",
            "seat": 0,
            "kind": "pick",
            "clock": {"turn_ms": 1000, "reserve": True, "reading_ms": 400, "running": True},
        }
    ],
    "reserve_ms": [500, 500],
    "game": {"board": "empty"},
    "result": None,
}
SHOWN = ["on", False, [["a", 0, "pick", None]], {"board": "empty"}, None]
ITEM = {"n": 1, "actor": 0, "events": ["picked"]}
ENTRY = {
    "seq": 1, "actor": "0", "text": "T", "timeout": False, "client_id": "x", "submitted": "T",
    "ack_version": 2, "at": 900,
}  # fmt: skip
TIMEOUT = {**ENTRY, "seq": 2, "client_id": None, "timeout": True}
TRUTH: dict[str, Any] = {
    "entries": [ENTRY],
    "versions": {"0": 2, "1": 2, "room": 2},
    "shown": {"0": SHOWN, "1": SHOWN, "room": SHOWN},
    "logs": {"0": [[0, ["picked"]]], "1": [], "room": [], "all": []},
    "record": [],
}


def step(**more: Any) -> dict[str, Any]:
    frame = {"type": "step", "version": 2, "at": 900, "view": VIEW, "events": [ITEM]}
    return {**copy.deepcopy(frame), **more}


@pytest.fixture
def ledger() -> Ledger:
    """Of a submission that was acknowledged, and the step that came of it."""
    ledger = Ledger()
    ledger.sent["x"] = Sent(7, 0, "x", "T")
    ledger.note(7, "0", {"type": "ack", "id": "x", "match": 7, "version": 2, "at": 900})
    ledger.note(7, "0", step())
    return ledger


def wrong(ledger: Ledger, **otherwise: Any) -> list[str]:
    found = ledger._check_match(7, {**copy.deepcopy(TRUTH), **otherwise})
    return [*ledger.contradictions, *found]


def test_what_is_so(ledger: Ledger) -> None:
    assert wrong(ledger) == []


@pytest.mark.parametrize(
    ("entries", "what"),
    [
        ([], "is there 0 times"),
        ([ENTRY, {**ENTRY, "seq": 2}], "is there 2 times"),
        ([{**ENTRY, "submitted": "L"}], "'L' is there"),
        ([{**ENTRY, "ack_version": 3}], "is there as"),
        ([{**ENTRY, "at": 901}], "is there as"),
        ([{**ENTRY, "seq": 2}], "without gaps"),
        ([ENTRY, {**ENTRY, "seq": 2, "client_id": "y"}], "nobody has sent"),
        ([ENTRY, {**TIMEOUT, "at": 1999}], "ran out 1 ms"),
    ],
)  # fmt: skip
def test_entries_that_are_otherwise(entries: list[Any], what: str, ledger: Ledger) -> None:
    (told,) = wrong(ledger, entries=entries)[-1:]
    assert what in told


@pytest.mark.parametrize(
    ("otherwise", "what"),
    [
        ({"versions": {**TRUTH["versions"], "0": 1}}, "and there are 1"),
        ({"shown": {**TRUTH["shown"], "0": ["over"]}}, "is not what was told"),
        ({"logs": {**TRUTH["logs"], "0": []}}, "is not so"),
        ({"logs": {**TRUTH["logs"], "0": [[1, ["picked"]]]}}, "is not so"),
        ({"record": ["its entries, replayed, do not lead to its row"]}, "replayed"),
    ],
)
def test_matches_that_are_otherwise(otherwise: Any, what: str, ledger: Ledger) -> None:
    (told,) = wrong(ledger, **otherwise)
    assert what in told


REFUSED = {"type": "refused", "id": "x", "code": "version.stale"}


@pytest.mark.parametrize(
    ("happens", "what"),
    [
        (lambda ledger: ledger.note(7, "0", REFUSED), "acknowledged, and refused"),
        (lambda ledger: ledger.sent["x"].acks.clear(), "never answered"),
        (
            lambda ledger: (ledger.sent["x"].acks.clear(), ledger.note(7, "0", REFUSED)),
            "and is there",
        ),
        (
            lambda ledger: ledger.note(7, "0", step(view={**VIEW, "game": {"board": "full"}})),
            "two different things",
        ),
        (
            lambda ledger: ledger.note(7, "0", step(events=[{**ITEM, "events": ["placed"]}])),
            "has changed",
        ),
    ],
)
def test_what_contradicts_itself(
    happens: Callable[[Ledger], object], what: str, ledger: Ledger
) -> None:
    happens(ledger)
    assert any(what in told for told in wrong(ledger)), wrong(ledger)
