"""What events hold is described by their kind, and every mention in it is typed: for each kind, and
for each place in the code that writes one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from msgspec import inspect

from tournaments.events.kinds import KINDS
from tournaments.events.payloads import Items
from tournaments.events.references import REFERS, Entity, described, exchanged, unknown_keys

HERE = Path(__file__).parents[3]
# An id of a row, where the data of an event is put together.
ID: Final = re.compile(r"\.pk\b|_id\b")
# These hand on what others have put together.
HAND_ON: Final = {
    "tournaments/services/events.py", "tournaments/services/organisers.py",
    "tournaments/documents/restore.py",
}  # fmt: skip
# What another function puts together: of that, tests of seasons look at what is really written
# (`tests/tournaments/conftest.py`).
UNSEEN: Final = {
    "**game", "**(more or {})", "**facts", "**_facts(trade, entry)", "**_facts(trade, found)",
}  # fmt: skip


# -- every place that writes an event ------------------------------------------------------------


def _calls(source: str) -> Iterator[tuple[int, dict[str, ast.expr]]]:
    """The arguments of every call that makes an event, with its line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            if name in ("season_event", "SeasonEvent"):
                yield node.lineno, {each.arg or "": each.value for each in node.keywords}


def _told(data: ast.expr | None) -> Iterator[tuple[str, str]]:
    """The keys of an event's data and what stands there, as it is written in the code."""
    if data is None:
        return
    if not isinstance(data, ast.Dict):
        yield f"**{ast.unparse(data)}", ""
        return
    for key, value in zip(data.keys, data.values, strict=True):
        if isinstance(key, ast.Constant):
            yield str(key.value), ast.unparse(value)
        elif isinstance(value, ast.IfExp):
            yield from _told(value.body)
            yield from _told(value.orelse)
        elif key is None:
            found = ast.unparse(value)
            yield f"**({found})" if isinstance(value, ast.BoolOp) else f"**{found}", ""


def _types_of(kind: str) -> dict[str, inspect.Type]:
    payload = described(KINDS[kind].payload)
    assert isinstance(payload, inspect.TypedDictType)
    return {field.encode_name: field.type for field in payload.fields}


def _is_mention(kind: inspect.Type) -> bool:
    """Whether it is a mention, or a list of mentions."""
    match kind:
        case inspect.Metadata(extra=extra) if extra:
            return REFERS in extra
        case inspect.UnionType(types=types):
            return any(map(_is_mention, types))
        case inspect.ListType(item_type=inner):
            return _is_mention(inner)
    return False


def faults_of(source: str) -> Iterator[str]:
    """What is written in events that nobody has described, or not as what it is."""
    for line, given in _calls(source):
        kind = getattr(given.get("kind"), "value", None)
        if kind not in KINDS:
            yield f"{line}: there is no kind {kind!r}"
            continue
        types = _types_of(kind)
        for key, value in _told(given.get("data")):
            if key in UNSEEN:
                continue
            if key not in types:
                yield f"{line}: {kind} is not described to hold {key}"
            elif _is_mention(types[key]) is not bool(ID.search(value)):
                yield f"{line}: {key} of {kind}: is {value} an id, or not?"


WRITERS: Final = sorted(
    path
    for path in (HERE / "tournaments").rglob("*.py")
    if next(_calls(path.read_text()), None) and str(path.relative_to(HERE)) not in HAND_ON
)


@pytest.mark.parametrize("path", WRITERS, ids=lambda path: str(path.relative_to(HERE)))
def test_what_is_written_is_described(path: Path) -> None:
    assert list(faults_of(path.read_text())) == []


def test_all_that_write_are_looked_at() -> None:
    assert {"decisions.py", "episodes.py", "sweep.py"} <= {path.name for path in WRITERS}
    assert sum(len(list(_calls(path.read_text()))) for path in WRITERS) > 30


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("season_event(kind='season.exploded')", "season.exploded"),
        ("season_event(kind=whatever)", "None"),
        ("SeasonEvent(kind='ruling', data={'colour': 1})", "colour"),
        ("season_event(kind='ruling', data={**({'colour': 1} if red else {})})", "colour"),
        ("season_event(kind='ruling', data={'why': why, **others})", "**others"),
        ("season_event(kind='ruling', data=others)", "**others"),
        ("season_event(kind='ruling', data={'why': leg.pk})", "leg.pk"),
        ("season_event(kind='ruling', data={'episode': fresh.ec_id})", "fresh.ec_id"),
        ("season_event(kind='ruling', data={'ec': fresh.number})", "fresh.number"),
        ("season_event(kind='item.spent', data={'gifts': [each.number for each in all]})", "gifts"),
    ],
)
def test_what_is_not_described_is_found(written: str, fault: str) -> None:
    (found,) = faults_of(written)
    assert fault in found


