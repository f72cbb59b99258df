"""What organisers may prepare: every fault is named and drawn, and what is sound can be played."""

from __future__ import annotations

import json
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest

from core.refusals import Refusal
from games.engine import live as lives
from games.engine import records
from games.engine.capabilities import Supply, SupplyReport, supplier, supplies_of, supply_of
from games.engine.errors import EngineFault
from games.engine.live import Prepared
from games.engine.ruleset import Ruleset
from games.engine.table import Header
from games.rulesets import REGISTRY
from tests.rulesets.peg_domain.helpers import NAMES, OTHER_PEGS, PEGS

AnyRuleset = Ruleset[Any, Any]
SUPPLIES = [(ruleset, supply) for ruleset in REGISTRY for supply in supplies_of(ruleset)]
every_supply = pytest.mark.parametrize(
    ("ruleset", "supply"), SUPPLIES, ids=[f"{r.id}-{s.key}" for r, s in SUPPLIES]
)


def variants_of(ruleset: AnyRuleset, supply: Supply) -> list[str]:
    return [v.id for v in ruleset.variants if not supply.variants or v.id in supply.variants]


# -- of every one --------------------------------------------------------------------------------


@every_supply
def test_the_example_is_sound_and_drawn(ruleset: AnyRuleset, supply: Supply) -> None:
    found = supplier(ruleset).validate_supply(
        supply.key, supplier(ruleset).supply_files(supply.key)["example"]
    )
    assert (found.faults, found.remarks) == ((), ())
    assert ET.fromstring(found.picture).tag.endswith("svg")  # noqa: S314 - our own
    # What is kept is its own canonical form.
    assert supplier(ruleset).validate_supply(supply.key, found.value) == found


@every_supply
@pytest.mark.parametrize(
    "text", ["", "nonsense", "[]", "{}", "\x00", "\ud800", "🂡" * 50, "[" * 100_000]
)
def test_nonsense_is_a_fault_and_never_an_error(
    ruleset: AnyRuleset, supply: Supply, text: str
) -> None:
    found = supplier(ruleset).validate_supply(supply.key, text)
    assert found.value == ""
    assert found.faults
    for fault in found.faults:
        assert fault[-1] in ".”"


@every_supply
def test_a_match_is_played_with_it(ruleset: AnyRuleset, supply: Supply) -> None:
    value = (
        supplier(ruleset)
        .validate_supply(supply.key, supplier(ruleset).supply_files(supply.key)["example"])
        .value
    )
    for variant in variants_of(ruleset, supply):
        means = supplier(ruleset).supplied(supply.key, value, variant)
        options = msgspec.convert(dict(means.options), ruleset.options_type)
        header = Header(ruleset=ruleset.id, variant=variant, options=options, advantage=1)
        prepared = [Prepared(text, "Olga") for text in means.outcomes]
        random = Random(4).random
        turn = lives.begin(ruleset, header, at=0, random=random, prepared=prepared)
        entries = [happened.entry for happened in turn.happened]
        live, at = turn.live, 0
        while live.table.result is None:
            table = live.table
            waiting = [s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s)]
            slot = table.open[waiting[0]]
            assert slot is not None
            text = ruleset.print(ruleset.sample(table.state, slot.decision, random))
            live = lives.decode_live(ruleset, header, lives.encode_live(ruleset, live))
            turn = lives.submit(ruleset, live, seat=waiting[0], text=text, at=at, random=random)
            assert turn.refusal is None
            entries += [happened.entry for happened in turn.happened]
            live, at = turn.live, at + 1000
        drawn = [entry for entry in entries if entry.actor == "chance"]
        assert [entry.text for entry in drawn] == list(means.outcomes)
        assert {entry.by for entry in drawn} == {"Olga"}
        record = records.write(
            ruleset, header, seats=("Ada", "Ben"), entries=entries, result=live.table.result
        )
        verdict = records.check(REGISTRY, record)
        assert verdict["ok"], verdict
        assert [m["by"] for m in json.loads(record)["moves"] if m["seat"] == "chance"] == [
            "Olga" for _ in drawn
        ]


