"""How bots play: what they look at, and what they go by."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import msgspec
import pytest

from games.engine.capabilities import LEVELS, Skill, thinks_of
from games.engine.decisions import Audience
from games.engine.search import think
from games.rulesets.domino_black_white import chances, thinking
from games.rulesets.domino_black_white.board import SPOTS
from games.rulesets.domino_black_white.lines import POINTS
from games.rulesets.domino_black_white.moves import ChooseOrder, PlaceDomino
from games.rulesets.domino_black_white.state import BlackWhiteState
from tests.rulesets.domino_black_white.helpers import RULES, at_random, begun, decision, play

SEATS: tuple[Audience, Audience] = (0, 1)


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every level as wide as ever, but quickly done."""
    skills = {
        level: msgspec.structs.replace(skill, tries=min(skill.tries, 20))
        for level, skill in RULES.skills.items()
    }
    monkeypatch.setattr(thinking, "SKILLS", skills)
    monkeypatch.setattr(thinking, "RANKED_IN", 1)


def seen(state: BlackWhiteState) -> dict[str, Any]:
    """What the seat to move is told."""
    view: dict[str, Any] = json.loads(json.dumps(RULES.view(state, SEATS[decision(state).seat])))
    return view


def thought(state: BlackWhiteState, skill: Skill, seed: int) -> Any:
    return think(RULES, seen(state), decision(state), skill, Random(seed).random)


def test_there_are_all_levels_each_wider_than_the_one_before() -> None:
    assert thinks_of(RULES) is RULES
    assert tuple(RULES.skills) == LEVELS
    widths = [skill.width for skill in RULES.skills.values()]
    assert widths == sorted(set(widths))


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_plays_legally_to_the_end(level: str) -> None:
    state = begun()
    while RULES.outcome(state) is None:
        asked = decision(state)
        move = thought(state, RULES.skills[level], len(state.history))
        RULES.validate(state, asked, move)
        state = RULES.apply(state, ((asked.seat, move),))
    assert min(state.scores()) > 5


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_hidden_from_the_seat_makes_no_difference(level: str) -> None:
    differing = 0
    for seed in range(6):
        state = at_random(seed, 8 + seed)
        seat = decision(state).seat
        twin = RULES.determinize(seen(state), seat, Random(seed).random)
        differing += twin != state
        skill = RULES.skills[level]
        assert thought(twin, skill, seed) == thought(state, skill, seed)
        suggested = [
            RULES.suggest(each, decision(state), Random(seed).random, skill.width)
            for each in (state, twin)
        ]
        assert suggested[0] == suggested[1]
    assert differing > 2


@pytest.mark.parametrize("most", [1, 2, 7, 500])
def test_suggestions_are_legal_and_distinct(most: int) -> None:
    for state in (begun(), play(), at_random(5, 9), at_random(6, 20)):
        asked = decision(state)
        moves = RULES.suggest(state, asked, Random(most).random, most)
        assert 1 <= len(moves) <= most
        assert len({RULES.print(move) for move in moves}) == len(moves)
        for move in moves:
            RULES.validate(state, asked, move)


def test_a_domino_that_cannot_be_placed_otherwise_is_placed() -> None:
    """One domino in hand and the board all but full."""
    whole = at_random(5)
    state = at_random(5, len(whole.history) - 1)
    only = state.hand & -state.hand
    move = thought(msgspec.structs.replace(state, hand=only), RULES.skills["club"], 1)
    assert isinstance(move, PlaceDomino)


def test_the_choice_of_order_is_made_without_looking() -> None:
    for advantage in (0, 1):
        for skill in RULES.skills.values():
            assert thought(begun(advantage), skill, 1) == ChooseOrder(first=False)


# -- what a placement can score ------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_everything_in_hand_is_listed_under_the_points_it_scores(seed: int) -> None:
    state = at_random(seed, 3 * seed)
    if not state.legal:
        return
    listed = {}
    for points, places in enumerate(chances.by_points(state)):
        for index, pairs in places:
            for pair in chances.listed(pairs):
                assert (index, pair) not in listed
                listed[index, pair] = points
    expected = {}
    for move in RULES.legal(state, decision(state)):
        assert isinstance(move, PlaceDomino)
        after = RULES.apply(state, ((decision(state).seat, move),))
        assert after.last is not None
        one, two = move.numbers
        expected[move.spot.index, 6 * one + two] = POINTS[after.last.met]
        offer = chances.offered(state.lines, move.spot)
        assert chances.letters_of(offer, 6 * one + two) == after.last.met
    assert listed == expected
    assert chances.best(state)[0] == max(expected.values())


def test_the_half_that_tells_less_is_hidden() -> None:
    """A 3 on top of 3 and 4 meets V, as no other white number does: hiding it hides nothing."""
    state = play("(3,4) DY:DZ hide DZ", "(0,0) GY:GZ hide GZ")
    spot = next(spot for spot in SPOTS if spot.squares == ("DW", "DX"))
    pair = 6 * 0 + 3
    assert chances.letters_of(chances.offered(state.lines, spot), pair)
    for seed in range(5):
        move = thinking._hiding([state], spot, pair, Random(seed).random)
        assert move.hidden == "DW"
