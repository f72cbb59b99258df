"""Whole matches, played by the quick state in placement numbers and by the plain reference."""

from __future__ import annotations

from random import Random

import pytest

from games.engine.ruleset import Setup
from games.rulesets.tetronogo.moves import Move, OutOfTime, Pick, PlaceTetromino, Start
from games.rulesets.tetronogo.rules import Tetronogo, TetronogoOptions
from games.rulesets.tetronogo.state import TetronogoState
from tests.rulesets.tetronogo import reference
from tests.support import depth

RULES = Tetronogo()


def squares(letter: str, move: Move) -> reference.Placement:
    assert isinstance(move, PlaceTetromino)
    return reference.covered(letter, move.column, move.row, move.turns * 90)


def agrees(state: TetronogoState, plain: reference.Match) -> None:
    """Everything that the rules speak of is the same for both."""
    assert state.frame.phase == plain.phase
    assert RULES.scores(state) == tuple(plain.totals)
    assert [bout.winner for bout in state.frame.bouts] == plain.won
    outcome = RULES.outcome(state)
    if plain.phase == "over":
        assert outcome is not None
        assert (outcome.winner, outcome.reason) == (plain.winner, plain.reason)
        return
    assert outcome is None
    decisions = RULES.decisions(state)
    if plain.phase == "pick":
        assert {each.seat for each in decisions} == {0, 1}
        for each in decisions:
            letters = [move.letter for move in RULES.legal(state, each) if isinstance(move, Pick)]
            assert set(letters) == set(reference.SHAPES) - set(plain.used[each.seat])
        return
    (decision,) = decisions
    assert decision.seat == (plain.chooser if plain.phase == "starter" else plain.mover)
    if plain.phase == "place":
        letter = plain.used[plain.mover][-1]
        legal = [squares(letter, move) for move in RULES.legal(state, decision)]
        assert set(legal) == plain.choices()
        assert len(legal) == len(set(legal))


@pytest.mark.parametrize("seed", range(depth.examples(15)))
def test_a_match_goes_as_the_plain_reference_says(seed: int) -> None:
    random = Random(seed)
    late = (0.0, 0.05)[seed // 2 % 2]  # how often somebody's time runs out
    advantage = seed % 2
    state = RULES.initial(Setup("standard", TetronogoOptions(), advantage))
    plain = reference.Match(advantage)
    agrees(state, plain)
    while plain.phase != "over":
        decisions = RULES.decisions(state)
        moves = [RULES.sample(state, each, random.random) for each in decisions]
        if plain.phase == "place" and random.random() < late:
            moves = [OutOfTime()]
        state = RULES.apply(
            state, tuple((each.seat, move) for each, move in zip(decisions, moves, strict=True))
        )
        match moves:
            case [Pick(first), Pick(second)]:
                plain.pick(first, second)
            case [Start(order)]:
                plain.start(order)
            case [OutOfTime()]:
                plain.run_out()
            case [move]:
                plain.place(squares(plain.used[plain.mover][-1], move))
        agrees(state, plain)
