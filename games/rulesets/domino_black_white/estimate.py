"""A bot's estimate of a position.

The points still to come are taken as a random walk: so many placements more, each worth so much on
average and scattered so widely, as measured over 5,000 random matches. The estimate is the chance
that the walk does not undo the margin, stretched to the scale from -1 to 1.
"""

from __future__ import annotations

from math import erf, sqrt
from typing import Final

from games.engine.decisions import Seat, other
from games.rulesets.domino_black_white.state import BlackWhiteState, winner

PLACEMENTS: Final = 24  # in a random match
MEAN: Final = 0.65  # points of a placement
VARIANCE: Final = 0.6
AT_LEAST: Final = 2  # placements still expected, however long the match has lasted
CERTAIN: Final = 0.999  # kept for what is not over yet


def estimate(state: BlackWhiteState, seat: Seat) -> float:
    """How good ``state`` looks for ``seat``, from -1 (lost) to 1 (won)."""
    if not state.legal:
        return 1.0 if winner(state) == seat else -1.0
    scores = state.scores()
    margin: float = scores[seat] - scores[other(seat)]
    if state.first is not None:
        # The seat to move scores first with what is left; on average that is half a turn ahead.
        margin += MEAN / 2 if state.to_move == seat else -MEAN / 2
    to_come = max(PLACEMENTS - len(state.history), AT_LEAST)
    chance = erf(margin / sqrt(2 * VARIANCE * to_come))
    return max(-CERTAIN, min(CERTAIN, chance))
