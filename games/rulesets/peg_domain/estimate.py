"""A bot's estimate of a position."""

from __future__ import annotations

import math

from games.engine.decisions import Seat, other
from games.rulesets.peg_domain.state import PegDomainState, outcome_of


def estimate(state: PegDomainState, seat: Seat) -> float:
    """Who owns more of the domain, weighed by how little can still happen to it."""
    outcome = outcome_of(state)
    if outcome is not None:
        return 1.0 if outcome.winner == seat else -1.0
    if state.phase != "play":
        return 0.0
    scores = state.scores
    ahead = float(scores[seat] - scores[other(seat)])
    # A finished player only loses ground while the other one goes on.
    for whose, sign in ((seat, 1), (other(seat), -1)):
        if state.ended[whose] is None:
            ahead += sign * min(6.0, state.pegs_left(whose).bit_count() / 4)
    standing = state.standing.bit_count()
    return math.tanh(ahead / (24 - 16 * min(1.0, standing / 48)))
