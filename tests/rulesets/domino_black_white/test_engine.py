"""What the engine asks of every ruleset: purity, listing, sampling, storage."""

from collections import Counter
from collections.abc import Callable
from math import sqrt
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.refusals import Refusal
from games.engine.decisions import Outcome
from games.engine.errors import EngineFault
from games.rulesets.domino_black_white.moves import PLACES, ChooseOrder, Move, TurnTimeout
from games.rulesets.domino_black_white.state import BlackWhiteState
from tests.rulesets.domino_black_white.helpers import RULES, at_random, begun, decision, play

seeds = st.integers(0, 10**6)
counts = st.integers(0, 31)


@given(seeds, counts)
def test_applying_a_move_leaves_the_state_before_it_alone(seed: int, count: int) -> None:
    state = at_random(seed, count)
    if RULES.outcome(state) is not None:
        return
    before = RULES.encode(state), repr(state)
    asked = decision(state)
    move = RULES.sample(state, asked, Random(seed).random)
    once = RULES.apply(state, ((asked.seat, move),))
    again = RULES.apply(state, ((asked.seat, move),))
    assert once == again
    assert once != state
    assert (RULES.encode(state), repr(state)) == before


@given(seeds, counts, st.integers(0, 1))
def test_a_state_comes_back_from_its_encoding(seed: int, count: int, advantage: int) -> None:
    for state in (begun(advantage), at_random(seed, count, advantage=advantage)):
        assert RULES.decode(RULES.encode(state)) == state


def test_running_out_of_time_comes_back_too() -> None:
    state = RULES.apply(play(), ((0, TurnTimeout()),))
    assert RULES.decode(RULES.encode(state)) == state


def test_an_encoding_is_compact_json_without_what_follows_from_it() -> None:
    state = play("(3,4) DY:DZ hide 3")
    assert msgspec.json.decode(RULES.encode(state)) == {
        "advantage": 0,
        "first": 0,
        "late": None,
        "placed": [["(3,4) DY:DZ hide DY", ""]],
    }
    assert len(RULES.encode(at_random(3))) < 1500


def _encoding(**changed: object) -> bytes:
    whole = {
        "advantage": 0,
        "first": 0,
        "late": None,
        "placed": [["(3,4) DY:DZ hide DY", ""]],
    }
    return msgspec.json.encode({**whole, **changed})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff",
        b'{"advantage":0,"first":0,"late":null}',
        _encoding(advantage=2),
        _encoding(first=None),
        _encoding(placed=[["(3,4) DY:DZ hide DZ ", ""]]),
        _encoding(placed=[["(4,3) DZ:DY hide DZ", ""]]),
        _encoding(placed=[["(3,4) DY:DZ hide DY", "BH"]]),
        _encoding(placed=[["(3,4) DY:DZ hide DY", "B"]]),
        _encoding(placed=[["(3,4) CX:CY hide CX", ""]]),
        _encoding(placed=[["(3,4) DY:DZ hide DY", ""]] * 2),
        _encoding(
            placed=[
                ["(3,4) CY:CZ hide CY", ""],
                ["(3,4) DY:DZ hide DY", ""],
                ["(3,4) EY:EZ hide EY", ""],
            ]
        ),
        _encoding(late=0),
        _encoding(extra=1),
    ],
)
def test_what_never_was_a_state_is_a_fault(data: bytes) -> None:
    with pytest.raises(EngineFault):
        RULES.decode(data)


def _accepted(state: BlackWhiteState) -> list[Move]:
    asked = decision(state)
    every: list[Move] = [ChooseOrder(first=True), ChooseOrder(first=False), *PLACES, TurnTimeout()]
    accepted = []
    for move in every:
        try:
            RULES.validate(state, asked, move)
        except Refusal:
            continue
        accepted.append(move)
    return accepted


@pytest.mark.parametrize("seed", range(12))
def test_the_moves_listed_are_those_that_validate(seed: int) -> None:
    for state in (begun(), at_random(seed, 2 * seed)):
        if RULES.outcome(state) is not None:
            continue
        asked = decision(state)
        listed = list(RULES.legal(state, asked))
        assert RULES.enumerable(asked)
        assert len(set(listed)) == len(listed)
        assert set(listed) == set(_accepted(state))
        assert RULES.any_legal(state, asked)
        assert list(RULES.legal(state, asked)) == listed


def _late_state(seed: int, dominoes: int) -> BlackWhiteState:
    """A state near the end, the hand to move cut down to a few dominoes."""
    state = at_random(seed, len(at_random(seed).history) - 3)
    hand = 0
    for index in range(21):
        if state.hand >> index & 1 and hand.bit_count() < dominoes:
            hand |= 1 << index
    return msgspec.structs.replace(state, hand=hand)


@pytest.mark.parametrize(
    "make",
    [
        lambda: _late_state(1, 3),
        lambda: _late_state(2, 4),
        lambda: _late_state(5, 2),
        begun,
    ],
)
def test_sampling_is_uniform_over_the_legal_moves(make: Callable[[], BlackWhiteState]) -> None:
    state = make()
    asked = decision(state)
    moves = list(RULES.legal(state, asked))
    draws = 200 * len(moves)
    source = Random(2024).random
    seen = Counter(RULES.sample(state, asked, source) for _ in range(draws))
    assert set(seen) == set(moves)
    expected = draws / len(moves)
    chi_square = sum((seen[move] - expected) ** 2 / expected for move in moves)
    freedom = len(moves) - 1
    # Four standard deviations: a fair sampler stays below it but once in ten thousand seeds.
    assert chi_square < freedom + 4 * sqrt(2 * freedom)


def test_every_spot_is_drawn_alike_from_a_wide_choice() -> None:
    state = play()
    asked = decision(state)
    source = Random(7).random
    draws = 26_000
    seen = Counter(
        move.spot.index
        for _ in range(draws)
        if not isinstance(move := RULES.sample(state, asked, source), ChooseOrder | TurnTimeout)
    )
    assert len(seen) == state.legal.bit_count() == 13
    expected = draws / 13
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < 12 + 4 * sqrt(24)


def test_estimates_lie_between_minus_one_and_one_and_favour_the_leader() -> None:
    for seed in range(40):
        for count in (0, 8, 16, 99):
            state = at_random(seed, count)
            mine, theirs = RULES.evaluate(state, 0), RULES.evaluate(state, 1)
            assert -1 <= mine <= 1
            assert mine == pytest.approx(-theirs)
            outcome: Outcome | None = RULES.outcome(state)
            if outcome is not None:
                assert mine == (1 if outcome.winner == 0 else -1)
                continue
            assert abs(mine) < 1
            one, two = state.scores()
            if one - two > 1:
                assert mine > 0


def test_an_estimate_grows_surer_as_the_board_fills() -> None:
    """The same lead is worth more with fewer placements to come."""
    early: list[float] = []
    late: list[float] = []
    for seed in range(80):
        for count, found in ((8, early), (22, late)):
            state = at_random(seed, count)
            one, two = state.scores()
            if one - two == 3 and RULES.outcome(state) is None:
                found.append(RULES.evaluate(state, 0))
    assert early
    assert late
    assert min(late) > max(early)
