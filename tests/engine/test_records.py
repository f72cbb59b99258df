"""Match records: what is malformed, what cannot stand and where, results, steps, writing."""

from __future__ import annotations

import json
from typing import Any, cast
from unittest.mock import ANY

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest

from games.engine import records
from games.engine.decisions import Outcome
from games.engine.records import Malformed, RecordMove
from games.engine.registry import Registry
from games.engine.schema import record_schema
from tests.engine.helpers import UP_TO_TURNS, entries, header, table
from tests.toy.rules import TOY

TOYS = Registry(TOY)
SCHEMA = record_schema(TOYS)
ABSENT = object()  # as a value: the key is left out

Document = dict[str, Any]


def move(text: str) -> Document:
    """An entry of a record from the short form."""
    return cast(Document, msgspec.to_builtins(records._move_of(entries(text)[0])))


def record(*moves: str | Document, **changes: Any) -> Document:
    """A record of the toy; a change to ``ABSENT`` leaves a key out."""
    document = {
        "format": "deathmatch-record/1",
        "ruleset": "toy",
        "variant": "standard",
        "options": {},
        "seats": ["Ada", "Ben"],
        "advantage": 1,
        "items": [],
        "moves": [move(each) if isinstance(each, str) else each for each in moves],
        **changes,
    }
    return {key: value for key, value in document.items() if value is not ABSENT}


def check(document: Any, *, steps: bool = False) -> dict[str, Any]:
    """The verdict on a document, or on bytes as they are."""
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    verdict = records.check(TOYS, data, steps=steps)
    json.dumps(verdict, allow_nan=False)
    return verdict


def stands(document: Document) -> dict[str, Any]:
    verdict = check(document)
    assert verdict["ok"], verdict
    assert list(verdict) == ["ok", "finished", "winner", "reason", "scores", "draws"]
    return verdict


def falls(document: Any, at: int | None, error: str = "") -> dict[str, Any]:
    verdict = check(document)
    assert not verdict["ok"], verdict
    assert list(verdict) == ["ok", "at", "error"]
    assert verdict["at"] == at, verdict
    assert error in verdict["error"]
    assert verdict["error"]
    return verdict


def short(value: object) -> str:
    """A name for a case that is not as long as the case."""
    return repr(value)[:60]


def fits_schema(document: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(SCHEMA).is_valid(document))


# -- documents that are no records ---------------------------------------------------------------

GOOD = json.dumps(record("0 ready")).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"\x00",
        b"{",
        b"{}",
        b"[]",
        b"null",
        b"true",
        b"1",
        b'"deathmatch-record/1"',
        b"\xff\xfe\xfd",
        GOOD[:-1],
        GOOD + b"x",
        GOOD + GOOD,
        GOOD.replace(b"}]", b"},]"),
        GOOD.replace(b'"toy"', b"'toy'"),
        b"// a comment\n" + GOOD,
        b"\xef\xbb\xbf" + GOOD,
        GOOD.decode().encode("utf-16"),
        GOOD.replace(b"Ada", b"\xff\xfe"),
        GOOD.replace(b"Ada", b"\xed\xa0\x80"),  # half of a surrogate pair
        GOOD.replace(b"Ada", b"\\ud800"),
        GOOD.replace(b"Ada", b"A\nda"),
        GOOD.replace(b'"options"', b'"\xff\xfe"'),
        GOOD.replace(b'"moves"', b'"note": "\xff", "moves"'),  # in a key that is ignored
        b"[" * 10**6,
        b'{"a":' * 10**6,
        b"[" * 10**6 + b"]" * 10**6,
        GOOD.replace(b'"options": {}', b'"options": ' + b'{"a":' * 10**5 + b"1" + b"}" * 10**5),
        GOOD.replace(b'"options": {}', b'"x": ' + b"[" * 10**6 + b"]" * 10**6),
    ],
    ids=short,
)
def test_what_is_no_json_object_in_utf8_is_malformed(data: bytes) -> None:
    falls(data, None)


NUMBERS = ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 5000, "9" * 5000 + ".5", "01"]


