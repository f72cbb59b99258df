"""What stands in a ruleset's folder: the same in each, under the same names."""

from __future__ import annotations

import re
from importlib import import_module
from random import Random
from types import UnionType
from typing import Any, get_args, get_origin

import msgspec
import pytest

from games.engine import capabilities, notation
from games.engine.decisions import ALL, EVERYONE
from games.engine.playouts import step
from games.engine.ruleset import Ruleset, Setup
from games.folders import draws_name, folder_of, static_name, view_text
from games.rulesets import REGISTRY
from script.lib.console import ROOT
from tests.rulesets.test_contract import walks
from tests.toy.rules import TOY

AnyRuleset = Ruleset[Any, Any]

every_ruleset = pytest.mark.parametrize("ruleset", [TOY, *REGISTRY], ids=lambda each: each.id)
every_game = pytest.mark.parametrize("ruleset", list(REGISTRY), ids=lambda each: each.id)

# What each module is there for, by the functions that others call.
MODULES = {
    "rules": (),
    "state": (),
    "moves": ("Move",),
    "notation": ("parse_move", "print_move"),
    "validation": ("validate",),
    "view": ("view",),
    "events": ("events",),
    "guessing": ("determinize",),
    "estimate": ("estimate",),
    "saving": ("encode", "decode"),
    "picture": ("picture",),
    "figures": ("figures",),
}
FILES = ("rules.html", "view.md", "view.d.ts", "static/board.js", "static/board.css")
# What only those have in which more is drawn than the lot.
DRAWN = "static/draws.js"
# What only those have that can do it.
OPTIONAL = {
    "supply": capabilities.Supplies,
    "painting": capabilities.Painting,
    "simulation": capabilities.Simulates,
    "thinking": capabilities.Thinks,
    "solving": capabilities.Solves,
    "lesson": capabilities.Teaches,
}


@every_game
def test_every_folder_has_the_same_files(ruleset: AnyRuleset) -> None:
    folder = folder_of(ruleset)
    package = type(ruleset).__module__.rpartition(".")[0]
    assert folder.name == ruleset.id.replace("-", "_")
    assert type(ruleset).__module__ == f"{package}.rules"
    assert [name for name in FILES if not (folder / name).is_file()] == []
    for module, names in MODULES.items():
        found = import_module(f"{package}.{module}")
        assert found.__doc__
        assert [name for name in names if not hasattr(found, name)] == [], module


@every_game
def test_what_is_played_with_is_of_the_module_of_states(ruleset: AnyRuleset) -> None:
    bases = vars(type(ruleset))["__orig_bases__"]
    (based,) = (base for base in bases if get_origin(base) is Ruleset)
    state, _move = get_args(based)
    module = f"{type(ruleset).__module__.rpartition('.')[0]}.state"
    kinds = get_args(state) if isinstance(state, UnionType) else (state,)
    assert {kind.__module__ for kind in kinds} == {module}


@every_game
def test_what_only_some_can_do_stands_under_one_name(ruleset: AnyRuleset) -> None:
    for module, capability in OPTIONAL.items():
        there = (folder_of(ruleset) / f"{module}.py").is_file()
        assert there == isinstance(ruleset, capability), module


@every_game
def test_whatever_is_drawn_is_verified_by_pages_too(ruleset: AnyRuleset) -> None:
    """The lot is drawn in every game, and known without a file; but who may act once it is drawn
    is a matter of the game."""
    assert (folder_of(ruleset) / DRAWN).is_file()
    assert draws_name(ruleset) == static_name(ruleset, "draws.js")


def test_the_files_of_a_folder_are_explained() -> None:
    told = (ROOT / "docs" / "architecture.md").read_text()
    own = [f"{name}.py" for name in (*MODULES, *OPTIONAL)]
    assert [name for name in (*own, *FILES, DRAWN) if f"`{name}`" not in told] == []


KEY = re.compile(r"`([a-z_]+)`")


def described(ruleset: AnyRuleset) -> set[str]:
    """The keys of the first table of a ruleset's description."""
    lines = view_text(ruleset).partition("|---|---|\n")[2].splitlines()
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append(line)
    return {key for row in rows for key in KEY.findall(row.split("|")[1])}


@every_ruleset
def test_the_description_of_the_view_names_every_key_and_no_other(ruleset: AnyRuleset) -> None:
    seen: set[str] = set()
    for walk in walks(ruleset):
        for state in (*walk.states[:: max(1, len(walk.states) // 8)], walk.end):
            for audience in (*EVERYONE, ALL):
                seen |= set(ruleset.view(state, audience))
    assert described(ruleset) == seen


@every_ruleset
def test_the_description_names_every_kind_of_decision(ruleset: AnyRuleset) -> None:
    text = view_text(ruleset)
    kinds = {
        decision.kind
        for walk in walks(ruleset)
        for state in walk.states
        for decision in ruleset.decisions(state)
    }
    assert [kind for kind in kinds if f"`{kind}`" not in text] == []


# -- benchmarks ----------------------------------------------------------------------------------


def test_a_load_generator_plays_legal_moves_out_of_views_alone() -> None:
    """`benchmark.py`, in the folders that have one."""
    played = [ruleset for ruleset in REGISTRY if (folder_of(ruleset) / "benchmark.py").is_file()]
    assert played
    for ruleset in played:
        package = type(ruleset).__module__.rpartition(".")[0]
        answer = import_module(f"{package}.benchmark").answer
        random = Random(1).random
        options = ruleset.options_type()  # type: ignore[call-arg]
        state = ruleset.initial(Setup(ruleset.variants[0].id, options, 0))
        while ruleset.outcome(state) is None:
            for decision in ruleset.decisions(state):
                view = msgspec.json.encode(ruleset.view(state, 1 if decision.seat else 0))
                text = answer(decision.kind, decision.seat, view, random)
                ruleset.validate(state, decision, ruleset.parse(notation.tidy(text)))
            state = step(ruleset, state, random)


def test_the_fills_of_the_two_seats_are_drawn_in_one_place() -> None:
    scripts = [*ROOT.glob("static/js/**/*.js"), *ROOT.glob("games/rulesets/*/static/*.js")]
    drawn = [path for path in scripts if 'class: "seat-mark-' in path.read_text()]
    assert drawn == [ROOT / "static/js/boards/kit.js"]
