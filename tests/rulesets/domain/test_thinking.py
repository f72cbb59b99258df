"""What bots answer, and that they count on the same pixels as the rules."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine.capabilities import LEVELS, Level
from games.engine.decisions import Decision, Seat
from games.engine.notation import tidy
from games.engine.search import always
from games.rulesets.domain import board, thinking
from games.rulesets.domain.board import Laid
from games.rulesets.domain.moves import ACCEPT, CHALLENGE, DiscardShape, First, Move, PlaceShape
from games.rulesets.domain.pool import built_in
from games.rulesets.domain.state import DomainState
from games.rulesets.domain.windows import UNIT, Windows, ground_of
from tests.rulesets.domain.helpers import RULES, SMALL, Game, box
from tests.rulesets.domain.test_counting import POOL, lists, placements
from tests.support import depth

CLASSIC = built_in()["classic@1"]
some = settings(deadline=None, max_examples=depth.examples(40))


def at_once() -> bool:
    """There is no time for more."""
    return False


def answer(
    state: DomainState,
    level: Level = "strong",
    seat: Seat | None = None,
    seed: int = 1,
    may_go_on: Callable[[], bool] = always,
) -> Move:
    """What a bot says to the open decision of that seat, or the only one."""
    decision = asked(state, seat)
    view = RULES.view(state, 1 if decision.seat else 0)
    return RULES.decide(view, decision, level, Random(seed).random, may_go_on)


def asked(state: DomainState, seat: Seat | None = None) -> Decision:
    (decision,) = [each for each in RULES.decisions(state) if seat in (None, each.seat)]
    return decision


# -- whole matches -------------------------------------------------------------------------------


@pytest.mark.parametrize("refereeing", ["challenge", "strict"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_answers_whatever_it_is_asked(level: Level, refereeing: str) -> None:
    kinds = set()
    for seed in range(3):
        random = Random(seed).random
        state = Game(refereeing=refereeing).draw().state
        while RULES.outcome(state) is None:
            decision = RULES.decisions(state)[0]
            kinds.add(decision.kind)
            for may_go_on in (always, at_once):
                move = answer(state, level, decision.seat, seed, may_go_on)
                RULES.validate(state, decision, move)
                assert RULES.parse(tidy(RULES.print(move))) == move
                if isinstance(move, PlaceShape):
                    after = RULES.apply(state, ((decision.seat, move),))
                    assert board.is_valid(POOL, state.laid, after.laid[-1])
            if decision.seat == 1 and decision.kind == "place":  # the other one plays at random
                move = RULES.sample(state, decision, random)
            state = RULES.apply(state, ((decision.seat, move),))
    assert kinds >= {"inspect", "first", "draft", "place"}


@pytest.mark.parametrize("level", LEVELS)
def test_what_looks_alike_is_answered_alike(level: Level) -> None:
    game = Game().placing()
    game.say(0, "01 > red 10,10 30").say(1, "04 > red 30,15 0")
    state = game.state
    twin = RULES.determinize(RULES.view(state, 0), 0, Random(5).random)
    for seed in range(5):
        assert answer(twin, level, seed=seed) == answer(state, level, seed=seed)


def test_without_its_random_numbers_it_knows_no_chance() -> None:
    state = Game().placing().state
    assert len({RULES.print(answer(state, "novice", seed=seed)) for seed in range(10)}) > 1
    assert answer(state, seed=3) == answer(state, seed=3)


# -- the questions before the first placement ----------------------------------------------------


def test_it_is_ready_and_picks_first() -> None:
    game = Game().draw()
    assert RULES.print(answer(game.state, seat=0)) == "ready"
    game.say(0, "ready").say(1, "ready")
    assert answer(game.state) == First("first")


def test_a_good_eye_takes_the_shape_that_can_bring_most() -> None:
    # 03 covers 144 pixels, 16 of them void; 04 as many, 80 of them purple; 06 covers 128.
    game = Game().drafting()
    assert RULES.print(answer(game.state)) == "take 03"
    game.say(0, "take 03")
    assert RULES.print(answer(game.state)) == "take 06"


def test_a_novice_takes_one_that_is_not_always_the_best() -> None:
    state = Game().drafting().state
    taken = {RULES.print(answer(state, "novice", seed=seed)) for seed in range(20)}
    assert "take 03" in taken
    assert len(taken) > 1


# -- challenges ----------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_it_challenges_what_is_plainly_not_valid_and_nothing_that_is(level: Level) -> None:
    game = Game().placing().say(0, "01 > red 0,10 0")
    assert answer(game.state, level) == CHALLENGE
    game = Game().placing().say(0, "01 > red 10,10 0")
    assert isinstance(answer(game.state, level), PlaceShape)


def test_a_breach_of_a_single_pixel_escapes_a_novice() -> None:
    pool = {**SMALL, "shapes": [*SMALL["shapes"][:5], {"id": "06", "outline": diamond(9)}]}
    game = Game(pool=pool).placing("06", "01", "02", "03", "04", "05")
    game.say(1, "discard 01").say(0, "06 > red 8,15 0")
    faults = board.faults(game.state.ready_pool, (), game.state.laid[0])
    assert sum(len(each.pixels) for each in faults) <= 6
    assert answer(game.state, "novice") != CHALLENGE
    assert answer(game.state, "club") == answer(game.state, "strong") == CHALLENGE


def diamond(half: int) -> list[list[int]]:
    return [[-half, 0], [0, -half], [half, 0], [0, half]]


@pytest.mark.parametrize(("last", "expected"), [("20,15 0", ACCEPT), ("39,15 0", CHALLENGE)])
def test_the_last_placement_is_accepted_where_it_is_valid(last: str, expected: Move) -> None:
    game = Game(pool={**SMALL, "shapes": SMALL["shapes"][:2]}).placing("01", "02")
    game.say(0, "discard 01").say(1, f"02 > blue {last}")
    assert game.kind == "final"
    assert answer(game.state) == expected


def test_it_leaves_alone_what_harms_only_the_other_seat() -> None:
    # Seat 1 owns red, and puts a border over it that sticks out.
    game = Game().placing("01", "04", "02", "03", "05", "06")
    game.say(0, "discard 01").say(1, "04 > red 0,15 0")
    assert answer(game.state) != CHALLENGE


# -- placements ----------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["club", "strong"])
def test_with_room_it_covers_nothing_but_the_others_pixels(level: Level) -> None:
    state = Game().placing().state
    move = answer(state, level)
    after = RULES.apply(state, ((0, move),))
    first, second = RULES.scores(after)
    assert isinstance(move, PlaceShape)
    number = state.ready_pool.index[move.shape]
    # Turned, a shape so small covers a few pixels more or less.
    assert first - second >= 0.95 * thinking.value_of(state.ready_pool.forms[number])


@pytest.mark.parametrize("level", LEVELS)
def test_where_no_shape_fits_it_discards(level: Level) -> None:
    pool: dict[str, Any] = {
        **SMALL,
        "shapes": [
            {"id": "01", "outline": box(16, 14), "start": True},
            {"id": "02", "outline": box(30)},
            {"id": "03", "outline": box(3)},
            {"id": "04", "outline": box(4)},
        ],
    }
    game = Game(pool=pool).placing("02", "01", "03", "04").say(1, "discard 01")
    move = answer(game.state, level)
    assert isinstance(move, PlaceShape)
    assert move.shape == "03"
    game.say(0, "discard 03").say(1, "discard 04")
    assert answer(game.state, level) == DiscardShape("02")


# -- windows -------------------------------------------------------------------------------------


@some
@given(laid=lists, red=st.integers(0, 1))
def test_the_ground_is_what_the_rules_count(laid: list[Laid], red: int) -> None:
    ground = ground_of(POOL, red, laid)
    owned = tuple(int((ground.owners == seat).sum()) for seat in (0, 1))
    assert owned == board.count(POOL, red, tuple(laid))


@some
@given(laid=lists, placed=placements, red=st.integers(0, 1))
def test_a_window_shows_what_a_placement_brings(laid: list[Laid], placed: Laid, red: int) -> None:
    windows = Windows(ground_of(POOL, red, laid), placed.seat)
    raster = POOL.forms[placed.shape].raster(placed.angle)
    room = windows.room(raster.covered)
    inside = room is not None and room[0] <= placed.x <= room[1] and room[2] <= placed.y <= room[3]
    if not inside:
        assert not board.is_valid(POOL, laid, placed)
        return
    place = np.array([(placed.domain, placed.x, placed.y)])
    worth = int(windows.worth(raster.covered, place)[0])
    if not board.is_valid(POOL, laid, placed):
        assert worth < 0
        return
    before = board.count(POOL, red, tuple(laid))
    after = board.count(POOL, red, (*laid, placed))
    lead = (after[0] - after[1]) - (before[0] - before[1])
    lead = lead if placed.seat == 0 else -lead
    assert worth - UNIT * raster.dead.area == UNIT * lead


def test_beside_the_frame_there_are_better_places() -> None:
    windows = Windows(ground_of(CLASSIC, 0, [Laid(1, 4, 0, 120, 100, 20)]), 0, (60, 60))
    better = 0
    for seed in range(10):
        with_edges, without = [
            windows.scan(8, [0], 60, 1000, Random(seed).random, edges=edges)[0].worth
            for edges in (True, False)
        ]
        assert with_edges >= without
        better += with_edges > without
    assert better > 5


def test_moved_about_a_placement_only_gets_better() -> None:
    random = Random(2).random
    laid = [Laid(1, 4, 0, 120, 100, 20), Laid(1, 21, 1, 300, 200, 0)]
    windows = Windows(ground_of(CLASSIC, 0, laid), 0, (60, 60))
    for begin in windows.scan(8, [0, 35], 12, 1000, random):
        found = windows.climb(begin, 6, 8)
        assert found.worth >= begin.worth
        assert board.is_valid(CLASSIC, laid, Laid(0, 8, *found[2:]))