@every_supply
def test_only_declared_keys_are_supplied(ruleset: AnyRuleset, supply: Supply) -> None:
    assert supply_of(ruleset, supply.key) is supply
    with pytest.raises(Refusal) as refused:
        supply_of(ruleset, "nothing")
    assert refused.value.code == "setup.supply"
    for variant in ruleset.variants:
        if variant.id not in variants_of(ruleset, supply):
            with pytest.raises(Refusal):
                supply_of(ruleset, supply.key, variant.id)


def test_rulesets_that_declare_nothing_are_supplied_with_nothing() -> None:
    tetronogo = REGISTRY.get("tetronogo")
    assert supplies_of(tetronogo) == ()
    with pytest.raises(EngineFault):
        supplier(tetronogo)


# -- pallets -------------------------------------------------------------------------------------

PEG_DOMAIN = supplier(REGISTRY.get("peg-domain"))
RED, BLUE = f"pallet red {PEGS}", f"pallet blue {OTHER_PEGS}"


def pallets(text: str, key: str = "pallets") -> SupplyReport:
    return PEG_DOMAIN.validate_supply(key, text)


def test_pallets_are_written_or_drawn() -> None:
    written = pallets(f"{BLUE}\n{RED}")
    assert (written.faults, written.remarks) == ((), ())
    red = "pallet red A1 D1 G1 J1 A2"
    assert written.value.startswith(red)
    assert written.value.count("\n") == 1
    rows = [
        "".join("o" if f"{column}{row}" in NAMES else "." for column in "ABCDEFGHIJKL")
        for row in range(1, 17)
    ]
    drawn = "\n".join(["# mine", "Red:", "A B C D E F G H I J K L", *rows, BLUE])
    assert pallets(drawn) == written
    numbered = "\n".join(["red", *(f" {n} {' '.join(r)}" for n, r in enumerate(rows, 1)), BLUE])
    assert pallets(numbered.upper()) == written
    assert pallets("\n".join(["both", *rows]), "pallet").value == f"pallet both {PEGS}".replace(
        PEGS, written.value.split("\n")[0].removeprefix("pallet red ")
    )


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (RED, ["There is no blue pallet."]),
        (f"{RED}\n{RED}\n{BLUE}", ["Line 2: the red pallet is there already."]),
        (f"{RED}\n{BLUE}\npallet both A1", ["Line 3: no pallet of both colours is wanted here."]),
        (f"hello\n{RED}\n{BLUE}", ["Line 1 belongs to no pallet: “hello”."]),
        (
            f"{RED} M1 A17 A1\n{BLUE}",
            [
                "There is no square M1 on the red pallet.",
                "There is no square A17 on the red pallet.",
                "A1 is there twice on the red pallet.",
            ],
        ),
        (f"{RED} B1\n{BLUE}", ["The red pallet has 37 pegs, not 36."]),
        (f"pallet red A1\n{BLUE}", ["The red pallet has 1 peg, not 36."]),
        (
            f"{RED}\npallet blue {PEGS}",
            ["Both pallets are the same; this variant is played with two different ones."],
        ),
        (
            f"blue\noo?..........\n{RED}",
            [
                "Row 1 of the blue pallet has 13 squares, not 12.",
                "“?” on C1 of the blue pallet is neither o nor a full stop.",
                "The blue pallet has 1 rows, not 16.",
                "The blue pallet has 2 pegs, not 36.",
            ],
        ),
    ],
)
def test_every_fault_of_pallets_is_named(text: str, faults: list[str]) -> None:
    found = pallets(text)
    assert found.value == ""
    assert list(found.faults) == faults


def test_faulty_squares_are_drawn() -> None:
    found = pallets(f"{RED} A1\n{BLUE}")
    assert "Marked as wrong: A1." in found.picture
    assert found.picture.count("#b3261e") > pallets("").picture.count("#b3261e")


def test_many_faults_are_cut_short() -> None:
    found = pallets(f"{RED} {'Z1 ' * 100}\n{BLUE}")
    assert len(found.faults) == 41
    assert found.faults[-1] == "And 60 more."


