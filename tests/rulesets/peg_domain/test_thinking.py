"""What bots look at, and that they answer whatever is asked, from nothing but what they see."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from games.engine import playouts
from games.engine.capabilities import LEVELS, Level
from games.engine.chance import evenly
from games.engine.decisions import Decision
from games.engine.ruleset import HeldItem, Setup
from games.rulesets.peg_domain import thinking
from games.rulesets.peg_domain.boards import DOMAIN, members
from games.rulesets.peg_domain.moves import EndInspection, Extra, Finish, PlaceCutOut, Remove
from games.rulesets.peg_domain.state import PegDomainState
from games.rulesets.peg_domain.validation import extra_squares
from tests.rulesets.peg_domain.helpers import RULES, add, begun, state

ITEMS = tuple(HeldItem(seat, item.id) for seat in (0, 1) for item in RULES.items)
VARIANTS = [variant.id for variant in RULES.variants]


def at_once() -> bool:
    """There is no time for more than one try of each move."""
    return False


def seen(now: PegDomainState, decision: Decision) -> dict[str, Any]:
    """The view of who is asked."""
    return RULES.view(now, 0 if decision.seat == 0 else 1)


def answer(now: PegDomainState, decision: Decision, level: Level, random: Random) -> Any:
    """What a bot says to a question at once."""
    return RULES.decide(seen(now, decision), decision, level, random.random, at_once)


def opening(variant: str, seed: int) -> PegDomainState:
    items = ITEMS if variant == "final" else ()
    options = RULES.options_type()  # type: ignore[call-arg]
    return RULES.initial(Setup(variant, options, seed & 1, items))


def course(
    variant: str, levels: tuple[Level, Level], seed: int
) -> list[tuple[PegDomainState, Decision]]:
    """Every question of a match between two bots, whose answers are judged."""
    random = Random(seed)
    now = opening(variant, seed)
    asked: list[tuple[PegDomainState, Decision]] = []
    while RULES.outcome(now) is None:
        due = RULES.chance_due(now)
        for draw in due:
            now = RULES.apply_chance(now, RULES.draw(now, draw, evenly(random.random)))
        if due:
            continue
        first, *others = RULES.decisions(now)
        chosen = []
        for each in [first, *[each for each in others if first.barrier and each.barrier]]:
            asked.append((now, each))
            move = answer(now, each, levels[each.seat], random)
            RULES.validate(now, each, move)
            chosen.append((each.seat, move))
        now = RULES.apply(now, tuple(sorted(chosen, key=lambda answer: answer[0])))
    return asked


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("levels", [("novice", "club"), ("club", "strong"), ("strong", "novice")])
def test_every_level_answers_everything(variant: str, levels: tuple[Level, Level]) -> None:
    asked = course(variant, levels, LEVELS.index(levels[0]))
    kinds = {"right", "inspection", "order", "colour", "turn"}
    kinds |= {"removal"} if variant == "final" else set()
    for seat in (0, 1):
        assert {each.kind for _, each in asked if each.seat == seat} >= {"inspection", "turn"}
    assert {each.kind for _, each in asked} == kinds


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("level", LEVELS)
def test_suggestions_are_legal_and_distinct(variant: str, level: Level) -> None:
    most = thinking.SEARCHES[level].width
    random = Random(4).random
    for now, each in course(variant, ("novice", "novice"), 1)[::3]:
        found = thinking.suggest(now, each, random, most)
        if found is None:
            assert RULES.enumerable(each)
            continue
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
    for level in LEVELS:
        answers = set()
        for square in (None, *members(extra_squares(now, 1, 0))[:2]):
            hidden = now if square is None else RULES.apply(now, ((1, Extra("red", square)),))
            answers.add(RULES.print(answer(hidden, decision, level, Random(7))))
        assert len(answers) == 1
        assert next(iter(answers)).startswith("extra peg red")


def test_what_a_seat_cannot_see_changes_no_answer() -> None:
    random = Random(7)
    differences = 0
    for now, decision in course("final", ("novice", "club"), 5)[::4]:
        twin = RULES.determinize(seen(now, decision), decision.seat, random.random)
        for level in LEVELS:
            answers = [answer(each, decision, level, Random(3)) for each in (twin, now)]
            assert answers[0] == answers[1]
        differences += twin != now
    assert differences > 2  # or else nothing has been tested


def test_additional_pegs_are_named_once_a_colour_and_then_it_is_ready() -> None:
    now = opening("final", 0)
    draw = Random(1).random
    while now.phase != "inspection":
        now = playouts.step(RULES, now, draw)
    named: list[Any] = []
    while not now.frame.ready[0]:
        decision = RULES.decisions(now)[0]
        move = RULES.decide(RULES.view(now, 0), decision, "strong", draw, at_once)
        named.append(move)
        now = RULES.apply(now, ((0, move),))
    red, blue, ready = named
    assert (red.colour, blue.colour, ready) == ("red", "blue", EndInspection())


def test_it_finishes_only_where_nothing_can_be_placed() -> None:
    now = state(begun("gauntlet"))
    decision = RULES.decisions(now)[0]
    draw = Random(1).random
    found = thinking.suggest(now, decision, draw, 16)
    assert found
    assert Finish() not in found
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