@pytest.mark.parametrize(
    "number", [*NUMBERS, "-1", "-0.001", "true", "null", '"3"', "[3]", "{}"], ids=short
)
def test_a_reading_is_a_number_of_seconds_and_not_negative(number: str) -> None:
    data = GOOD.replace(b'"move": "ready"', b'"move": "ready", "t": ' + number.encode())
    falls(data, None)


@pytest.mark.parametrize(
    "number", [*NUMBERS, "-1", "1e10", "true", "false", "null", '"60"', "[60]", "{}"], ids=short
)
def test_a_time_among_the_options_is_a_number_of_seconds(number: str) -> None:
    falls(
        GOOD.replace(b'"options": {}', b'"options": {"turn_time": ' + number.encode() + b"}"), None
    )


@pytest.mark.parametrize("number", ["0", "0.0", "-0.0", "3.2", "1e1", "1.0000000000000000001"])
def test_a_reading_may_be_written_like_any_number(number: str) -> None:
    stands(json.loads(GOOD.replace(b'"ready"', b'"ready", "t": ' + number.encode())))


@pytest.mark.parametrize("number", ["180.001", "1000000000000", "1e300", "9" * 200], ids=short)
def test_a_reading_beyond_everything_is_judged_where_it_stands(number: str) -> None:
    falls(GOOD.replace(b'"ready"', b'"ready", "t": ' + number.encode()), 0, "clock.over")
    timeout = GOOD.replace(b'"move": "ready"', b'"timeout": true, "t": ' + number.encode())
    assert check(timeout)["ok"]


WRONG_OPTIONS: list[Any] = [
    {"turntime": 5},
    {"turn_time": "5"},
    {"turn_time": True},
    {"turn_time": None},
    {"turn_time": -1},
    {"turn_time": [5]},
    {"mild": 1},
    {"mild": "true"},
    {"mild": None},
    {"pool": {}},
    {"": 1},
    {"turn_time": 5, "TURN_TIME": 5},
]

WRONG_ITEMS: list[Any] = [
    {},
    [None],
    ["tie-advantage"],
    [{}],
    [{"seat": 0}],
    [{"item": "tie-advantage"}],
    [{"seat": 2, "item": "tie-advantage"}],
    [{"seat": "0", "item": "tie-advantage"}],
    [{"seat": True, "item": "tie-advantage"}],
    [{"seat": None, "item": "tie-advantage"}],
    [{"seat": 0, "item": 1}],
    [{"seat": 0, "item": None}],
    [{"seat": 0, "item": "extra-peg"}],
    [{"seat": 0, "item": "copy"}],
    [{"seat": 0, "item": "cheap-picks"}],
]

WRONG_ENTRIES: list[Document] = [
    {},
    {"seat": 0},
    {"move": "ready"},
    {"timeout": True},
    {"seat": 0, "move": None},
    {"seat": 0, "move": 1},
    {"seat": 0, "move": ["ready"]},
    {"seat": 0, "move": "ready", "timeout": True},
    {"seat": 0, "move": "ready", "timeout": False},
    {"seat": 0, "move": "ready", "timeout": None},
    {"seat": 0, "timeout": False},
    {"seat": 0, "timeout": 1},
    {"seat": 0, "timeout": "true"},
    {"seat": 0, "timeout": None},
    {"seat": 0, "move": None, "timeout": True},
    {"seat": "0", "move": "ready"},
    {"seat": 2, "move": "ready"},
    {"seat": -1, "move": "ready"},
    {"seat": None, "move": "ready"},
    {"seat": True, "move": "ready"},
    {"seat": False, "move": "ready"},
    {"seat": [0], "move": "ready"},
    {"seat": "referee", "move": "ready"},
    {"seat": "Chance", "move": "lot 1"},
    {"seat": "chance", "timeout": True},
    {"seat": "organiser", "timeout": True},
    {"seat": "chance", "move": 1},
    {"seat": "chance"},
    {"seat": "organiser", "move": None},
    {"seat": "organiser", "move": "pause", "by": 1},
    {"seat": "organiser", "move": "pause", "by": None},
    {"seat": "organiser", "move": "pause", "why": ["slow"]},
    {"seat": "organiser", "move": "pause", "why": None},
    {"seat": "organiser", "move": "pause", "t": "1"},
    {"seat": "chance", "move": "die 1", "t": -1},
]

