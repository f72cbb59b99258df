"""A bot's estimate of a position."""

from __future__ import annotations

import math

from games.engine.decisions import Seat
from games.rulesets.domain.course import scores
from games.rulesets.domain.state import DomainState


def estimate(state: DomainState, seat: Seat) -> float:
    """The lead in pixels as it stands."""
    if state.outcome is not None:
        return 1.0 if state.outcome.winner == seat else -1.0
    first, second = scores(state)
    lead = (first - second) / max(1, first + second)
    value = math.tanh(4 * lead)
    return value if seat == 0 else -value
