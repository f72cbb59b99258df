"""How bots play: legal answers from what their seat can see, and what they know."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from games.engine.capabilities import LEVELS, Level, thinks_of
from games.engine.decisions import Audience
from games.engine.search import always
from games.rulesets.domino_black_white import chances, thinking
from games.rulesets.domino_black_white.board import SPOTS
from games.rulesets.domino_black_white.lines import POINTS
from games.rulesets.domino_black_white.moves import ChooseOrder, PlaceDomino
from games.rulesets.domino_black_white.state import BlackWhiteState
from tests.rulesets.domino_black_white.helpers import RULES, at_random, begun, decision, play

SEATS: tuple[Audience, Audience] = (0, 1)


def at_once() -> bool:
    """There is no time to go on."""
    return False


def seen(state: BlackWhiteState) -> dict[str, Any]:
    """What the seat to move is told."""
    view: dict[str, Any] = json.loads(json.dumps(RULES.view(state, SEATS[decision(state).seat])))
    return view


def answer(state: BlackWhiteState, level: Level, random: Random) -> Any:
    """What a bot of that level says at once."""
    return RULES.decide(seen(state), decision(state), level, random.random, at_once)


def course(level: Level, seed: int) -> list[BlackWhiteState]:
    """Every state of a match that a level plays against itself, whose answers are judged."""
    random = Random(seed)
    state = begun(seed % 2)
    states = [state]
    while RULES.outcome(state) is None:
        asked = decision(state)
        move = answer(state, level, random)
        RULES.validate(state, asked, move)
        state = RULES.apply(state, ((asked.seat, move),))
        states.append(state)
    return states


def test_bots_play_it() -> None:
    assert thinks_of(RULES) is RULES


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_answers_everything(level: Level) -> None:
    scored, at_random_scored = 0, 0
    for seed in range(2):
        *states, end = course(level, seed)
        assert {decision(state).kind for state in states} == {"order", "place"}
        scored += sum(end.scores())
        at_random_scored += sum(at_random(seed).scores())
    assert scored > at_random_scored


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_hidden_from_the_seat_makes_no_difference(level: Level) -> None:
    differing = 0
    for seed in range(6):
        state = at_random(seed, 8 + seed)
        twin = RULES.determinize(seen(state), decision(state).seat, Random(seed).random)
        differing += twin != state
        answers = [answer(each, level, Random(seed)) for each in (state, twin)]
        assert answers[0] == answers[1]
    assert differing > 2  # or else nothing has been tested


def test_the_same_numbers_give_the_same_answers() -> None:
    assert course("strong", 3) == course("strong", 3)


def test_a_search_ends_when_there_is_no_more_time() -> None:
    asked = 0

    def a_few_times() -> bool:
        nonlocal asked
        asked += 1
        return asked < 3

    state = at_random(2, 10)
    RULES.decide(seen(state), decision(state), "strong", Random(1).random, a_few_times)
    assert asked == 3


def test_a_domino_that_cannot_be_placed_otherwise_is_placed() -> None:
    """The board is all but full."""
    whole = at_random(5)
    state = at_random(5, len(whole.history) - 1)
    for level in LEVELS:
        move = RULES.decide(seen(state), decision(state), level, Random(1).random, always)
        assert isinstance(move, PlaceDomino)
        RULES.validate(state, decision(state), move)


def test_the_choice_of_order_is_made_without_looking() -> None:
    for advantage in (0, 1):
        for level in LEVELS:
            assert answer(begun(advantage), level, Random(1)) == ChooseOrder(first=False)


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
    most = max(expected.values())
    assert chances.best(state)[0] == chances.most(state) == most
    for enough in range(5):
        assert min(enough, most) <= chances.most(state, enough) <= most


def test_careful_play_leaves_the_opponent_less() -> None:
    random = Random(1).random
    gains = dict.fromkeys((thinking.greedily, thinking.carefully), 0)
    for seed in range(100):
        state = at_random(seed, 10)
        seat = decision(state).seat
        for follow in gains:
            after = follow(state, random)
            gains[follow] += after.scores()[seat] - state.scores()[seat] - chances.most(after)
    assert gains[thinking.carefully] > gains[thinking.greedily] + 5


def test_the_half_that_tells_less_is_hidden() -> None:
    """A 3 on top of 3 and 4 meets V, as no other white number does: hiding it hides nothing."""
    state = play("(3,4) DY:DZ hide DZ", "(0,0) GY:GZ hide GZ")
    spot = next(spot for spot in SPOTS if spot.squares == ("DW", "DX"))
    pair = 6 * 0 + 3
    assert chances.letters_of(chances.offered(state.lines, spot), pair)
    for seed in range(5):
        move = thinking._hiding([state], spot, pair, Random(seed).random)
        assert move.hidden == "DW"
