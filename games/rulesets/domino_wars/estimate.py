"""A bot's estimate of a position."""

from __future__ import annotations

from math import tanh
from typing import Final

from games.engine.decisions import Seat, other
from games.rulesets.domino_wars.lanes import DOMINOES
from games.rulesets.domino_wars.state import Opening, Position, Side, State

CERTAIN: Final = 0.999  # kept for what is not over yet
SPREAD: Final = 6.0  # squares
TEMPO: Final = 1.0  # squares that a turn in hand is worth
STRENGTH: Final = 0.25  # squares for each point by which the best dominoes of one side are higher


def estimate(state: State, seat: Seat) -> float:
    """How good ``state`` looks for ``seat``, from -1 (lost) to 1 (won): the squares, the high
    numbers still to come, and whose turn is next, pending skips counted."""
    if isinstance(state, Opening):
        return 0.0
    if state.over:
        return 1.0 if state.winner() == seat else -1.0
    scores = state.scores()
    ahead = (
        scores[seat]
        - scores[other(seat)]
        + STRENGTH * (_strength(state.sides[seat]) - _strength(state.sides[other(seat)]))
    )
    ahead += TEMPO * (_skips(state, other(seat)) - _skips(state, seat))
    ahead += TEMPO / 2 if state.seat == seat else -TEMPO / 2
    return max(-CERTAIN, min(CERTAIN, tanh(ahead / SPREAD)))


def _strength(side: Side) -> float:
    """The numbers in hand, and those in the pile at half their worth."""
    hand = sum(sum(DOMINOES[domino]) for domino in side.hand)
    return hand + sum(sum(DOMINOES[domino]) for domino in side.pile) / 2


def _skips(state: Position, seat: Seat) -> int:
    return int(state.sides[seat].skip)
