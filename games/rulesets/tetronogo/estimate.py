"""A bot's estimate of a position.

Everything here counts for seat 0, from -1 (lost) to 1 (won). The figures are the means of 1132
bouts between bots (see `games.rulesets.tetronogo.thinking`), and what came closest to how random
matches ended.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

from games.engine.decisions import Seat
from games.rulesets.tetronogo.scoring import tallies
from games.rulesets.tetronogo.state import MOST_BOUTS, BoutFrame, TetronogoState

MARGIN: Final = 15  # points between the players at the end of a bout
PLACEMENTS: Final = 23  # of a bout
SURE: Final = 6  # how far the points may be off when the last piece is placed
_SIGN: Final = {None: 0, 0: 1, 1: -1}


def estimate(state: TetronogoState, seat: Seat) -> float:
    """Who wins the match, by how the finished bouts went and by who has more of the edges around
    each group of the bout in play."""
    outcome = state.frame.outcome
    if outcome is not None:
        value = float(_SIGN[outcome.winner])
    elif state.placed:
        played = min(1.0, len(state.placed) / PLACEMENTS)
        value = _in_play(state.frame, _margin(state) * played, SURE + MARGIN * (1 - played))
    else:
        value = _in_play(state.frame, 0.0, MARGIN)
    return value if seat == 0 else -value


def ended(frame: BoutFrame, margin: int) -> float:
    """How the match stands once the bout in play has ended with so many points more for seat 0."""
    last, total = _so_far(frame)
    winner = None if margin == 0 else 0 if margin > 0 else 1
    done = len(frame.bouts) + 1
    if winner is not None and winner == last:
        return float(_SIGN[winner])
    if done < MOST_BOUTS:
        return _between(done, winner, total + margin)
    decides = total + margin or _SIGN[last if winner is None else winner]
    return float((decides > 0) - (decides < 0))


def _so_far(frame: BoutFrame) -> tuple[Seat | None, int]:
    """Who won the latest finished bout, and how many points more seat 0 has of all of them."""
    first, second = frame.totals
    return frame.bouts[-1].winner if frame.bouts else None, first - second


@lru_cache(maxsize=4096)
def _between(done: int, last: Seat | None, total: int) -> float:
    """After so many bouts, when nothing is known of the next one."""
    return _with_bout(done, last, total, 0.0, MARGIN)


def _in_play(frame: BoutFrame, margin: float, spread: float) -> float:
    last, total = _so_far(frame)
    return _with_bout(len(frame.bouts), last, total, margin, spread)


def _with_bout(done: int, last: Seat | None, total: int, margin: float, spread: float) -> float:
    """After so many bouts, if seat 0 should win the next one by ``margin`` points."""
    if done == MOST_BOUTS - 1:
        # Who won the bout before wins the match with this one; else all points count.
        enough = -total if last is None else min(0, -total) if last == 0 else max(0, -total)
        return math.tanh((margin - enough) / spread)
    won = 1.0 if last == 0 else _between(done + 1, 0, total + MARGIN)
    lost = -1.0 if last == 1 else _between(done + 1, 1, total - MARGIN)
    return (won + lost) / 2 + math.tanh(margin / spread) * (won - lost) / 2


def _margin(state: TetronogoState) -> float:
    """By how many points seat 0 is ahead on the board."""
    ahead = 0.0
    for size, first, second in tallies(*state.boards):
        if first != second:
            # The larger a group still is, the more it will be cut up and fought over.
            ahead += (first - second) / (first + second) * size / (1 + size / 24)
    return ahead
