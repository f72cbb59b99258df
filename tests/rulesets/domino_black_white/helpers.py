"""Playing Domino Black & White in tests: by text, or at random from a seed."""

from __future__ import annotations

import random

import pytest

from core.refusals import Refusal
from games.engine import notation
from games.engine.decisions import Decision
from games.engine.ruleset import Setup
from games.rulesets.domino_black_white import DominoBlackWhite
from games.rulesets.domino_black_white.board import spots_in
from games.rulesets.domino_black_white.lines import MET_TEXT
from games.rulesets.domino_black_white.moves import Move
from games.rulesets.domino_black_white.rules import DominoOptions
from games.rulesets.domino_black_white.state import BlackWhiteState
from tests.rulesets.domino_black_white import reference

RULES = DominoBlackWhite()


def begun(advantage: int = 0) -> BlackWhiteState:
    return RULES.initial(Setup(variant="standard", options=DominoOptions(), advantage=advantage))


def read(text: str) -> Move:
    return RULES.parse(notation.tidy(text))


def decision(state: BlackWhiteState) -> Decision:
    (only,) = RULES.decisions(state)
    return only


def play(*texts: str, state: BlackWhiteState | None = None) -> BlackWhiteState:
    """The state after these placements, each validated; seat 0 goes first."""
    state = after(begun(), "first") if state is None else state
    for text in texts:
        state = after(state, text)
    return state


def after(state: BlackWhiteState, text: str) -> BlackWhiteState:
    move = read(text)
    open_now = decision(state)
    RULES.validate(state, open_now, move)
    return RULES.apply(state, ((open_now.seat, move),))


def refusal(state: BlackWhiteState, text: str) -> Refusal:
    """How a submission is refused."""
    with pytest.raises(Refusal) as caught:
        after(state, text)
    return caught.value


def met(state: BlackWhiteState) -> str:
    """The letters that the last placement met."""
    assert state.last is not None
    return MET_TEXT[state.last.met]


def legal_squares(state: BlackWhiteState) -> set[tuple[str, str]]:
    return {spot.squares for spot in spots_in(state.legal)}


def numbers(state: BlackWhiteState) -> reference.Board:
    """The numbers on the board, for the reference."""
    return {
        reference.square(name): number
        for placed in state.history
        for name, number in zip(placed.place.spot.squares, placed.place.numbers, strict=True)
    }


def at_random(seed: int, placements: int = 99, *, advantage: int = 0) -> BlackWhiteState:
    """A random match from a seed, as it stands after so many placements or at its end."""
    source = random.Random(seed).random
    state = begun(advantage)
    while RULES.outcome(state) is None:
        if state.first is not None and len(state.history) >= placements:
            break
        open_now = decision(state)
        move = RULES.sample(state, open_now, source)
        state = RULES.apply(state, ((open_now.seat, move),))
    return state