WRONG_RESULTS: list[Any] = [
    None,
    1,
    "points",
    [],
    {},
    {"winner": 0},
    {"reason": "points"},
    {"scores": [0, 0]},
    {"winner": 2, "reason": "points", "scores": [0, 0]},
    {"winner": "0", "reason": "points", "scores": [0, 0]},
    {"winner": True, "reason": "points", "scores": [0, 0]},
    {"winner": 0, "reason": "luck", "scores": [0, 0]},
    {"winner": 0, "reason": None, "scores": [0, 0]},
    {"winner": 0, "reason": "points", "scores": None},
    {"winner": 0, "reason": "points", "scores": [0]},
    {"winner": 0, "reason": "points", "scores": [0, 0, 0]},
    {"winner": 0, "reason": "points", "scores": ["0", "0"]},
    {"winner": 0, "reason": "points", "scores": [0.5, 0]},
    {"winner": 0, "reason": "points", "scores": {"0": 0, "1": 0}},
]

NEITHER_TEXT_NOR_LIST: list[Any] = [None, 1, True]

NO_SEAT: list[Any] = [None, 2, -1, "1", True, False, 0.5, [], "chance"]

MALFORMED: list[Document] = [
    # Keys that must be there.
    *(record(**{key: ABSENT}) for key in ("format", "ruleset", "variant", "seats", "moves")),
    # Keys of a wrong kind.
    *(
        record(**{key: value})
        for key in ("format", "ruleset", "variant", "seats", "moves", "options", "items")
        for value in NEITHER_TEXT_NOR_LIST
    ),
    *(record(**{key: "x"}) for key in ("seats", "moves", "options", "items")),
    *(record(**{key: {}}) for key in ("format", "ruleset", "variant", "seats", "moves", "items")),
    # Values that do not exist.
    record(format="deathmatch-record/2"),
    record(format="deathmatch-record"),
    record(format="DEATHMATCH-RECORD/1"),
    record(ruleset="chess"),
    record(ruleset="TOY"),
    record(ruleset=""),
    record(variant="blitz"),
    record(variant=""),
    # Two names, no more and no fewer.
    *(record(seats=seats) for seats in ([], ["Ada"], ["Ada", "Ben", "Cleo"], ["Ada", None])),
    record(seats=[1, 2]),
    # The advantage is a seat or absent.
    *(record(advantage=value) for value in NO_SEAT),
    # Options: known keys, right types, sensible values.
    *(record(options=options) for options in WRONG_OPTIONS),
    record(options=[]),
    # Items: known to the ruleset and the variant.
    *(record(items=items) for items in WRONG_ITEMS),
    # Entries.
    *(record(entry) for entry in WRONG_ENTRIES),
    {**record(), "moves": [None]},
    {**record(), "moves": ["ready"]},
    {**record(), "moves": [["0", "ready"]]},
    {**record(), "moves": {"0": "ready"}},
    # A result, if any, is whole.
    *(record(result=result) for result in WRONG_RESULTS),
]


@pytest.mark.parametrize("document", MALFORMED, ids=short)
def test_what_does_not_fit_the_schema_is_malformed(document: Document) -> None:
    falls(document, None)
    assert not fits_schema(document)


def test_a_malformed_entry_counts_before_an_earlier_one_that_cannot_stand() -> None:
    falls(record("0 take 3", {"seat": 0}), None)


def test_a_setup_that_the_ruleset_refuses_is_malformed() -> None:
    falls(record(options={"turn_time": 13}), None, "setup.unlucky")


# -- documents that are records ------------------------------------------------------------------

ACCEPTED: list[Document] = [
    record(),
    record(options=ABSENT, items=ABSENT),
    record(options={"turn_time": 120, "reserve": 0, "choice_time": 0.001, "mild": True}),
    record(seats=["", "\U0001f600 \u0000"]),
    record(items=[{"seat": 0, "item": "tie-advantage"}] * 3),
    record(variant="costly", items=[{"seat": 1, "item": "cheap-picks"}]),
    record(advantage=0),
    record(advantage=ABSENT),
    record("0 timeout @180.001"),
    record({"seat": 0, "move": "ready", "by": "Cleo", "why": ""}),
    record({"seat": "organiser", "move": "pause", "t": 99}),
    # Keys that nobody knows are ignored, wherever they stand.
    record(event="Season 3", result_of=None),
    record({"seat": 0, "move": "ready", "comment": {"nested": [1, None]}}),
    record(items=[{"seat": 0, "item": "tie-advantage", "from": "Benji"}]),
]


