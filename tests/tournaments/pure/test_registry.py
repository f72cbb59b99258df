import math
from importlib import import_module

import msgspec
import pytest

from core.refusals import Refusal
from script.lib.console import ROOT
from tests.tournaments.pure.helpers import codes
from tournaments.formats.elimination.options import EliminationOptions
from tournaments.formats.registry import FORMATS, cautions_of, options_of
from tournaments.formats.swiss.options import SwissOptions, rounds_enough
from tournaments.standings.metrics import order_of


@pytest.mark.parametrize("key", FORMATS)
def test_every_format_has_defaults_that_read_back(key: str) -> None:
    options = options_of(key, {})
    assert options_of(key, msgspec.to_builtins(options)) == options
    assert FORMATS[key].key == key
    assert cautions_of(key, {}, 4) is not None


def test_a_format_is_a_folder_in_which_each_thing_has_its_file() -> None:
    folders = [path.parent.name for path in ROOT.glob("tournaments/formats/*/__init__.py")]
    for name in folders:
        files = {path.stem for path in (ROOT / "tournaments/formats" / name).glob("*.py")}
        assert {"options", "rules", "format"} <= files, name
    own = [import_module(f"tournaments.formats.{name}.format").FORMAT for name in folders]
    assert {id(each) for each in own} == {id(each) for each in FORMATS.values()}
    for each in own:
        beside = type(each).__module__.removesuffix("format")
        assert each.options_type.__module__ == f"{beside}options"


def test_given_options_replace_defaults() -> None:
    assert options_of("swiss", {"rounds": 9}) == SwissOptions(rounds=9)
    given = {"final_best_of": 5, "choice_hours": 0.5, "items": False}
    assert options_of("elimination", given) == EliminationOptions(
        final_best_of=5, choice_hours=0.5, items=False
    )


@pytest.mark.parametrize(
    ("key", "given"),
    [
        ("swiss", {"round": 9}),
        ("swiss", {"rounds": "9"}),
        ("swiss", {"rounds": 0}),
        ("swiss", {"rounds": 65}),
        ("round-robin", {"legs": 3}),
        ("single-elimination", {"best_of": 2}),
        ("single-elimination", {"best_of": -1}),
        ("single-elimination", {"third_place": 1}),
        ("ladder", {"challenge_reach": 0}),
        ("elimination", {"final_best_of": 4}),
        ("elimination", {"choice_hours": 0}),
        ("elimination", {"items": None}),
    ],
)
def test_options_that_do_not_fit_are_refused(key: str, given: dict[str, object]) -> None:
    with pytest.raises(Refusal) as refused:
        options_of(key, given)
    assert refused.value.code == "format.options"
    assert next(iter(given)) in refused.value.sentence


def test_unknown_formats_are_refused() -> None:
    with pytest.raises(Refusal) as refused:
        options_of("cup", {})
    assert refused.value.code == "format.unknown"


def test_cautions() -> None:
    assert codes(cautions_of("single-elimination", {"third_place": True}, 3)) == [
        "format.byes",
        "format.third-place",
    ]
    assert codes(cautions_of("single-elimination", {}, 8)) == []
    assert "5 seeds" in cautions_of("single-elimination", {}, 11)[0].sentence
    assert codes(cautions_of("round-robin", {"legs": 2}, 13)) == ["format.byes", "format.long"]
    assert codes(cautions_of("swiss", {"rounds": 9}, 64)) == []
    assert codes(cautions_of("swiss", {"rounds": 8}, 8)) == ["format.rematches"]
    assert codes(cautions_of("swiss", {"rounds": 7}, 7)) == ["format.rematches-possible"]
    assert codes(cautions_of("swiss", {"rounds": 5}, 64)) == ["format.few-rounds"]
    with pytest.raises(Refusal) as refused:
        cautions_of("elimination", {}, 2)
    assert refused.value.code == "pairing.too-few"


def test_enough_rounds_is_the_binary_logarithm() -> None:
    assert [rounds_enough(n) for n in range(2, 200)] == [
        math.ceil(math.log2(n)) for n in range(2, 200)
    ]


def test_default_orders_exist() -> None:
    orders = [each.course_type.tie_breaks for each in FORMATS.values()]
    assert any(orders)
    for keys in filter(None, orders):
        assert order_of(keys)
