"""Records of played matches, and matches made from records."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from accounts.models import AuditEntry, User
from games.engine import draws as derived
from games.engine import records
from games.engine.draws import Draws, Nonce
from games.models import Match, MatchEntry
from games.reading.readers import reader_of
from games.reading.records import record_bytes
from games.rulesets import REGISTRY
from games.services.matches import record_import
from tests.games.support import SECOND, T0, Play, record_holds, refused, started

SEED, NONCES = "1f" * 32, ("20" * 32, "a1" * 32)


def test_there_is_no_record_of_a_running_match(play: Play) -> None:
    play.move(0, "pick T", 1)
    refused("match.not-over", record_bytes, match=play.match)


def test_a_record_tells_everything(ada: User, ben: User, orla: User) -> None:
    options = {"turn_time": 45.5, "pick_time": 60}
    play = started((ada, ben), options=options, advantage=None)
    play.move(0, "pick T", 1 * SECOND)
    play.move(1, "pick L", 2 * SECOND)
    chooser = play.held.live.table.advantage
    assert chooser is not None
    play.move(chooser, "second" if chooser else "first", 3 * SECOND)
    play.act(orla, "extend 0 10", 4 * SECOND)
    play.move(0, "D4 90", 5_250)
    play.wake(10 * 60 * SECOND)
    play.move(0, "concede", 11 * 60 * SECOND)
    record = record_holds(play.match)
    assert record["seats"] == ["Ada", "Ben"]
    assert record["options"] == {"turn_time": 45.5}
    assert "advantage" not in record
    moves = record["moves"]
    assert moves[0]["seat"] == "chance"
    assert moves[0]["move"] in ("lot 0", "lot 1")
    assert {"seat": "organiser", "move": "extend 0 10", "by": "Orla", "why": "because"} in moves
    assert {"seat": 0, "move": "D4 90", "t": 2.25} in moves
    assert moves[-2] == {"seat": 1, "timeout": True, "t": 10 * 60 - 5.25}
    assert record["result"]["reason"] == "concession"


@pytest.fixture
def record(ada: User, ben: User, rng: random.Random) -> dict[str, Any]:
    """A match that was played to its end."""
    play = started((ada, ben))
    play.to_the_end(rng.random, 0)
    document: dict[str, Any] = msgspec.json.decode(record_bytes(play.match))
    return document


def put(user: User, document: Any) -> Match:
    data = document if isinstance(document, bytes) else msgspec.json.encode(document)
    return record_import(acting_user=user, data=data, at=T0)


def test_an_imported_record_is_a_match_to_replay(orla: User, record: dict[str, Any]) -> None:
    match = put(orla, record)
    assert (match.source, match.status, match.seq) == (
        "imported", "finished", len(record["moves"]),
    )  # fmt: skip
    result = record["result"]
    assert (match.winner, match.reason) == (result["winner"], result["reason"])
    assert [(player.name, player.user) for player in match.players.all()] == [
        ("Ada", None), ("Ben", None),
    ]  # fmt: skip
    assert MatchEntry.objects.filter(match=match).count() == len(record["moves"])
    assert msgspec.json.decode(record_bytes(match)) == record
    audit = AuditEntry.objects.get(action="match.import")
    assert (audit.who, audit.target_id) == (orla, str(match.pk))
    reader = reader_of(match.pk, None)
    assert reader.over
    assert reader.sync["view"]["result"]["winner"] == match.winner
    assert [item["n"] for item in reader.sync["log"]] == list(range(1, len(reader.sync["log"]) + 1))


def test_importing_is_refused(orla: User, ada: User, record: dict[str, Any]) -> None:
    refused("record.not-allowed", put, user=ada, document=record)

    def bad(code: str, document: Any) -> None:
        refused(code, put, user=orla, document=document)

    bad("record.too-large", b" " * (1024 * 1024 + 1))
    bad("record.malformed", b"")
    bad("record.malformed", b"\xff\xfe")
    bad("record.malformed", b"[" * 100_000)
    bad("record.malformed", {**record, "format": "deathmatch-record/2"})
    bad("record.malformed", {**record, "ruleset": "tictactoe"})
    bad("record.malformed", {**record, "options": {"turn_tyme": 1}})
    moves = record["moves"]
    bad("record.wrong", {**record, "moves": [*moves, moves[-1]]})
    bad("record.wrong", {**record, "moves": moves[:3]})  # it states a result
    bad("record.wrong", {**record, "result": {**record["result"], "scores": [0, 1]}})
    unfinished = {key: value for key, value in record.items() if key != "result"}
    bad("record.unfinished", {**unfinished, "moves": moves[:3]})
    bad("record.unfinished", {**unfinished, "moves": []})


def drawn_record() -> dict[str, Any]:
    """A record with a lot that follows from its seed and both nonces."""
    one, two = (
        Nonce(derived.nonce_commitment(seat, nonce), nonce) for seat, nonce in enumerate(NONCES)
    )
    stated = Draws(SEED, (one, two))
    lot = stated.numbers("lot")(2)
    return {
        "format": records.FORMAT,
        "ruleset": "tetronogo",
        "variant": "standard",
        "seats": ["Ada", "Ben"],
        "moves": [
            {"seat": "chance", "move": f"lot {lot}"},
            {"seat": 0, "move": "concede", "t": 1},
        ],
        "draws": {
            "method": derived.METHOD,
            "seed": SEED,
            "commitment": stated.commitment,
            "nonces": [{"commitment": n.commitment, "nonce": n.nonce} for n in (one, two)],
        },
    }


def test_an_imported_record_can_still_be_verified(orla: User) -> None:
    record = drawn_record()
    written = msgspec.json.decode(record_bytes(put(orla, record)))
    assert written["draws"] == record["draws"]
    verdict = records.check(REGISTRY, msgspec.json.encode(written))
    assert verdict["draws"] == {
        "verified": 1, "supplied": 0, "agreed": 0, "unverifiable": 0,
    }  # fmt: skip


def test_a_record_whose_draws_are_wrong_is_refused(orla: User) -> None:
    record = drawn_record()
    lot = record["moves"][0]
    other = {**lot, "move": f"lot {1 - int(lot['move'][-1])}"}
    sentence = refused(
        "record.wrong", put, user=orla, document={**record, "moves": [other, record["moves"][1]]}
    ).sentence
    assert "at entry 1: draws.other: The seed and the nonces give" in sentence
    for change in (
        {"seed": "00" * 32},
        {"seed": "", "commitment": derived.seed_commitment("")},
        {"commitment": "00" * 32},
        {"nonces": [{"nonce": SEED}, {}]},
    ):
        changed = {**record, "draws": {**record["draws"], **change}}
        sentence = refused("record.wrong", put, user=orla, document=changed).sentence
        assert sentence.startswith("The record is wrong: draws: ")


def test_a_lot_that_somebody_is_said_to_have_supplied_is_refused(orla: User) -> None:
    record = drawn_record()
    lot, *others = record["moves"]
    for by in ("Cleo", "\x00 "):
        moves = [{**lot, "by": by}, *others]
        sentence = refused("record.wrong", put, user=orla, document={**record, "moves": moves})
        assert "at entry 1: draws.not-supplied: " in sentence.sentence


def test_names_and_reasons_that_a_database_cannot_hold(orla: User, record: dict[str, Any]) -> None:
    why = {"seat": "organiser", "move": "reserve 0 +1", "by": "O\x00" * 200, "why": "w\x00" * 9}
    match = put(orla, {**record, "seats": ["A\x00da", ""], "moves": [why, *record["moves"]]})
    assert [player.name for player in match.players.all()] == ["A da", "Second player"]
    entry = MatchEntry.objects.get(match=match, actor="organiser")
    assert "\x00" not in entry.by_name + entry.why
    assert record_holds(match)