@pytest.mark.parametrize("document", ACCEPTED, ids=short)
def test_what_fits_the_schema_and_stands_is_accepted(document: Document) -> None:
    stands(document)
    assert fits_schema(document)


def test_of_a_key_that_stands_twice_the_last_counts() -> None:
    assert check(GOOD.replace(b'"advantage"', b'"advantage": 0, "advantage"'))["ok"]
    falls(GOOD.replace(b'"seat": 0', b'"seat": 0, "seat": 2'), None)


# -- results -------------------------------------------------------------------------------------

WHOLE = (
    *UP_TO_TURNS,
    *("1 take 3", "0 take 3", "1 take 3"),
    *("0 pick 2", "1 pick 2", "1 second", "chance die 1"),
    *("0 take 3", "1 take 2"),
)
RESULT = {"winner": 1, "reason": "points", "scores": [6, 9]}


def test_a_finished_match_is_reported_with_its_result() -> None:
    assert stands(record(*WHOLE)) == {"ok": True, "finished": True, **RESULT, "draws": ANY}
    assert stands(record(*WHOLE, result=RESULT)) == {
        "ok": True,
        "finished": True,
        **RESULT,
        "draws": ANY,
    }


@pytest.mark.parametrize(
    ("moves", "scores"),
    [((), [0, 0]), (UP_TO_TURNS, [0, 0]), ((*UP_TO_TURNS, "1 take 2"), [0, 2])],
)
def test_an_unfinished_match_is_reported_with_the_scores_as_they_stand(
    moves: tuple[str, ...], scores: list[int]
) -> None:
    assert stands(record(*moves)) == {
        "ok": True,
        "finished": False,
        "winner": None,
        "reason": None,
        "scores": scores,
        "draws": ANY,
    }


def test_before_the_lot_nothing_counts() -> None:
    assert stands(record(advantage=ABSENT))["scores"] == [0, 0]


def test_a_void_match_has_no_winner() -> None:
    verdict = stands(record(*UP_TO_TURNS, "1 take 2", "organiser void"))
    assert verdict == {
        "ok": True,
        "finished": True,
        "winner": None,
        "reason": "ruling",
        "scores": [0, 2],
        "draws": {"verified": 0, "supplied": 0, "agreed": 0, "unverifiable": 1},
    }
    result = {"winner": None, "reason": "ruling", "scores": [0, 2]}
    stands(record(*UP_TO_TURNS, "1 take 2", "organiser void", result=result))


def test_a_result_may_leave_the_scores_out() -> None:
    document = record(*WHOLE, result={"winner": 1, "reason": "points"})
    stands(document)
    assert fits_schema(document)


@pytest.mark.parametrize(
    "change",
    [{"winner": 0}, {"winner": None}, {"reason": "tie-break"}, {"scores": [9, 6]},
     {"scores": [6, 10]}],
)  # fmt: skip
def test_a_result_that_the_replay_contradicts_is_a_disagreement(change: Document) -> None:
    falls(record(*WHOLE, result={**RESULT, **change}), None, "The record states")


def test_a_result_on_an_unfinished_match_is_a_disagreement() -> None:
    falls(record(*WHOLE[:-1], result=RESULT), None, "not over")
    void = {"winner": None, "reason": "ruling", "scores": [0, 0]}
    falls(record(*UP_TO_TURNS, result=void), None, "not over")


def test_an_entry_that_cannot_stand_counts_before_a_wrong_result() -> None:
    falls(record(*WHOLE, "0 concede", result={**RESULT, "winner": 0}), len(WHOLE), "match.over")


# -- entries that cannot stand, and where --------------------------------------------------------

N = len(UP_TO_TURNS)

