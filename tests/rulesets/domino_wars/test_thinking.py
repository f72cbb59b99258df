"""Bots: legal answers to every question, from what their seat can see and nothing else."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from games.engine.capabilities import LEVELS, Level
from games.engine.chance import evenly
from games.engine.decisions import Decision
from games.engine.search import always
from games.rulesets.domino_wars.board import INDEX_OF
from games.rulesets.domino_wars.moves import Deck
from games.rulesets.domino_wars.state import Opening, State
from games.rulesets.domino_wars.thinking import SEARCHES, suggestions
from tests.rulesets.domino_wars.helpers import (
    RULES,
    begin,
    decision_of,
    position,
    say,
    side,
    source,
)

KINDS = {"first", "deck", "mulligan", "play", "return", "top", "discard"}
ITEMS = tuple([(seat, item) for seat in (0, 1) for item in ("domino-repeat", "hand-mulligan")])


def at_once() -> bool:
    """There is no time for more than one try of each move."""
    return False


def answer(state: State, decision: Decision, level: Level, random: Random) -> Any:
    """What a bot says to a question at once."""
    view = RULES.view(state, 1 if decision.seat else 0)
    return RULES.decide(view, decision, level, random.random, at_once)


def course(level: Level, seed: int) -> list[tuple[State, Decision]]:
    """Every question of a match that a level plays against itself, whose answers are judged."""
    random = Random(seed)
    state: State = begin(*ITEMS, advantage=seed % 2, draw_when_stuck=seed % 2 == 0)
    asked: list[tuple[State, Decision]] = []
    while RULES.outcome(state) is None:
        due = RULES.chance_due(state)
        for draw in due:
            state = RULES.apply_chance(state, RULES.draw(state, draw, evenly(random.random)))
        if due:
            continue
        chosen = []
        for decision in RULES.decisions(state):
            asked.append((state, decision))
            move = answer(state, decision, level, random)
            RULES.validate(state, decision, move)
            chosen.append((decision.seat, move))
        state = RULES.apply(state, tuple(chosen))
    return asked


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_answers_everything(level: Level) -> None:
    asked = [decision.kind for seed in range(4) for _, decision in course(level, seed)]
    assert set(asked) == KINDS


def test_what_a_seat_cannot_see_changes_no_answer() -> None:
    random = Random(7)
    differences = 0
    for state, decision in course("novice", 5):
        view = RULES.view(state, 1 if decision.seat else 0)
        twin = RULES.determinize(view, decision.seat, random.random)
        answers = [answer(each, decision, "strong", Random(3)) for each in (twin, state)]
        assert answers[0] == answers[1]
        differences += twin != state
    assert differences > 5  # or else nothing has been tested


@pytest.mark.parametrize("level", LEVELS)
def test_suggestions_are_legal_and_distinct(level: Level) -> None:
    width = SEARCHES[level].width
    random = source(1)
    for state, decision in course("club", 2):
        found = suggestions(state, decision, random, width)
        if found is None:
            assert RULES.enumerable(decision)
            continue
        assert 0 < len(found) <= width
        assert len({RULES.print(move) for move in found}) == len(found)
        for move in found:
            RULES.validate(state, decision, move)


def test_the_same_numbers_give_the_same_answers() -> None:
    assert course("strong", 3) == course("strong", 3)


# -- what they know ------------------------------------------------------------------------------


def sixes(width: int, *items: tuple[int, str]) -> float:
    """How many sixes are in a deck, on the average."""
    state = say(begin(*items), "first")
    assert isinstance(state, Opening)
    decision = decision_of(state, 0)
    random = source(4)
    held = []
    for _ in range(20):
        found = suggestions(state, decision, random, width)
        assert found is not None
        for deck in found:
            assert isinstance(deck, Deck)
            held.append(sum(INDEX_OF[f"{low}6"] in deck.dominoes for low in range(6)))
    return sum(held) / len(held)


def test_who_looks_wider_finds_better_decks() -> None:
    novice, club, strong = [sixes(SEARCHES[level].width) for level in LEVELS]
    assert novice < club < strong


def test_a_repeat_is_used() -> None:
    state = say(begin((0, "domino-repeat")), "first")
    random = source(2)
    found = [suggestions(state, decision_of(state, 0), random, 32) or () for _ in range(5)]
    decks = [deck.dominoes for (deck,) in found if isinstance(deck, Deck)]
    assert len(decks) == 5
    assert any(len(set(dominoes)) < len(dominoes) for dominoes in decks)


def test_the_play_that_wins_is_found() -> None:
    full = "4a 5a 6a 6b 6a 6a 6a 6b 6a 4b 5b 6b 5b 6b 6b 6b"
    state = position(side("56"), side(discards="01 02 03 04 05 12 13 14"), full, first=1)
    decision = decision_of(state, 0)
    for level in LEVELS:
        view = RULES.view(state, 1 if decision.seat else 0)
        move = RULES.decide(view, decision, level, Random(1).random, always)
        assert RULES.print(move) == "56 B3:C3"
