"""Pool documents: their structure, the built-in pool, and what an upload is checked for."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest

from games.engine import records
from games.rulesets.domain import pool as pools
from games.rulesets.domain.pool import PoolDocument, built_in, faults, is_convex, is_simple
from tests.rulesets.domain.helpers import REGISTRY, SMALL, Game, box

FOLDER = Path(pools.__file__).with_name("pools")
CLASSIC = json.loads((FOLDER / "classic-1.json").read_text())


def changed(**changes: Any) -> dict[str, Any]:
    return copy.deepcopy(SMALL) | changes


def with_shape(**changes: Any) -> dict[str, Any]:
    document = copy.deepcopy(SMALL)
    document["shapes"][1] |= changes
    return document


# -- the built-in pool ---------------------------------------------------------------------------


def test_the_built_in_pool_is_what_the_rules_promise() -> None:
    pool = built_in()["classic@1"]
    shapes = pool.document.shapes
    assert pool.document.size == (480, 360)
    assert [shape.id for shape in shapes] == [f"{number:02}" for number in range(1, 25)]
    assert sum(shape.start for shape in shapes) == 1
    assert sum(bool(shape.voids) for shape in shapes) == 3
    assert sum(bool(shape.inner) for shape in shapes) == 2
    assert any(shape.holes for shape in shapes)
    for form in pool.forms:
        share = form.raster(0).covered.area / (480 * 360)
        assert 0.03 <= share <= 0.12
    assert faults(pool.document) == []


def test_files_are_named_after_their_pools_and_fit_the_published_schema() -> None:
    published = json.loads((FOLDER.parent / "pool.schema.json").read_text())
    assert published == json.loads(msgspec.json.encode(pools.pool_schema()))
    for path in FOLDER.glob("*.json"):
        document = json.loads(path.read_text())
        assert path.stem == f"{document['name']}-{document['version']}"
        jsonschema.Draft202012Validator(published).validate(document)


# -- structure -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        changed(size=[480]),
        changed(size=[0, 10]),
        changed(size=[10.5, 10]),
        changed(shapes=SMALL["shapes"][:1]),
        changed(shapes=[]),
        changed(shapes=[{"id": f"{n:02}", "outline": box(3)} for n in range(100)] * 2),
        changed(name=""),
        changed(name=5),
        changed(version=1),
        changed(colour="red"),
        {key: value for key, value in SMALL.items() if key != "name"},
        {key: value for key, value in SMALL.items() if key != "shapes"},
        with_shape(id="1"),
        with_shape(id="001"),
        with_shape(id="0a"),
        with_shape(id="01"),  # again
        with_shape(id=2),
        with_shape(outline=[[0, 0], [1, 1]]),
        with_shape(outline=[[0, 0], [1, 1], [2]]),
        with_shape(outline=[[0, 0], [1, 1], [2, 0.5]]),
        with_shape(outline=[[0, 0], [1, 1], [2, 10**30]]),
        with_shape(outline=None),
        with_shape(holes=[[[0, 0], [1, 1]]]),
        with_shape(voids=box(3)),
        with_shape(inner=[]),
        with_shape(start=True),  # a second one
        with_shape(start="yes"),
        with_shape(fill="red"),
        {**SMALL, "shapes": [{**shape, "start": False} for shape in SMALL["shapes"]]},
        [],
        "classic@1",
    ],
)
def test_a_document_that_does_not_fit_is_malformed(document: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(document, PoolDocument)
    record = Game().draw().record(options={"pool": document})
    verdict = records.check(REGISTRY, json.dumps(record).encode())
    assert (verdict["ok"], verdict["at"]) == (False, None)


def test_whole_documents_fit() -> None:
    for document in (SMALL, CLASSIC, {k: v for k, v in SMALL.items() if k != "size"}):
        msgspec.convert(document, PoolDocument)
    many = [{"id": f"{n:02}", "outline": box(3), "start": n == 99} for n in range(100)]
    assert len(msgspec.convert(changed(shapes=many), PoolDocument).shapes) == 100


def test_a_match_keeps_the_pool_it_was_played_with() -> None:
    game = Game().placing().say(0, "01 > red 10,10 0").say(1, "concede")
    record = json.loads(json.dumps(game.record()))
    assert record["options"]["pool"]["shapes"][2]["voids"] == [box(2)]
    verdict = records.check(REGISTRY, json.dumps(record).encode())
    assert verdict["ok"] is True
    assert verdict["scores"] == [1300, 1100]


@pytest.mark.parametrize(
    ("options", "draw"),
    [({}, "pool small@1.0"), ({"pool": SMALL}, "pool classic@1"), ({}, "pool classic@9")],
)
def test_a_pool_that_is_not_there_cannot_stand(options: dict[str, Any], draw: str) -> None:
    record = Game().draw().record(options=options, moves=[{"seat": "chance", "move": draw}])
    verdict = records.check(REGISTRY, json.dumps(record).encode())
    assert (verdict["ok"], verdict["at"]) == (False, 0)


def test_unknown_options_and_wrong_types_are_malformed() -> None:
    for options in (
        {"early_ready": "yes"},
        {"refereeing": "none"},
        {"review": "nobody"},
        {"pick_time": "120"},
        {"challenge_cost": -1},
        {"rotations": False},
    ):
        record = Game(pool=None).draw("pool classic@1").record(options=options)
        verdict = records.check(REGISTRY, json.dumps(record).encode())
        assert (verdict["ok"], verdict["at"]) == (False, None), options


# -- what an upload is checked for ---------------------------------------------------------------


def upload(**changes: Any) -> list[str]:
    """What is found wrong with the built-in pool when its second shape is changed."""
    document = copy.deepcopy(CLASSIC)
    document["shapes"][1] |= changes
    return faults(msgspec.convert(document, PoolDocument))


def test_a_good_pool_has_no_faults() -> None:
    assert upload() == []


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"outline": [[-60, -60], [60, 60], [60, -60], [-60, 60]]}, "crosses"),
        ({"outline": [[-60, -60], [60, -60], [0, -60], [0, 60]]}, "crosses"),
        ({"outline": box(20)}, "covers 0.9 %"),
        ({"outline": box(90)}, "covers 18.8 %"),
        ({"holes": [[[40, 40], [90, 40], [90, 90]]]}, "hole sticks out"),
        ({"voids": [[[40, 40], [90, 40], [90, 90]]]}, "void zone sticks out"),
        ({"inner": box(60)}, "inner line of the border sticks out"),
    ],
)
def test_each_fault_is_named(changes: dict[str, Any], word: str) -> None:
    (fault,) = upload(**changes)
    assert fault.startswith("Shape 02")
    assert word in fault


def test_number_and_mix_are_checked() -> None:
    twenty = {**CLASSIC, "shapes": CLASSIC["shapes"][:20]}
    found = faults(msgspec.convert(twenty, PoolDocument))
    assert any("20 shapes" in fault for fault in found)
    squares = [{"id": f"{n:02}", "outline": box(50), "start": n == 1} for n in range(30)]
    found = faults(msgspec.convert({**CLASSIC, "shapes": squares}, PoolDocument))
    assert found == ["Every shape is convex."]


@pytest.mark.parametrize(
    "special", [("holes",), ("inner",), ("voids",), ("holes", "inner", "voids")]
)
def test_nothing_special_has_to_be_in_a_pool(special: tuple[str, ...]) -> None:
    plain = copy.deepcopy(CLASSIC)
    for shape in plain["shapes"]:
        for key in special:
            shape.pop(key, None)
    assert faults(msgspec.convert(plain, PoolDocument)) == []


def test_simple_and_convex() -> None:
    square = [(0, 0), (4, 0), (4, 4), (0, 4)]
    assert is_simple(square)
    assert is_convex(square)
    assert is_convex(square[::-1])
    dented = [(0, 0), (4, 0), (2, 2), (0, 4)]
    assert is_simple(dented)
    assert is_convex([(0, 0), (2, 0), (4, 0), (0, 4)])
    assert not is_convex([(0, 0), (4, 0), (1, 1), (0, 4)])
    assert not is_simple([(0, 0), (4, 4), (4, 0), (0, 4)])
    assert not is_simple([(0, 0), (4, 0), (4, 0), (0, 4)])
    assert not is_simple([(0, 0), (4, 0), (2, 0), (0, 4)])
    # A corner that touches another side.
    assert not is_simple([(0, 0), (4, 0), (4, 4), (2, 0), (0, 4)])