CANNOT_STAND: list[tuple[tuple[str | Document, ...], int, str]] = [
    (("0 take 3",), 0, "move.wrong-kind"),
    (("0 ready", "0 ready"), 1, "decision.none"),
    (("0 grab",), 0, "notation.unreadable"),
    (({"seat": 0, "move": ""},), 0, "notation.unreadable"),
    (({"seat": 0, "move": "x" * 10**5},), 0, "notation.unreadable"),
    (({"seat": 0, "move": "ready\n"},), 0, "notation.unreadable"),
    (({"seat": 0, "move": "\u0440eady"},), 0, "notation.unreadable"),
    (("0 ready @180.001",), 0, "clock.over"),
    (("0 timeout @180",), 0, "clock.not-out"),
    (("0 timeout @0",), 0, "clock.not-out"),
    (("0 timeout", "0 timeout"), 1, "decision.none"),
    (("0 ready", "1 ready", "0 pick 3", "0 pick 3"), 3, "decision.sealed"),
    (("0 ready", "1 ready", "0 pick 3", "0 timeout"), 3, "decision.none"),
    (("0 ready", "1 ready", "0 timeout", "chance pick 1 3"), 3, "chance.not-due"),
    (("0 ready", "1 ready", "chance pick 0 3"), 2, "chance.not-due"),
    ((*UP_TO_TURNS[:-1], "1 take 3"), N - 1, "decision.none"),
    ((*UP_TO_TURNS[:-1], "chance die 7"), N - 1, "chance.impossible"),
    ((*UP_TO_TURNS[:-1], "chance die six"), N - 1, "notation.chance"),
    ((*UP_TO_TURNS[:-1], {"seat": "chance", "move": ""}), N - 1, "notation.chance"),
    ((*UP_TO_TURNS, "chance die 6"), N, "chance.not-due"),
    ((*UP_TO_TURNS, "0 take 3"), N, "decision.none"),
    ((*UP_TO_TURNS, "1 take 1 @10", "1 mark a @9.999"), N + 1, "clock.backwards"),
    ((*UP_TO_TURNS, "1 take 1 @10", "1 mark a"), N + 1, "clock.backwards"),
    ((*UP_TO_TURNS, "1 take 1 @10", "1 concede @9"), N + 1, "clock.backwards"),
    ((*UP_TO_TURNS, "1 take 2 @180", "0 take 2", "1 take 2 @120.001"), N + 2, "clock.over"),
    ((*UP_TO_TURNS, "1 concede @180.001"), N, "clock.over"),
    ((*UP_TO_TURNS, "1 timeout", "0 take 2"), N + 1, "match.over"),
    ((*UP_TO_TURNS, "0 concede", "1 concede"), N + 1, "match.over"),
    ((*UP_TO_TURNS, "0 concede", "organiser take back"), N + 1, "match.over"),
    ((*UP_TO_TURNS, "organiser void", "organiser void"), N + 1, "match.over"),
    (("chance lot 1",), 0, "chance.not-due"),
    (("0 ready", "chance lot 0"), 1, "chance.not-due"),
    (("organiser dance",), 0, "notation.organiser"),
    (({"seat": "organiser", "move": ""},), 0, "notation.unreadable"),
    (("organiser resume",), 0, "organiser.not-paused"),
    (("organiser pause", "organiser pause"), 1, "organiser.paused"),
    (("organiser pause", "0 ready"), 1, "match.paused"),
    (("organiser pause", "0 timeout"), 1, "match.paused"),
    (("organiser rule valid",), 0, "organiser.nothing-to-rule"),
    (("organiser extend 0 5", "0 ready", "organiser extend 0 5"), 2, "organiser.no-decision"),
    (("organiser take back",), 0, "organiser.nothing-to-take-back"),
    (("0 timeout", "organiser take back"), 1, "organiser.nothing-to-take-back"),
    (("0 ready", "organiser take back", "organiser take back"), 2, "organiser.nothing"),
    (("0 ready", "organiser take back", "1 take 3"), 2, "move.wrong-kind"),
    (("0 take back",), 0, "notation.unreadable"),
    (("0 pause",), 0, "notation.unreadable"),
    (("organiser ready",), 0, "notation.organiser"),
    (("organiser concede",), 0, "notation.organiser"),
    (("chance concede",), 0, "notation.chance"),
    (("chance ready",), 0, "notation.chance"),
]


