"""A bot's estimate of a position."""

from __future__ import annotations

import math

from games.engine.decisions import Seat
from games.rulesets.tetronogo.scoring import groups
from games.rulesets.tetronogo.state import TetronogoState


def estimate(state: TetronogoState, seat: Seat) -> float:
    """The share of the points, those of the bout in play guessed by who has more of the edges
    around each group; a bout just won counts a little more, since two in a row win."""
    frame = state.frame
    if frame.outcome is not None:
        return 1.0 if frame.outcome.winner == seat else -1.0
    totals = frame.totals
    ahead = float(totals[0] - totals[1])
    if frame.phase == "place":
        for group in groups(*state.boards):
            first, second = group.edges
            if first != second:
                # The larger a group still is, the more it will be cut up and fought over.
                size = len(group.squares)
                ahead += (first - second) / (first + second) * size / (1 + size / 24)
    if frame.bouts and frame.bouts[-1].winner is not None:
        ahead += 8.0 if frame.bouts[-1].winner == 0 else -8.0
    value = math.tanh(ahead / 40)
    return value if seat == 0 else -value