def test_few_removable_squares_are_remarked_upon() -> None:
    # Pegs on every second square of every second row leave nothing that touches none.
    names = [f"{column}{row}" for row in range(2, 17, 3) for column in "BEHK"]
    spare = [f"{column}1" for column in "ACEGIK"] + [f"{column}16" for column in "ACEGIK"]
    close = f"pallet red {' '.join([*names, *spare, 'A4', 'D4', 'G4', 'J4'])}"
    found = pallets(f"{close}\n{BLUE}")
    assert not found.faults
    assert len(found.remarks) == 1
    assert "could be removed at first" in found.remarks[0]
    assert found.value


# -- pools ---------------------------------------------------------------------------------------

DOMAIN = supplier(REGISTRY.get("domain"))
EXAMPLE = json.loads(DOMAIN.supply_files("pool")["example"])


def pool(**changes: Any) -> SupplyReport:
    return DOMAIN.validate_supply("pool", json.dumps({**EXAMPLE, **changes}))


def shapes(*changes: tuple[int, dict[str, Any]]) -> list[dict[str, Any]]:
    found = [dict(shape) for shape in EXAMPLE["shapes"]]
    for index, change in changes:
        found[index] |= change
    return found


def test_every_fault_of_a_pool_is_named_at_once_and_drawn() -> None:
    found = pool(
        version=3,
        extra=1,
        shapes=shapes(
            (3, {"outline": [[0, 0], [90, 90], [90, 0], [0, 90]]}),
            (4, {"outline": [[0, 0], [9000, 90], [90, 0]]}),
            (5, {"id": "5"}),
            (7, {"id": "07"}),
            (8, {"outline": [[0.5, 0], [90, 90], [90, 0]]}),
            (9, {"start": True}),
        ),
    )
    told = "\n".join(found.faults)
    for part in (
        "A pool has no “extra”.",
        "The version does not fit: Expected `str`, got `int`.",
        "Shape 5 does not fit:",
        "Shape 09 does not fit:",
        "2 shapes have the id 07.",
        "Exactly one shape is Start, not 2.",
        "Shape 04: a ring crosses or touches itself.",
        "Shape 05 is too long for a domain.",
    ):
        assert part in told
    assert found.value == ""
    # Only what can be drawn is: the one that is too long cannot.
    assert "Marked as wrong: 04, 05." in found.picture
    assert found.picture.count("stroke-dasharray") == 1


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"name": "classic"}, None),
        ({"name": "classic", "shapes": shapes((1, {"outline": [[0, 0], [90, 90], [0, 90]]}))},
         "classic@1 is a built-in pool. Take another name or version."),
        ({"shapes": EXAMPLE["shapes"][:20]}, "There are 20 shapes; at least 21 are needed."),
        ({"name": "two\nlines"}, "This is not a pool: name and version are printable"),
        ({"shapes": []}, "There are 0 shapes; there may be 2 to 100."),
        ({"shapes": None}, "The pool has no list of shapes."),
        ({"shapes": [3]}, "Shape number 1 does not fit: Expected `object`, got `int`."),
        ({"size": [0, 5]}, "The size does not fit:"),
        ({"shapes": shapes((1, {"outline": [[n % 60, n // 60] for n in range(990)]}),
                           (2, {"outline": [[n % 60, n // 60] for n in range(990)]}),
                           (3, {"outline": [[n % 60, n // 60] for n in range(990)]}))},
         "All shapes together have more than 3000 vertices."),
        ({"shapes": shapes((1, {"voids": [[[0, 0], [1, 1], [0, 1]]] * 290}))},
         "All shapes together have more than 300 rings."),
    ],
)  # fmt: skip
def test_faults_of_pools(changes: dict[str, Any], fault: str | None) -> None:
    found = pool(**changes)
    if fault is None:
        assert found.faults == ()
    else:
        assert any(each.startswith(fault) for each in found.faults), found.faults
        assert found.value == ""


def test_a_pool_stands_for_its_option_and_its_draw() -> None:
    value = pool(name="mine").value
    means = DOMAIN.supplied("pool", value, "standard")
    assert means.options["pool"]["name"] == "mine"
    assert means.outcomes == ("pool mine@1",)