@pytest.mark.parametrize(("moves", "at", "code"), CANNOT_STAND, ids=short)
def test_the_first_entry_that_cannot_stand_is_named(
    moves: tuple[str | Document, ...], at: int, code: str
) -> None:
    document = record(*moves)
    falls(document, at, code)
    assert fits_schema(document)
    # What comes before it stands, and what comes after makes no difference.
    stands(record(*moves[:at]))
    falls(record(*moves[: at + 1], "0 nonsense", "1 nonsense"), at, code)


WITHOUT_LOT: list[tuple[tuple[str, ...], int]] = [
    (("0 ready",), 0),
    (("0 concede",), 0),
    (("0 timeout",), 0),
    (("chance die 3",), 0),
    (("chance lot 2",), 0),
    (("chance lot",), 0),
    (("organiser pause",), 0),
    (("organiser winner 0",), 0),
    (("organiser void",), 0),
    (("organiser take back",), 0),
    (("chance lot 1", "chance lot 1"), 1),
]


@pytest.mark.parametrize(("moves", "at"), WITHOUT_LOT)
def test_without_a_stated_advantage_the_first_entry_is_the_lot(
    moves: tuple[str, ...], at: int
) -> None:
    falls(record(*moves, advantage=ABSENT), at)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_drawn_advantage_is_as_good_as_a_stated_one(seat: int) -> None:
    lot = f"chance lot {seat}"
    chooser = f"{seat} first"
    moves = (*UP_TO_TURNS[:4], chooser, UP_TO_TURNS[5])
    drawn = check(record(lot, *moves, advantage=ABSENT), steps=True)
    stated = check(record(*moves, advantage=seat), steps=True)
    assert drawn["ok"]
    assert stated["ok"]
    assert drawn["steps"][1:] == stated["steps"]


def test_a_lot_may_be_taken_no_further_back_than_to_itself() -> None:
    moves = ("chance lot 1", "0 ready", "organiser take back")
    stands(record(*moves, "1 ready", advantage=ABSENT))
    falls(record(*moves, "organiser take back", advantage=ABSENT), 3)


# -- steps ---------------------------------------------------------------------------------------


def test_steps_say_how_the_match_stood_after_every_entry() -> None:
    verdict = check(
        record(
            *("0 ready @3", "1 ready", "1 pick 5", "organiser reserve 0 +2", "0 pick 3"),
            *("1 first", "chance die 5", "1 take 1 @120.5", "1 mark a @121.5", "0 take 3 @130.25"),
            *("organiser pause", "0 concede"),
        ),
        steps=True,
    )
    assert verdict.pop("steps") == [
        {"scores": [0, 0], "to_move": [1], "reserve": [60, 60], "took": []},
        {"scores": [0, 0], "to_move": [0, 1], "reserve": [60, 60], "took": []},
        {"scores": [0, 0], "to_move": [0], "reserve": [60, 60], "took": []},
        {"scores": [0, 0], "to_move": [0], "reserve": [62, 60], "took": []},
        {"scores": [0, 0], "to_move": [1], "reserve": [62, 60], "took": []},
        {"scores": [0, 0], "to_move": [], "reserve": [62, 60], "took": []},
        {"scores": [0, 0], "to_move": [1], "reserve": [62, 60], "took": []},
        {"scores": [0, 0], "to_move": [1], "reserve": [62, 60], "took": [1]},
        {"scores": [0, 1], "to_move": [0], "reserve": [62, 58.5], "took": [1]},
        {"scores": [3, 1], "to_move": [1], "reserve": [51.75, 58.5], "took": [3]},
        {"scores": [3, 1], "to_move": [1], "reserve": [51.75, 58.5], "took": []},
        {"scores": [3, 1], "to_move": [], "reserve": [51.75, 58.5], "took": []},
    ]
    assert list(verdict) == ["ok", "finished", "winner", "reason", "scores", "draws"]


def test_steps_before_and_after_the_lot() -> None:
    verdict = check(record("chance lot 0", advantage=ABSENT), steps=True)
    assert verdict["steps"] == [
        {"scores": [0, 0], "to_move": [0, 1], "reserve": [60, 60], "took": []}
    ]