# -- every kind ----------------------------------------------------------------------------------

FOREIGN: Final = 77_000_000


def _sample(kind: inspect.Type) -> Any:
    """Something of a type, with all that can be in it; each mention is of a foreign id."""
    match kind:
        case inspect.Metadata(type=inner, extra=extra):
            return FOREIGN if extra and REFERS in extra else _sample(inner)
        case inspect.UnionType(types=types):
            return next(_sample(each) for each in types if not isinstance(each, inspect.NoneType))
        case inspect.StructType(fields=fields) | inspect.TypedDictType(fields=fields):
            return {field.encode_name: _sample(field.type) for field in fields}
        case inspect.ListType(item_type=inner) | inspect.VarTupleType(item_type=inner):
            return [_sample(inner), _sample(inner)]
        case inspect.TupleType(item_types=inners):
            return [_sample(inner) for inner in inners]
        case inspect.LiteralType(values=values):
            return values[0]
        case inspect.DateTimeType():
            return "2026-07-01T18:00:00+02:00"
        case inspect.BoolType():
            return True
        case inspect.IntType():
            return 7
        case inspect.StrType():
            return "Ada"
        case inspect.DictType():
            return {"contestant": 5}
    raise AssertionError(f"nothing is known of {kind}")


def _numbers(known: dict[int, int]) -> dict[Entity, dict[int, int]]:
    return dict.fromkeys(Entity, known)


DESCRIBED: Final = {**{key: kind.payload for key, kind in KINDS.items()}, "items": Items}


@pytest.mark.parametrize("key", DESCRIBED)
def test_every_mention_is_exchanged_and_nothing_else(key: str) -> None:
    kind = described(DESCRIBED[key])
    here = _sample(kind)
    msgspec.convert(here, DESCRIBED[key])
    away = exchanged(here, kind, _numbers({FOREIGN: 3}))
    assert str(FOREIGN) not in msgspec.json.encode(away).decode()
    msgspec.convert(away, DESCRIBED[key])
    assert exchanged(away, kind, _numbers({3: FOREIGN})) == here
    # Where nothing is known of it, it is nothing.
    lost = msgspec.json.encode(exchanged(here, kind, _numbers({}))).decode()
    assert str(FOREIGN) not in lost
    assert lost.count("null") == msgspec.json.encode(here).decode().count(str(FOREIGN))


@pytest.mark.parametrize("key", DESCRIBED)
def test_what_nobody_has_described_does_not_leave(key: str) -> None:
    kind = described(DESCRIBED[key])
    here = _sample(kind)
    strange = {**here, "colour": FOREIGN}
    assert list(unknown_keys(here, kind)) == []
    assert list(unknown_keys(strange, kind)) == [".colour"]
    numbers = _numbers({FOREIGN: 3})
    assert exchanged(strange, kind, numbers) == exchanged(here, kind, numbers)


def test_it_is_the_type_that_says_what_is_a_mention() -> None:
    """Keys of one name, where it is a mention and where it is none."""
    held = {"brought": [], "steps": [{"what": "x", "gift": 5, "by": 5, "words": ""}], "held": []}
    numbers = {Entity.ITEM: {5: 1}, Entity.CONTESTANT: {5: 2}, Entity.MATCH: {5: 3}}
    brought = exchanged(
        {"items": held, "by": "Orla"}, described(KINDS["item.brought"].payload), numbers
    )
    assert brought["by"] == "Orla"
    assert brought["items"]["steps"][0] == {"what": "x", "gift": 1, "by": 1, "words": ""}
    rules = {"legs": [5], "options": {"contestant": 5, "gift": [5]}}
    assert exchanged(rules, described(KINDS["death-match.rules"].payload), numbers) == rules
    rows = {"round": 5, "standings": [{"rank": 5, "contestant": 5, "points": 5}, 5]}
    assert exchanged(rows, described(KINDS["round.closed"].payload), numbers) == {
        "round": 5, "standings": [{"rank": 5, "contestant": 2, "points": 5}, {}],
    }  # fmt: skip


@pytest.mark.parametrize("value", ["5", True, 5.0, [5], {"ec": 5}])
def test_a_mention_is_a_number(value: Any) -> None:
    numbers = {Entity.CONTESTANT: {1: 9, 5: 2}}
    assert exchanged({"ec": value}, described(KINDS["ruling"].payload), numbers) == {"ec": None}
