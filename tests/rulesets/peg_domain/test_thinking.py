"""What bots look at, and that they answer whatever is asked, from nothing but what they see."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from games.engine import playouts
from games.engine.capabilities import LEVELS, Level
from games.engine.chance import RandomSource
from games.engine.decisions import Decision
from games.engine.ruleset import HeldItem, Setup
from games.rulesets.peg_domain import thinking
from games.rulesets.peg_domain.boards import DOMAIN, members
from games.rulesets.peg_domain.moves import EndInspection, Extra, Finish, Move, PlaceCutOut, Remove
from games.rulesets.peg_domain.state import PegDomainState
from games.rulesets.peg_domain.validation import extra_squares
from tests.rulesets.peg_domain.helpers import RULES, add, begun, state

ITEMS = tuple(HeldItem(seat, item.id) for seat in (0, 1) for item in RULES.items)
VARIANTS = [variant.id for variant in RULES.variants]


def at_once() -> bool:
    """There is no time for more than one try of each move."""
    return False


def answer(now: PegDomainState, decision: Decision, level: Level, draw: RandomSource) -> Move:
    """What a bot says at once to a question."""
    view = RULES.view(now, 1 if decision.seat else 0)
    return RULES.decide(view, decision, level, draw, at_once)


def opening(variant: str, seed: int) -> PegDomainState:
    items = ITEMS if variant == "final" else ()
    options = RULES.options_type()  # type: ignore[call-arg]
    return RULES.initial(Setup(variant, options, seed & 1, items))


def played(
    now: PegDomainState, levels: tuple[Level, Level], draw: Random, most: int = 1000
) -> tuple[PegDomainState, set[str]]:
    """The state after that many steps of two bots, and the kinds of decisions that were open."""
    kinds = set()
    for _ in range(most):
        if RULES.outcome(now) is not None:
            break
        due = RULES.chance_due(now)
        for drawn in due:
            now = RULES.apply_chance(now, RULES.draw(now, drawn, draw.random))
        if due:
            continue
        first, *others = RULES.decisions(now)
        asked = [first, *[each for each in others if first.barrier and each.barrier]]
        chosen: list[tuple[int, Any]] = []
        for each in asked:
            kinds.add(each.kind)
            move = answer(now, each, levels[each.seat], draw.random)
            RULES.validate(now, each, move)
            chosen.append((each.seat, move))
        now = RULES.apply(now, tuple(sorted(chosen, key=lambda answer: answer[0])))
    return now, kinds


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_level_answers_everything(variant: str) -> None:
    novice, club, strong = LEVELS
    for seed, levels in enumerate([(novice, club), (club, strong), (strong, novice)]):
        end, kinds = played(opening(variant, seed), levels, Random(seed))
        assert RULES.outcome(end) is not None
        expected = {"right", "inspection", "order", "colour", "turn"}
        assert kinds == expected | ({"removal"} if variant == "final" else set())


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("steps", [12, 24])
def test_suggestions_are_legal_and_distinct(variant: str, steps: int) -> None:
    draw = Random(steps)
    now, _ = played(opening(variant, 1), ("novice", "novice"), draw, steps)
    for each in RULES.decisions(now):
        for most in (1, 6):
            found = thinking.suggest(now, each, draw.random, most)
            assert found is not None
            assert 1 <= len(found) <= most
            assert len({RULES.print(move) for move in found}) == len(found)
            for move in found:
                RULES.validate(now, each, move)


def test_what_the_opponent_named_in_secret_changes_nothing() -> None:
    """Two states that look alike get the same answer with the same random numbers."""
    now = opening("final", 0)
    while now.phase != "inspection":
        now = playouts.step(RULES, now, Random(1).random)
    decision = RULES.decisions(now)[0]
    answers = set()
    for square in (None, *members(extra_squares(now, 1, 0))[:2]):
        hidden = now if square is None else RULES.apply(now, ((1, Extra("red", square)),))
        for level in LEVELS:
            answers.add(RULES.print(answer(hidden, decision, level, Random(7).random)))
    assert len(answers) == 1
    assert next(iter(answers)).startswith("extra peg red")


def test_additional_pegs_are_named_once_a_colour_and_then_it_is_ready() -> None:
    now = opening("final", 0)
    draw = Random(1).random
    while now.phase != "inspection":
        now = playouts.step(RULES, now, draw)
    named: list[Any] = []
    while not now.frame.ready[0]:
        decision = RULES.decisions(now)[0]
        move = answer(now, decision, "strong", draw)
        named.append(move)
        now = RULES.apply(now, ((0, move),))
    red, blue, ready = named
    assert (red.colour, blue.colour, ready) == ("red", "blue", EndInspection())


def test_it_finishes_only_where_nothing_can_be_placed() -> None:
    now = state(begun("gauntlet"))
    decision = RULES.decisions(now)[0]
    draw = Random(1).random
    assert Finish() not in (thinking.suggest(now, decision, draw, 16) or [])
    full = replace(now, standing=DOMAIN)
    assert thinking.suggest(full, decision, draw, 16) == [Finish()]


def test_a_cut_out_grows_to_any_shape_only_where_that_is_allowed() -> None:
    draw = Random(1).random
    shapes = {}
    for variant in ("gauntlet", "tempo-up"):
        found = thinking.placements(state(begun(variant)), 0, draw, 16)
        shapes[variant] = {move.by_path for move in found}
    assert False in shapes["gauntlet"]
    assert shapes["tempo-up"] == {True}


def test_a_peg_is_taken_off_only_by_who_holds_the_item() -> None:
    match = begun("final", items=((0, "peg-subtraction"),))
    add(match, "0 A1 RRR > F5 0", "1 no removal", "1 A1 RRR > A5 0", "0 no removal")
    now = state(match)
    draw = Random(1).random
    ground = thinking._Ground(now, 0)
    square = members(now.standing & ground.theirs)[0]
    found = thinking._drawn(ground, ground.free | 1 << square, draw, 200, minus=square)
    assert found
    decision = RULES.decisions(now)[0]
    for each in found.values():
        assert isinstance(each.move, PlaceCutOut)
        assert each.move.minus == square
        RULES.validate(now, decision, each.move)


def test_what_is_removed_is_what_the_opponent_needs() -> None:
    """Only the rows 11 to 16 can be removed here, and the cut-outs are made above; any will do."""
    now = state(begun("final"))
    _, removal = RULES.decisions(now)
    found = thinking.suggest(now, removal, Random(1).random, 6)
    assert found is not None
    assert len(found) == 1
    assert isinstance(found[0], Remove)
    RULES.validate(now, removal, found[0])