def test_steps_end_before_the_entry_that_cannot_stand() -> None:
    verdict = check(record("0 ready", "1 grab"), steps=True)
    assert list(verdict) == ["ok", "at", "error", "steps"]
    assert verdict["at"] == 1
    assert len(verdict["steps"]) == 1


def test_steps_are_there_whatever_the_verdict() -> None:
    assert check(record(), steps=True)["steps"] == []
    assert check(b"", steps=True)["steps"] == []
    wrong = check(record(*WHOLE, result={**RESULT, "winner": 0}), steps=True)
    assert len(wrong["steps"]) == len(WHOLE)
    assert "steps" not in check(record())


# -- reading and writing -------------------------------------------------------------------------


def test_what_is_written_is_what_is_read() -> None:
    toy = header(turn_time=90.5, reserve=30.0, mild=True)
    made = entries("0 ready @0.001", "organiser pause", "organiser resume", "1 timeout @180.001")
    made[1] = msgspec.structs.replace(made[1], by="Cleo", why="a \u201cquote\u201d")
    data = records.write(TOY, toy, seats=("Ada", "Ben"), entries=made, result=None)
    assert json.loads(data) == {
        "format": "deathmatch-record/1",
        "ruleset": "toy",
        "variant": "standard",
        "seats": ["Ada", "Ben"],
        "moves": [
            {"seat": 0, "move": "ready", "t": 0.001},
            {"seat": "organiser", "move": "pause", "by": "Cleo", "why": "a \u201cquote\u201d"},
            {"seat": "organiser", "move": "resume"},
            {"seat": 1, "timeout": True, "t": 180.001},
        ],
        "options": {"turn_time": 90.5, "reserve": 30, "mild": True},
        "advantage": 1,
    }
    assert fits_schema(json.loads(data))
    read = records.read(data)
    assert records.header_of(TOYS, read) == (TOY, toy)
    assert [records.entry_of(each) for each in read.moves] == made


def test_a_drawn_advantage_and_a_result_are_written() -> None:
    data = records.write(
        TOY,
        header(advantage=None),
        seats=("Ada", "Ben"),
        entries=entries("chance lot 1", "organiser void"),
        result=Outcome(None, "ruling", (0, 0)),
    )
    document = json.loads(data)
    assert "advantage" not in document
    assert document["result"] == {"winner": None, "reason": "ruling", "scores": [0, 0]}
    assert check(document)["ok"]


def test_only_options_that_differ_are_written() -> None:
    assert records.changed_options(header().options) == {}
    assert records.changed_options(header(turn_time=120).options) == {}
    assert records.changed_options(header(reserve=86_400.0).options) == {"reserve": 86_400}


def test_malformed_documents_say_where() -> None:
    with pytest.raises(Malformed, match=r"moves\[1\]"):
        records.read(json.dumps(record("0 ready", {"seat": 2, "move": "ready"})).encode())
    with pytest.raises(Malformed, match="options"):
        records.header_of(TOYS, records.read(json.dumps(record(options={"x": 1})).encode()))


def test_an_entry_is_a_move_or_a_timeout() -> None:
    with pytest.raises(ValueError, match="either"):
        RecordMove(seat=0)


def test_a_replay_gives_the_table_after_every_entry() -> None:
    steps = list(records.replay(TOY, header(), entries(*UP_TO_TURNS)))
    assert [step.index for step in steps] == list(range(N))
    assert steps[-1].table == table(header(), *UP_TO_TURNS)
    assert [event.kind for event in steps[3].events] == ["pick", "pick"]


def test_a_long_record_of_take_backs_is_checked_to_its_end() -> None:
    moves = [
        "0 ready",
        *["organiser reserve 0 +1"] * 300,
        *["organiser take back", "0 ready"] * 700,
    ]
    verdict = check(record(*moves), steps=True)
    assert verdict["ok"]
    assert len(verdict["steps"]) == len(moves)


# -- the schema ----------------------------------------------------------------------------------


def test_the_schema_is_itself_valid_and_plain() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    assert "``" not in json.dumps(SCHEMA)


def test_the_schema_knows_rulesets_variants_options_and_items() -> None:
    text = json.dumps(SCHEMA)
    for known in ("toy", "standard", "costly", "turn_time", "tie-advantage", "cheap-picks"):
        assert f'"{known}"' in text
